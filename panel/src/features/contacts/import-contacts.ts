import { phoneColumnOf } from '../../../../src/kernel/phone-column.ts'
import { findDelimiter } from '../../../../src/kernel/table-file.ts'

/** A contact as the API imports it. */
export type ImportedContact = { phone: string; name?: string; fields?: Record<string, string> }

/** The contacts of a file, each with its line, and the lines that have no number. */
export type ContactFile = { contacts: ImportedContact[]; lines: number[]; withoutNumber: number[] }

const NAME_COLUMNS = new Set(['nome', 'name', 'nombre'])

/**
 * Reads contacts from the text of a CSV file: a column with the number, one with the name if there is one, and every
 * other column with a header as a field.
 */
export async function readContacts(text: string): Promise<ContactFile> {
  const { parse } = await import('csv-parse/browser/esm/sync')
  const { delimiter, firstLine } = findDelimiter(text)
  type Row = { record: string[]; info: { lines: number } }
  const parsed: unknown = parse(text, {
    info: true,
    delimiter,
    from_line: firstLine,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  })
  const [first, ...rows] = parsed as Row[]
  const header = first?.record ?? []
  const phoneAt = phoneColumnOf(header)
  const nameAt = header.findIndex((column) => NAME_COLUMNS.has(column.toLowerCase()))
  const file: ContactFile = { contacts: [], lines: [], withoutNumber: [] }
  for (const { record: values, info } of rows) {
    const phone = values[phoneAt] ?? ''
    if (phone === '') {
      file.withoutNumber.push(info.lines)
      continue
    }
    const name = values[nameAt] ?? ''
    const fields = Object.fromEntries(
      header
        .map((column, index) => [column, values[index] ?? ''] as const)
        .filter(
          ([column, value], index) =>
            index !== phoneAt && index !== nameAt && column !== '' && value !== '',
        ),
    )
    file.lines.push(info.lines)
    file.contacts.push({
      phone,
      ...(name ? { name } : {}),
      ...(Object.keys(fields).length > 0 ? { fields } : {}),
    })
  }
  return file
}

/** How many of these contacts have the number of a later one, which is the one that counts. */
export const countRepeated = (contacts: ImportedContact[]): number =>
  contacts.length - new Set(contacts.map(({ phone }) => phone.replace(/\D/g, ''))).size

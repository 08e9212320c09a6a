import { phoneColumnOf } from '../../../../src/kernel/phone-column.ts'
import { findDelimiter } from '../../../../src/kernel/table-file.ts'

/** A contact as the API imports it. */
export type ImportedContact = { phone: string; name?: string; fields?: Record<string, string> }

const NAME_COLUMNS = new Set(['nome', 'name', 'nombre'])

/**
 * Reads contacts from the text of a CSV file: a column with the number, one with the name if there is one, and every
 * other column with a header as a field. Lines without a number are left out.
 */
export async function readContacts(text: string): Promise<ImportedContact[]> {
  const { parse } = await import('csv-parse/browser/esm/sync')
  const { delimiter, firstLine } = findDelimiter(text)
  const [header = [], ...lines]: string[][] = parse(text, {
    delimiter,
    from_line: firstLine,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  })
  const phoneAt = phoneColumnOf(header)
  const nameAt = header.findIndex((column) => NAME_COLUMNS.has(column.toLowerCase()))
  return lines.flatMap((values) => {
    const phone = values[phoneAt] ?? ''
    if (phone === '') return []
    const name = values[nameAt] ?? ''
    const fields = Object.fromEntries(
      header
        .map((column, index) => [column, values[index] ?? ''] as const)
        .filter(
          ([column, value], index) =>
            index !== phoneAt && index !== nameAt && column !== '' && value !== '',
        ),
    )
    return [
      {
        phone,
        ...(name ? { name } : {}),
        ...(Object.keys(fields).length > 0 ? { fields } : {}),
      },
    ]
  })
}

import { phoneColumnOf } from '../../../../src/kernel/phone-column.ts'

/** A contact as the API imports it. */
export type ImportedContact = { phone: string; name?: string; fields?: Record<string, string> }

/** The text of a CSV file: UTF-8, or else the encoding in which Excel saves in Brazil. */
export function decodeCsv(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const NAME_COLUMNS = new Set(['nome', 'name', 'nombre'])

/**
 * Reads contacts from the text of a CSV file: a column with the number, one with the name if there is one, and every
 * other column with a header as a field. Lines without a number are left out.
 */
export async function readContacts(text: string): Promise<ImportedContact[]> {
  const { parse } = await import('csv-parse/browser/esm/sync')
  const [header = [], ...lines]: string[][] = parse(text, {
    delimiter: [',', ';', '\t'],
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

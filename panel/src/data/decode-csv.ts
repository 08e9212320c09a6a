import { isOfficeFile, markedEncoding } from '../../../src/kernel/table-file.ts'
import { t } from '../phrases/phrases.ts'

/**
 * Decodes a CSV file, or the start of one, as the server does: UTF-8, UTF-16 with a byte order mark, or the encoding in
 * which Excel saves in Brazil. Throws for a file of an office program.
 */
export function decodeCsv(bytes: ArrayBuffer): string {
  const head = new Uint8Array(bytes)
  if (isOfficeFile(head)) throw new Error(t.contacts.spreadsheet)
  const encoding = markedEncoding(head)
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes)
  try {
    // The last character of a part of a file may be incomplete.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

import { phoneColumnOf } from '../../../../src/kernel/phone-column.ts'
import { findDelimiter } from '../../../../src/kernel/table-file.ts'
import { decodeCsv } from '../../data/decode-csv.ts'

/** How many people a list names, and the first of them, for the preview; the server reads and checks the file. */
export type Audience = {
  lines: number
  /** The names of its columns, which are the variables of the message. */
  columns: string[]
  first: { to: string; variables: Record<string, string> }[]
}

const PREVIEWED = 3
/** Enough for the header and the first lines. */
const HEAD_BYTES = 64 * 1024

/** Reads what the preview needs from a CSV file. */
export async function readAudience(file: File): Promise<Audience> {
  const { parse } = await import('csv-parse/browser/esm/sync')
  const head = decodeCsv(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const { delimiter, firstLine } = findDelimiter(head)
  const rows: string[][] = parse(head, {
    delimiter,
    from_line: firstLine,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    to: PREVIEWED + 1,
  })
  const [header = [], ...people] = rows
  const names = header.map((name) => name.trim())
  const at = phoneColumnOf(names)
  return {
    lines: Math.max(0, (await countLines(file)) - firstLine),
    columns: names.filter((_, index) => index !== at),
    first: people.slice(0, PREVIEWED).map((values) => ({
      to: values[at] ?? '',
      variables: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
    })),
  }
}

/** Counts the lines that are not empty, without holding the file as text. */
async function countLines(file: File): Promise<number> {
  const NEWLINE = 10
  let lines = 0
  let hasText = false
  const reader = file.stream().getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return lines + (hasText ? 1 : 0)
    for (const byte of value) {
      if (byte === NEWLINE) {
        if (hasText) lines++
        hasText = false
      } else if (byte > 32) hasText = true
    }
  }
}

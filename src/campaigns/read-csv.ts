import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { phoneColumnOf } from '../kernel/phone-column.ts'
import { parsePhone } from '../kernel/phone-number.ts'
import { findDelimiter, isOfficeFile, markedEncoding } from '../kernel/table-file.ts'
import { foldText } from '../kernel/text.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { MAX_LINES } from './recipients.schemas.ts'

const REFERENCE = new Set(['clientreference', 'referencia'])
const MAX_RECORD_BYTES = 64 * 1024
const MAX_COLUMNS = 100
const MAX_COLUMN_NAME = 100

/** A parsed line of a recipient file, with its number in the file. */
export type CsvLine = {
  line: number
  to: string
  variables: Record<string, string>
  clientReference: string | null
}

/**
 * Streams the lines of a CSV file from disk. The first line names the columns; the delimiter is a
 * comma, semicolon or tab. A file that is not UTF-8 is read as UTF-16 if its byte order mark says so, otherwise as
 * Windows-1252. Throws 400, 413 for too many lines.
 */
export async function* readCsv(path: string): AsyncGenerator<CsvLine> {
  const encoding = await readEncoding(path)
  // Loaded on first use: few servers import a CSV file.
  const { parse, CsvError } = await import('csv-parse')
  const { delimiter, firstLine } = findDelimiter(await readHead(path, encoding))
  const parser = parse({
    bom: true,
    trim: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    delimiter,
    from_line: firstLine,
    max_record_size: MAX_RECORD_BYTES,
  })
  // Failures reach the reader through the parser; the file is closed when it stops reading.
  pipeline(createReadStream(path), decodeWith(encoding), parser, () => {})
  try {
    let columns: Columns | null = null
    let lines = 0
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      if (columns === null) columns = readColumns(record)
      else {
        if (++lines > MAX_LINES) throw tooManyLines()
        yield toLine(record, info.lines, columns)
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = Number(error['lines'] ?? 0)
    throw fail('bad_request', (say) => say.campaigns.csv(line), { cause: error })
  }
}

function decodeWith(encoding: string) {
  return async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    const decoder = new TextDecoder(encoding)
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  }
}

function tooManyLines() {
  const most = MAX_LINES.toLocaleString('pt-BR')
  return fail('payload_too_large', (say) => say.campaigns.tooManyLines(most))
}

type Row = { record: string[]; info: { lines: number } }
type Columns = { to: number; reference: number; names: string[] }

function readColumns(names: string[]): Columns {
  if (names.length > MAX_COLUMNS) throw fail('bad_request', (say) => say.campaigns.tooManyColumns)
  const long = names.find((name) => name.length > MAX_COLUMN_NAME)
  if (long !== undefined) throw fail('bad_request', (say) => say.campaigns.columnTooLong)
  // Without a header line, the first recipient would be lost.
  if (names.some((name) => parsePhone(name))) {
    throw fail('bad_request', (say) => say.campaigns.header)
  }
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) throw fail('bad_request', (say) => say.campaigns.columnTwice(twice))
  const reference = names.findIndex((name) => REFERENCE.has(foldText(name)))
  return { to: phoneColumnOf(names), reference, names }
}

function toLine(record: string[], line: number, { to, reference, names }: Columns): CsvLine {
  const variables: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = record[index]
    if (index === to || index === reference || name === '' || !value) continue
    // A column may be called `__proto__`.
    Object.defineProperty(variables, name, { value, enumerable: true, configurable: true })
  }
  const clientReference = (reference >= 0 && record[reference]) || null
  return { line, to: record[to] ?? '', variables, clientReference }
}

/** Detects the encoding of a CSV file. Throws 400 for an Office document. */
async function readEncoding(path: string): Promise<string> {
  const head = Buffer.concat(await createReadStream(path, { end: 3 }).toArray())
  if (isOfficeFile(head)) throw fail('bad_request', (say) => say.campaigns.spreadsheet)
  return markedEncoding(head) ?? ((await isUtf8File(path)) ? 'utf-8' : 'windows-1252')
}

async function isUtf8File(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path)) {
      decoder.decode(chunk as Buffer, { stream: true })
    }
    decoder.decode()
    return true
  } catch {
    return false
  }
}

/** Returns the text of at least the first line. */
async function readHead(path: string, encoding: string): Promise<string> {
  let head = ''
  for await (const text of decodeWith(encoding)(createReadStream(path, { end: MAX_RECORD_BYTES })))
    head += text
  return head
}

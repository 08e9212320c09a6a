import { setImmediate } from 'node:timers/promises'
import type { Db, Scope } from '../platform/db/sql.ts'
import { yieldCpu } from '../kernel/clock.ts'
import { parseRecipient, contactKeyOf } from '../model/recipient.ts'
import { truncate } from '../kernel/text.ts'
import { Failure } from '../kernel/phrases/fail.ts'
import { say } from '../kernel/phrases/phrases.ts'
import type { ProblemReason, RecipientImport, RecipientInput } from './recipients.schemas.ts'
import type { Template } from './campaigns.sql.ts'
import { fillTemplate, variablesOf } from '../kernel/fill-template.ts'
import { readMessage } from './read-message.ts'
import type { CsvLine } from './read-csv.ts'
import { countAdded, insertRecipients, type FreshRecipient } from './recipients.sql.ts'

const CHUNK_SIZE = 500
const MAX_YIELD_INTERVAL_MS = 100
const MAX_PROBLEMS = 1000
const LINES_PER_YIELD = 20
/** PostgreSQL ends a transaction that is idle for a few seconds, such as one that only rejects lines. */
const MAX_LINES_WITHOUT_STATEMENT = 100
const MAX_SHOWN_LENGTH = 100
const MAX_TEXT_LENGTH = 65_536
const MAX_VALUE_LENGTH = 1000
const MAX_REFERENCE_LENGTH = 128

type Problem = { reason: ProblemReason; message: string }

/** The recipients of a JSON body as lines, numbered from 1. */
export function* toLines(recipients: RecipientInput[]): Generator<CsvLine> {
  for (const [index, { to, variables = {}, clientReference = null }] of recipients.entries()) {
    yield { line: index + 1, to, variables, clientReference }
  }
}

/**
 * Adds recipients in chunks to a campaign whose row the caller has locked. Returns the report, which names the problem
 * of each rejected line, and the last position.
 */
export async function importRecipients(
  tx: Db,
  scope: Scope,
  campaign: { id: string; message: Template; lastPosition: number },
  /** Completes national numbers. */
  complete: (text: string) => string,
  lines: Iterable<CsvLine> | AsyncIterable<CsvLine>,
): Promise<{ report: RecipientImport; lastPosition: number }> {
  const report: RecipientImport = { lines: 0, added: 0, duplicates: 0, invalid: 0, problems: [] }
  const { message } = campaign
  const needed = variablesOf(message)
  // Once rendered, such a text can only be empty or too long.
  const isPlain =
    message.type === 'text' &&
    'text' in message &&
    variablesOf({ ...message, text: '' }).length === 0
  let { lastPosition } = campaign
  let chunk: { line: CsvLine; fresh: FreshRecipient }[] = []
  let linesWithoutStatement = 0

  function addProblem({ line, to }: CsvLine, { reason, message }: Problem): void {
    if (reason === 'duplicate') report.duplicates++
    else report.invalid++
    if (report.problems.length < MAX_PROBLEMS)
      report.problems.push({ line, to: truncate(to, MAX_SHOWN_LENGTH), reason, message })
  }

  /** Inserts a chunk, then pauses for as long as that took, so that other statements can run. */
  async function flush(): Promise<void> {
    const from = performance.now()
    const people = new Map<string, FreshRecipient>()
    const twice: CsvLine[] = []
    for (const { line, fresh } of chunk) {
      if (people.has(fresh.person)) twice.push(line)
      else people.set(fresh.person, fresh)
    }
    const added = await insertRecipients(tx, scope, campaign.id, [...people.values()])
    report.added += added.size
    const known = chunk.filter(
      ({ fresh }) => people.get(fresh.person) === fresh && !added.has(fresh.position),
    )
    const duplicates = [...twice, ...known.map(({ line }) => line)].sort((a, b) => a.line - b.line)
    const problem = { reason: 'duplicate' as const, message: say.campaigns.duplicate }
    for (const line of duplicates) addProblem(line, problem)
    chunk = []
    linesWithoutStatement = 0
    await yieldCpu(Math.min(MAX_YIELD_INTERVAL_MS, performance.now() - from))
  }

  for await (const line of lines) {
    // A long list must not block the event loop.
    if (report.lines % LINES_PER_YIELD === 0) await setImmediate()
    report.lines++
    const validated = validateRecipient(
      { ...line, to: complete(line.to.trim()) },
      { message, needed, isPlain },
    )
    if ('reason' in validated) addProblem(line, validated)
    else chunk.push({ line, fresh: { ...validated, position: ++lastPosition } })
    if (chunk.length === CHUNK_SIZE) await flush()
    else if (++linesWithoutStatement >= MAX_LINES_WITHOUT_STATEMENT) {
      await tx.system`select 1`
      linesWithoutStatement = 0
    }
  }
  if (chunk.length > 0) await flush()
  if (report.added > 0) await countAdded(tx, campaign.id, report.added)
  report.problems.sort((a, b) => a.line - b.line)
  return { report, lastPosition }
}

function validateRecipient(
  { to, variables, clientReference }: CsvLine,
  { message, needed, isPlain }: { message: Template; needed: string[]; isPlain: boolean },
): Omit<FreshRecipient, 'position'> | Problem {
  const recipient = parseRecipient(to)
  if (!recipient) return { reason: 'invalid_number', message: say.campaigns.invalidNumber }
  const missing = needed.find((name) => !Object.hasOwn(variables, name))
  if (missing !== undefined) {
    return { reason: 'missing_variable', message: say.campaigns.missingVariable(missing) }
  }
  const kept = Object.fromEntries(needed.map((name) => [name, variables[name] ?? '']))
  const wrong = findProblem(kept, clientReference, { message, isPlain })
  if (wrong !== null) return { reason: 'invalid', message: wrong }
  return {
    typed: to,
    chatId: recipient.chatId,
    person: contactKeyOf(recipient),
    variables: kept,
    clientReference,
  }
}

/** Returns what is wrong with the variables, the reference or the rendered message, or null. */
function findProblem(
  variables: Record<string, string>,
  clientReference: string | null,
  { message, isPlain }: { message: Template; isPlain: boolean },
): string | null {
  for (const [name, value] of Object.entries(variables)) {
    if (value.length > MAX_VALUE_LENGTH) return say.http.tooLong(name, MAX_VALUE_LENGTH)
    if (value.includes('\0') || !value.isWellFormed()) return say.http.badText(name)
  }
  if (clientReference !== null) {
    if (clientReference.length > MAX_REFERENCE_LENGTH) {
      return say.http.tooLong('clientReference', MAX_REFERENCE_LENGTH)
    }
    if (clientReference.includes('\0')) return say.http.badText('clientReference')
  }
  if (Object.keys(variables).length === 0) return null
  if (isPlain && 'text' in message && typeof message.text === 'string') {
    const filled = fillTemplate(message.text, variables)
    if (filled.trim() !== '' && filled.length <= MAX_TEXT_LENGTH) return null
  }
  try {
    readMessage(message, variables)
    return null
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  ConnectionError,
  createApiError,
  UnexpectedResponseError,
  type Error as ErrorEnvelope,
} from '../../sdk/src/index.ts'
import { call, FaultyResponse, isUnsent } from './call.ts'
import { CommandError, EXIT, print } from './output.ts'
import { say } from './phrases.ts'
import type { Session } from './session.ts'

/** A call of a file of fixtures; `save` names its response for later steps. */
type Step = { call: string; body?: unknown; save?: string }

/** The id of a run, a part of its idempotency keys. */
const RUN = /^[\w-]{1,200}$/
const STEP = /^(GET|POST|PUT|PATCH|DELETE) \/v1\/\S*$/

const isStep = (step: unknown): step is Step =>
  typeof step === 'object' &&
  step !== null &&
  'call' in step &&
  typeof step.call === 'string' &&
  STEP.test(step.call)

function readSteps(file: string): Step[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new CommandError(say.badFixtures(say.noFile(file, code)), EXIT.usage)
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new CommandError(say.badFixtures(why), EXIT.usage)
  }
  const steps: unknown[] = Array.isArray(parsed) ? parsed : []
  if (steps.length > 0 && steps.every(isStep)) return steps
  const wrong = steps.findIndex((step) => !isStep(step))
  const why = steps.length === 0 ? say.noSteps : say.badStep(wrong + 1)
  throw new CommandError(say.badFixtures(why), EXIT.usage)
}

/** Replaces `${name.field}` in a string by what an earlier step saved. */
function fill(text: string, saved: Map<string, unknown>): string {
  return text.replace(/\$\{([\w.]+)\}/g, (_, path: string) => {
    const [name = '', ...fields] = path.split('.')
    const value = fields.reduce<unknown>(
      (object, field) => (object as Record<string, unknown> | undefined)?.[field],
      saved.get(name),
    )
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new CommandError(say.badFixtures(say.unknownName(path)), EXIT.usage)
    return String(value)
  })
}

function fillAll(value: unknown, saved: Map<string, unknown>): unknown {
  if (typeof value === 'string') return fill(value, saved)
  if (Array.isArray(value)) return value.map((item) => fillAll(item, saved))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, saved)]))
}

/** Whether a failed step may have been done: its response was lost, or another program responded with a fault. */
const isLost = (error: unknown): boolean =>
  (error instanceof ConnectionError && !isUnsent(error)) || error instanceof FaultyResponse

/**
 * `recado fixtures run`: makes the calls of a file in order, and stops at the first that fails. Each step of a run has an
 * idempotency key: if a response is lost, the run can be continued by its id, and no step that takes a key is done twice.
 */
export async function runFixtures(
  session: Session,
  file: string,
  continued: string | undefined,
): Promise<void> {
  if (continued !== undefined && !RUN.test(continued))
    throw new CommandError(say.badRun, EXIT.usage)
  const run = continued ?? randomUUID()
  const saved = new Map<string, unknown>()
  for (const [index, step] of readSteps(file).entries()) {
    const [method = '', path = ''] = fill(step.call, saved).split(' ')
    const filled = fillAll(step.body, saved)
    const key = { 'idempotency-key': `${run}-${index + 1}` }
    const { status, body, headers } = await call(session, method, path, filled, key).catch(
      (error: unknown) => {
        if (method === 'GET' || !isLost(error)) throw error
        throw new CommandError(say.stepUnknown(step.call, session.url, run), EXIT.server)
      },
    )
    print(session.globals.json, say.fixtureStep(`${method} ${path}`, status), {
      method,
      path,
      status,
      body,
    })
    if (status >= 500 && method !== 'GET')
      throw new CommandError(say.stepUnknown(step.call, session.url, run), EXIT.server)
    // What an earlier attempt of this run has deleted is gone.
    const isDone = continued !== undefined && method === 'DELETE' && status === 404
    if (status >= 400 && !isDone) {
      const { error } = (body ?? {}) as Partial<ErrorEnvelope>
      if (!error) throw new UnexpectedResponseError(session.url)
      throw createApiError(status, error, headers)
    }
    if (step.save) saved.set(step.save, body)
  }
}

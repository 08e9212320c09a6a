import { readFileSync } from 'node:fs'
import { call } from './call.ts'
import { CommandError, EXIT, print } from './output.ts'
import { say } from './phrases.ts'
import type { Session } from './session.ts'

/** A call of a file of fixtures; `save` names its response for later steps. */
type Step = { call: string; body?: unknown; save?: string }

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

/** `recado fixtures run`: makes the calls of a file in order, and stops at the first that fails. */
export async function runFixtures(session: Session, file: string): Promise<void> {
  const saved = new Map<string, unknown>()
  for (const step of readSteps(file)) {
    const [method = '', path = ''] = fill(step.call, saved).split(' ')
    const { status, body } = await call(session, method, path, fillAll(step.body, saved))
    print(session.globals.json, say.fixtureStep(`${method} ${path}`, status), {
      method,
      path,
      status,
      body,
    })
    if (status >= 400) {
      const { error } = (body ?? {}) as { error?: { message?: string } }
      const code = status === 401 || status === 403 ? EXIT.key : EXIT.failed
      throw new CommandError(error?.message ?? `HTTP ${status}`, code)
    }
    if (step.save) saved.set(step.save, body)
  }
}

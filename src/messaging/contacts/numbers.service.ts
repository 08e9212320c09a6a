import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { Activity } from '../../kernel/activity.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { parsePhone } from '../../kernel/recipient.ts'
import type { LookedUp } from '../../networks/network.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import { findChecked, saveChecked } from './contacts.sql.ts'

const HIT_MS = 30 * 24 * 3600_000
const MISS_MS = 3600_000
/** Maximum time a send waits for the lookup of its number; the number is looked up again before the message is sent. */
const SEND_WAITS_MS = 3000
/** How long the number as entered is used before a failed lookup or a miss is repeated. */
const UNASKED_MS = 10_000
/** Maximum entries of the in-process cache; it is cleared when full. */
const REMEMBERED = 50_000

type Place = { projectId: string; mode: Mode; instanceId: string }
/** A number as the network writes it, with its LID if known. */
export type KnownNumber = { phone: string; lid: string | null }
type Asked = Place & { phone: string }

/** Resolves and checks phone numbers against the network of an instance. */
export type NumbersService = ReturnType<typeof createNumbersService>

/**
 * Creates the service that resolves numbers to the form their network uses. It asks the network and applies no rules:
 * in Brazil, some mobile numbers have a ninth digit on WhatsApp and others do not. Hits are stored for 30 days, misses
 * for an hour.
 */
export function createNumbersService(deps: {
  db: Db
  clock: Clock
  activity: Activity
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run' | 'here'>
  projects: Pick<ProjectsService, 'numberCompleter'>
  onError: (error: unknown) => void
}) {
  const { db, clock, activity, instances, commander, projects, onError } = deps
  /** In-process cache by Project, mode and number. `asked` is false if no session of this node answered in time. */
  const known = new Map<string, { number: KnownNumber; until: number; asked: boolean }>()
  const keyOf = (place: Omit<Place, 'instanceId'>, phone: string) =>
    `${place.projectId}/${place.mode}/${phone}`

  const kept = (keys: { projectId: string; mode: Mode; input: string }[]) => {
    const now = clock.now()
    return findChecked(db, keys, { hit: new Date(now - HIT_MS), miss: new Date(now - MISS_MS) })
  }

  async function keep(place: Omit<Place, 'instanceId'>, found: LookedUp[]): Promise<void> {
    const { projectId, mode } = place
    // The network's form of a number resolves to itself, so store it under both.
    const lasting = found.filter(({ passing }) => !passing)
    const rows = lasting.flatMap(({ input, phone, lid }) => [
      { projectId, mode, input, phone, lid },
      ...(phone && phone !== input ? [{ projectId, mode, input: phone, phone, lid }] : []),
    ])
    if (rows.length > 0) await saveChecked(db, rows, new Date(clock.now()))
  }

  function remember(key: string, number: KnownNumber, ms: number, asked = true): KnownNumber {
    if (known.size >= REMEMBERED) known.clear()
    known.set(key, { number, until: clock.now() + ms, asked })
    return number
  }

  /** Asks the sessions on this node only; for other instances the lookup happens before the message is sent. */
  async function askHere(asked: Asked[]): Promise<Map<string, LookedUp>> {
    const answers = new Map<string, LookedUp>()
    const byInstance = Map.groupBy(asked, (one) => `${keyOf(one, '')}${one.instanceId}`)
    await Promise.all(
      [...byInstance.values()].map(async (group) => {
        const [first] = group
        const session = first && commander.here(first.instanceId, first)
        if (!session) return
        const phones = [...new Set(group.map(({ phone }) => phone))]
        const nothing = delay(clock, SEND_WAITS_MS).then((): LookedUp[] => [])
        const found = await Promise.race([session.lookUp({ phones }), nothing]).catch((error) => {
          onError(error)
          return []
        })
        await keep(first, found)
        for (const answer of found) answers.set(keyOf(first, answer.input), answer)
      }),
    )
    return answers
  }

  async function resolveAll(asked: Asked[]): Promise<KnownNumber[]> {
    const rows = await kept(
      asked.map(({ projectId, mode, phone }) => ({ projectId, mode, input: phone })),
    )
    const found = new Map(rows.map((row) => [`${row.projectId}/${row.mode}/${row.input}`, row]))
    const missing = asked.filter((one) => !found.has(keyOf(one, one.phone)))
    const answers = missing.length > 0 ? await askHere(missing) : new Map<string, LookedUp>()
    return asked.map((one) => {
      const key = keyOf(one, one.phone)
      const answer = found.get(key) ?? answers.get(key)
      const typed = { phone: one.phone, lid: null }
      if (!answer) return remember(key, typed, UNASKED_MS, false)
      const { phone, lid } = answer
      const lasts = phone !== null && !('passing' in answer)
      return remember(key, phone ? { phone, lid } : typed, lasts ? HIT_MS : UNASKED_MS)
    })
  }

  const batcher = createBatcher<Asked, KnownNumber>({
    flush: resolveAll,
    maxItems: 200,
    maxInFlight: 4,
    activity,
  })

  return {
    /**
     * Returns the number as the network writes it, or as entered if that is unknown. `insist` repeats a lookup that
     * failed recently instead of using the cached fallback.
     */
    async resolve(place: Place, phone: string, insist = false): Promise<KnownNumber> {
      const remembered = known.get(keyOf(place, phone))
      const fresh = remembered && remembered.until > clock.now()
      if (fresh && (remembered.asked || !insist)) return remembered.number
      return batcher.add({ ...place, phone })
    },

    /**
     * Returns which numbers are on the network. Throws 400 for an invalid number and 409 if a lookup needs a
     * connection.
     */
    async check(db: Db, scope: Scope, instanceId: string, inputs: string[]): Promise<LookedUp[]> {
      const complete = await projects.numberCompleter(db, scope.projectId)
      const phones = inputs.map((input) => {
        const phone = parsePhone(complete(input))
        if (!phone)
          throw fail('bad_request', (say) => say.contacts.phoneInvalid(input.slice(0, 40)))
        return phone
      })
      await instances.show(db, scope, instanceId)
      const { projectId, mode } = scope
      const rows = await kept(phones.map((input) => ({ projectId, mode, input })))
      const found = new Map(rows.map(({ input, phone, lid }) => [input, { phone, lid }]))
      const missing = [...new Set(phones)].filter((phone) => !found.has(phone))
      if (missing.length > 0) {
        const answers = await commander.run(instanceId, 'lookUp', { phones: missing })
        await keep(scope, answers)
        for (const { input, phone, lid } of answers) found.set(input, { phone, lid })
      }
      return inputs.map((input, index) => {
        const { phone = null, lid = null } = found.get(phones[index] ?? '') ?? {}
        return { input, exists: phone !== null, phone, lid }
      })
    },
  }
}

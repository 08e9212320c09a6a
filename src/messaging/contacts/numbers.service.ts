import type { Db, Scope } from '../../platform/db/sql.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { createBatcher, type Batcher } from '../../kernel/batcher.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { NetworkRejection } from '../../networks/network.port.ts'
import type { NumberLookup } from '../../networks/number-lookup.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import { deleteNumberChecks, findFreshNumberChecks, saveNumberChecks } from './contacts.sql.ts'

const HIT_TTL_MS = 30 * 24 * 3600_000
const MISS_TTL_MS = 3600_000
/** Maximum time a send waits for the lookup of its number; the number is looked up again before the message is sent. */
const SEND_LOOKUP_TIMEOUT_MS = 3000
/** How long the number as entered is used after a failed lookup or a miss, before the next lookup. */
const UNRESOLVED_TTL_MS = 10_000
/** Maximum entries of the in-process cache; it is cleared when full. */
const MAX_CACHED_NUMBERS = 50_000

type NumberOwner = Pick<Scope, 'projectId' | 'mode'>
type NumberScope = Scope & { instanceId: string }
/** A number as the network writes it, with its LID if known. */
export type ResolvedNumber = { phone: string; lid: string | null }
type LookupRequest = NumberScope & { phone: string }
type StoredNumber = Awaited<ReturnType<typeof findFreshNumberChecks>>[number]

/** Resolves and checks phone numbers against the network of an instance. */
export type NumbersService = ReturnType<typeof createNumbersService>

/**
 * Creates the service that resolves numbers to the form their network uses. It asks the network and applies no
 * rules, because in Brazil only some numbers have the ninth digit on WhatsApp. Hits are stored for 30 days, misses
 * for an hour.
 */
export function createNumbersService(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run' | 'localSession'>
  projects: Pick<ProjectsService, 'numberCompleter'>
  onError: (error: unknown, task?: string) => void
}) {
  const { db, clock, activity, instances, commander, projects, onError } = deps
  /** In-process cache by Project, mode and number. `confirmed` is false if the lookup failed. */
  const cache = new Map<string, { number: ResolvedNumber; until: number; confirmed: boolean }>()
  const keyOf = (place: NumberOwner, phone: string) => `${place.projectId}/${place.mode}/${phone}`

  const loadStored = (keys: (NumberOwner & { input: string })[]) => {
    const now = clock.now()
    return findFreshNumberChecks(db, keys, {
      hit: new Date(now - HIT_TTL_MS),
      miss: new Date(now - MISS_TTL_MS),
    })
  }

  async function storeLookups(place: NumberOwner, found: NumberLookup[]): Promise<void> {
    const { projectId, mode } = place
    // The network's form of a number resolves to itself, so store it under both.
    const lasting = found.filter(({ transient }) => !transient)
    const rows = lasting.flatMap(({ input, phone, lid }) => [
      { projectId, mode, input, phone, lid },
      ...(phone && phone !== input ? [{ projectId, mode, input: phone, phone, lid }] : []),
    ])
    if (rows.length > 0) await saveNumberChecks(db, rows, new Date(clock.now()))
  }

  function cacheNumber(
    key: string,
    number: ResolvedNumber,
    ms: number,
    confirmed = true,
  ): ResolvedNumber {
    if (cache.size >= MAX_CACHED_NUMBERS) cache.clear()
    cache.set(key, { number, until: clock.now() + ms, confirmed: confirmed })
    return number
  }

  /** Queries the instance's session if it is on this node; otherwise the lookup happens before sending. */
  async function lookUpLocally(requests: LookupRequest[]): Promise<(NumberLookup | null)[]> {
    const [first] = requests
    const session = first && commander.localSession(first.instanceId, first)
    if (!session) return requests.map(() => null)
    const phones = [...new Set(requests.map(({ phone }) => phone))]
    const nothing = delay(clock, SEND_LOOKUP_TIMEOUT_MS).then((): NumberLookup[] => [])
    const found = await Promise.race([session.lookUp({ phones }), nothing]).catch((error) => {
      // A network without lookups reports the number's form when a message is sent.
      if (!(error instanceof NetworkRejection))
        onError(error, `looking up numbers for instance ${first.instanceId}`)
      return []
    })
    await storeLookups(first, found)
    const byInput = new Map(found.map((answer) => [answer.input, answer]))
    return requests.map(({ phone }) => byInput.get(phone) ?? null)
  }

  /** Reads stored number checks, in batches across instances. */
  const stored = createBatcher<LookupRequest, StoredNumber | null>({
    async flush(requests) {
      const rows = await loadStored(
        requests.map(({ projectId, mode, phone }) => ({ projectId, mode, input: phone })),
      )
      const found = new Map(rows.map((row) => [`${row.projectId}/${row.mode}/${row.input}`, row]))
      return requests.map((one) => found.get(keyOf(one, one.phone)) ?? null)
    },
    maxItems: 200,
    maxInFlight: 4,
    activity,
  })

  /** Whether the caller may use the instance. Checked here because the lookup precedes the send's own check. */
  const mayLookUp = ({ instanceId, ...scope }: LookupRequest): Promise<boolean> =>
    instances.get(db, scope, instanceId).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Failure) return false
        throw error
      },
    )

  /**
   * Pending lookups by instance and requesting Project, so that an unresponsive
   * network delays only its own lookups, and no Project uses another's session.
   */
  const lookups = new Map<
    string,
    { batcher: Batcher<LookupRequest, NumberLookup | null>; users: number }
  >()
  async function lookUp(request: LookupRequest): Promise<NumberLookup | null> {
    const key = `${request.projectId}/${request.mode}/${request.instanceId}`
    const own = lookups.get(key) ?? {
      batcher: createBatcher({ flush: lookUpLocally, maxItems: 200, maxInFlight: 4, activity }),
      users: 0,
    }
    lookups.set(key, own)
    own.users++
    try {
      return await own.batcher.add(request)
    } finally {
      if (--own.users === 0) lookups.delete(key)
    }
  }

  async function resolveNow(request: LookupRequest): Promise<ResolvedNumber> {
    const key = keyOf(request, request.phone)
    const typed = { phone: request.phone, lid: null }
    const found = await stored.add(request)
    if (!found && !(await mayLookUp(request))) return typed
    const answer = found ?? (await lookUp(request))
    if (!answer) return cacheNumber(key, typed, UNRESOLVED_TTL_MS, false)
    const { phone, lid } = answer
    const lasts = phone !== null && !('transient' in answer)
    return cacheNumber(key, phone ? { phone, lid } : typed, lasts ? HIT_TTL_MS : UNRESOLVED_TTL_MS)
  }

  return {
    /**
     * Returns the number as the network writes it, or as entered if that is unknown. `retryFailed` repeats a lookup that
     * failed recently instead of using the cached fallback.
     */
    async resolve(place: NumberScope, phone: string, retryFailed = false): Promise<ResolvedNumber> {
      const remembered = cache.get(keyOf(place, phone))
      const fresh = remembered && remembered.until > clock.now()
      if (fresh && (remembered.confirmed || !retryFailed)) return remembered.number
      return resolveNow({ ...place, phone })
    },

    /** Stores the form in which the network has reported a number. */
    async learn(
      tx: Db,
      { projectId, mode }: NumberOwner,
      input: string,
      phone: string,
    ): Promise<void> {
      const rows = [input, phone].map((one) => ({ projectId, mode, input: one, phone, lid: null }))
      await saveNumberChecks(tx, rows, new Date(clock.now()))
      tx.afterCommit(() => void cache.delete(keyOf({ projectId, mode }, input)))
    },

    /**
     * Returns which numbers are on the network. Throws 400 for an invalid number, naming `field`, and 409 if a lookup needs a
     * connection.
     */
    async check(
      db: Db,
      scope: Scope,
      instanceId: string,
      inputs: string[],
      field = 'phones',
    ): Promise<NumberLookup[]> {
      const complete = await projects.numberCompleter(db, scope.projectId)
      const phones = inputs.map((input) => {
        const phone = parsePhone(complete(input))
        if (!phone)
          throw fail('bad_request', (say) => say.contacts.phoneInvalid(field, input.slice(0, 40)), {
            field,
          })
        return phone
      })
      await instances.get(db, scope, instanceId)
      const { projectId, mode } = scope
      const rows = await loadStored(phones.map((input) => ({ projectId, mode, input })))
      const found = new Map(rows.map(({ input, phone, lid }) => [input, { phone, lid }]))
      const missing = [...new Set(phones)].filter((phone) => !found.has(phone))
      if (missing.length > 0) {
        const answers = await commander.run(instanceId, 'lookUp', { phones: missing })
        await storeLookups(scope, answers)
        for (const { input, phone, lid } of answers) found.set(input, { phone, lid })
      }
      return inputs.map((input, index) => {
        const { phone = null, lid = null } = found.get(phones[index] ?? '') ?? {}
        return { input, exists: phone !== null, phone, lid }
      })
    },

    /** Deletes checks that are no longer valid: they name people who may have nothing to do with the company. */
    sweep: (db: Db): Promise<void> => deleteNumberChecks(db, new Date(clock.now() - HIT_TTL_MS)),
  }
}

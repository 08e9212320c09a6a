import type { Db, Scope } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { isVariableName } from '../kernel/fill-template.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { InstancesService } from '../instances/instances.service.ts'
import type { LabelsService } from '../messaging/labels/labels.service.ts'
import { countAudience, readAudience, type AudienceRow } from './audience.sql.ts'
import type { Audience, AudienceInput } from './audience.schemas.ts'
import type { CsvLine } from './read-csv.ts'
import { MAX_LINES } from './recipients.schemas.ts'

const PAGE = 500
const SHOWN = 3
const MAX_FIELDS = 1000
const NAME = 'nome'
const PHONE = 'telefone'

/** Turns contacts and labels into recipients; see `createAudiencesService`. */
export type AudiencesService = ReturnType<typeof createAudiencesService>

/** Creates the service that turns the contacts of an instance into recipients of a campaign (G42). */
export function createAudiencesService(deps: {
  clock: Clock
  instances: Pick<InstancesService, 'get'>
  labels: Pick<LabelsService, 'requireLabel'>
}) {
  const { clock, instances, labels } = deps
  const now = () => new Date(clock.now())

  /** Throws 404 for an instance or a label that the scope does not have. */
  async function find(db: Db, scope: Scope, { instanceId, labelId }: AudienceInput) {
    await instances.get(db, scope, instanceId)
    if (labelId !== undefined) await labels.requireLabel(db, scope, instanceId, labelId)
    return { instanceId, labelId: labelId ?? null }
  }

  return {
    /** Returns how many people an audience has, the variables that a message may use, and the first people. */
    async show(db: Db, scope: Scope, input: AudienceInput): Promise<Audience> {
      const of = await find(db, scope, input)
      const { total, fields } = await countAudience(db, scope, of, {
        maxFields: MAX_FIELDS,
        now: now(),
      })
      const first = await readAudience(db, scope, of, { after: null, limit: SHOWN, now: now() })
      return {
        total,
        variables: [...new Set([NAME, PHONE, ...fields.filter(isVariableName)])],
        first: first.map((row) => ({ to: addressOf(row), variables: variablesOf(row) })),
      }
    },

    /** Reads the people of an audience as the lines of a list. Throws 404, and 413 for too many. */
    async *lines(db: Db, scope: Scope, input: AudienceInput): AsyncGenerator<CsvLine> {
      const of = await find(db, scope, input)
      let line = 0
      for (let after: string | null = null; ;) {
        const rows: AudienceRow[] = await readAudience(db, scope, of, {
          after,
          limit: PAGE,
          now: now(),
        })
        for (const row of rows) {
          if (++line > MAX_LINES) {
            const most = MAX_LINES.toLocaleString('pt-BR')
            throw fail('payload_too_large', (say) => say.campaigns.audienceTooLarge(most))
          }
          yield { line, to: addressOf(row), variables: variablesOf(row), clientReference: null }
        }
        const last = rows.at(-1)
        if (!last || rows.length < PAGE) return
        after = last.id
      }
    },
  }
}

/** The address as a recipient; the plus sign keeps it from being completed like a national number. */
const addressOf = ({ phone, lid }: AudienceRow): string => (phone ? `+${phone}` : (lid ?? ''))

/** The team's fields, name and phone. A person without a name lacks that variable, so that no message greets them without one. */
const variablesOf = ({ phone, name, fields }: AudienceRow): Record<string, string> => ({
  ...fields,
  ...(name ? { [NAME]: name } : {}),
  ...(phone ? { [PHONE]: phone } : {}),
})

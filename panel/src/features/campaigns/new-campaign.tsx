import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useReducer, useRef, useState, type FormEvent } from 'react'
import { ApiError, callApi } from '../../data/api.ts'
import type { Campaign, Instance } from '../../data/api-types.ts'
import { useInstances } from '../../data/queries.ts'
import { t } from '../../phrases/phrases.ts'
import { Page, usePanel } from '../../shell/page.tsx'
import { Area, Check, Choice, Empty, Field } from '../../ui/controls.tsx'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionForm } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { useOnward } from '../../ui/use-onward.ts'
import { canWrite } from '../messages/send-lock.tsx'
import {
  buildBodyWithUpload,
  formDataOf,
  KindFields,
  KINDS,
  type Kind,
} from '../messages/compose.tsx'
import { DAYS, Pace, paceNameOf, type PaceName } from './campaign-pace.tsx'
import { AudienceFields, recipientsOf } from './audience-fields.tsx'
import { keepListReport } from './list-report.ts'
import type { Audience } from './read-audience.ts'
import { readPlan, draftOf, type Plan, type NewCampaignBody } from './read-campaign-form.ts'
import { Preview } from './campaign-preview.tsx'

/** A reaction refers to one message, so it cannot be sent to a list. */
const SENT_KINDS = KINDS.filter((kind) => kind !== 'reaction')

/**
 * A campaign in four steps on one page: recipients, message, pace, and a preview of what arrives. Creates one, or changes
 * the draft that the address names.
 */
export function NewCampaign() {
  const { mode, modo } = usePanel()
  const { rascunho: id } = useFilters<'rascunho'>().values
  const instances = useInstances()
  const draft = useQuery({
    queryKey: [mode, 'campaigns', id, 'draft'],
    queryFn: () =>
      id === undefined ? null : callApi(mode, 'GET /v1/campaigns/{id}', { params: [id] }),
    // The fields keep what is typed.
    staleTime: Infinity,
    gcTime: 0,
  })
  // Once begun, the form stays: a number that loses its connection keeps what was typed.
  const [isBegun, begin] = useReducer(() => true, false)
  return (
    <Page title={id ? t.newCampaign.edit : t.campaigns.create} text={t.campaigns.limits}>
      <Load query={instances}>
        {({ items }) =>
          isBegun || items.some(canWrite) ? (
            <Load query={draft}>
              {(known) =>
                known && known.status !== 'DRAFT' ? (
                  <Empty text={t.newCampaign.noDraft} />
                ) : (
                  <Steps instances={items} initial={known} onBegin={begin} />
                )
              }
            </Load>
          ) : (
            <Empty text={t.newCampaign.noneConnected}>
              <Link className="button" to="/$modo/instancias" params={{ modo }}>
                {t.nav.instances}
              </Link>
            </Empty>
          )
        }
      </Load>
    </Page>
  )
}

/** Whether the message of a draft stays as it is: a list depends on its variables, and a file cannot be shown again. */
const keepsMessage = ({ counts, message }: Campaign): boolean =>
  counts.total > 0 || message['type'] !== 'text'

function Steps(props: { instances: Instance[]; initial: Campaign | null; onBegin: () => void }) {
  const { instances, initial, onBegin } = props
  useEffect(onBegin, [onBegin])
  const { mode, modo } = usePanel()
  const isKept = initial !== null && keepsMessage(initial)
  const known = initial?.message['text'] ?? initial?.message['caption']
  const firstText = initial ? (typeof known === 'string' ? known : '') : t.campaigns.suggested
  const client = useQueryClient()
  const goOn = useOnward()
  const [kind, setKind] = useState<Kind>(
    () => SENT_KINDS.find((one) => one === initial?.message['type']) ?? 'text',
  )
  const [pace, setPace] = useState<PaceName>(initial ? paceNameOf(initial.pacing) : 'careful')
  const [scheduledAt, setScheduledAt] = useState(initial?.scheduledAt ?? '')
  const [audience, setAudience] = useState<Audience | null>(null)
  const [text, setText] = useState(firstText)
  const [plan, setPlan] = useState<Plan | null>(null)

  // The draft whose list could not be uploaded: a second try changes it and creates no other.
  const draft = useRef<string | null>(initial?.id ?? null)

  async function store(body: NewCampaignBody): Promise<string> {
    const known = draft.current
    if (known === null) {
      const { id } = await callApi(mode, 'POST /v1/campaigns', { body })
      draft.current = id
      return id
    }
    const { name, instanceIds, message, pacing, scheduledAt } = body
    try {
      await callApi(mode, 'PATCH /v1/campaigns/{id}', {
        params: [known],
        body: {
          name,
          instanceIds,
          ...(isKept ? {} : { message }),
          ...(pacing ? { pacing } : {}),
          scheduledAt: scheduledAt ?? 'none',
        },
      })
    } catch (error) {
      // It is no longer a draft: the next try creates another.
      if (initial === null && error instanceof ApiError && [404, 409].includes(error.status))
        draft.current = null
      throw error
    }
    return known
  }

  async function create(form: FormData) {
    const message = isKept
      ? initial.message
      : {
          // What the form does not show, such as whether links have a preview.
          ...(kind === initial?.message['type'] ? initial.message : {}),
          type: kind,
          ...(await buildBodyWithUpload(mode, kind, form)),
        }
    const timeZone = initial?.pacing?.window?.timeZone
    if (DAYS.every((day) => form.get(`day${day}`) !== 'on')) throw new Error(t.newCampaign.someDay)
    const body = draftOf(form, { message, pace, scheduledAt, timeZone })
    const id = await store(body)
    const recipients = recipientsOf(form)
    if (recipients) {
      const report = await callApi(mode, 'POST /v1/campaigns/{id}/recipients', {
        params: [id],
        body: recipients,
      })
      keepListReport(mode, id, { ...report, ofFile: recipients instanceof Blob })
    }
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
    await goOn({ to: '/$modo/campanhas/$id', params: { modo, id } })
  }
  return (
    <div className="new-campaign">
      <div
        className="stack"
        onInput={(event: FormEvent<HTMLDivElement>) => {
          const form = formDataOf(event)
          const typed = form && (form.get('text') ?? form.get('caption') ?? form.get('question'))
          if (typeof typed === 'string') setText(typed)
          if (form) setPlan(readPlan(form))
        }}
      >
        <ActionForm isPage act={create} label={initial ? t.common.save : t.newCampaign.createDraft}>
          <Field
            label={t.common.name}
            name="name"
            hint={t.newCampaign.nameHint}
            defaultValue={initial?.name ?? ''}
            required
          />
          <Step number={1} title={t.newCampaign.audience}>
            <Instances instances={instances} chosen={initial?.instanceIds ?? null} />
            <AudienceFields instances={instances} audience={audience} onAudience={setAudience} />
          </Step>
          <Step number={2} title={t.newCampaign.message}>
            {isKept ? (
              <>
                <p className="message-text">{text || t.kinds[kind]}</p>
                <p className="quiet">{t.newCampaign.messageStays}</p>
              </>
            ) : (
              <Choice
                label={t.messages.kind}
                value={kind}
                onChange={(event) =>
                  setKind(SENT_KINDS.find((one) => one === event.target.value) ?? 'text')
                }
                options={SENT_KINDS.map((one) => [one, t.kinds[one]] as const)}
              />
            )}
            {isKept ? null : kind === 'text' ? (
              <Area
                label={t.messages.text}
                name="text"
                rows={5}
                hint={t.campaigns.variables}
                defaultValue={firstText}
                required
              />
            ) : (
              <KindFields kind={kind} />
            )}
          </Step>
          <Step number={3} title={t.newCampaign.pace}>
            <Pace pace={pace} onPace={setPace} initial={initial?.pacing ?? null} />
            <DateTimeField
              label={t.campaigns.scheduled}
              value={scheduledAt}
              onChange={setScheduledAt}
              hint={t.campaigns.scheduledHint}
            />
          </Step>
        </ActionForm>
      </div>
      <Preview
        text={text}
        kind={kind}
        audience={audience}
        plan={plan}
        scheduledAt={scheduledAt || null}
      />
    </div>
  )
}

function Step(props: { number: number; title: string; children: React.ReactNode }) {
  const { number, title, children } = props
  return (
    <section className="card" aria-labelledby={`passo-${number}`}>
      <h2 id={`passo-${number}`}>
        <span className="step-number" aria-hidden>
          {number}
        </span>{' '}
        {title}
      </h2>
      {children}
    </section>
  )
}

/** The instances to send with: those chosen before, or the first that is connected. */
function Instances({ instances, chosen }: { instances: Instance[]; chosen: string[] | null }) {
  const first = (instances.find(({ status }) => status === 'CONNECTED') ?? instances.find(canWrite))
    ?.id
  const isChosen = (id: string) => (chosen ? chosen.includes(id) : id === first)
  return (
    <fieldset className="bare">
      <legend>{t.newCampaign.from}</legend>
      {instances.map(({ id, name, status, phone }) => (
        <Check
          key={id}
          label={status === 'CONNECTED' ? name : `${name} (${t.states[status]})`}
          name="instance"
          value={id}
          disabled={!canWrite({ status, phone }) && !isChosen(id)}
          defaultChecked={isChosen(id)}
        />
      ))}
    </fieldset>
  )
}

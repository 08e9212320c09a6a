import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi, curlCommand } from '../../data/api.ts'
import type { Api, Campaign, Instance } from '../../data/api-types.ts'
import { KindFields, KINDS, buildBodyWithUpload, type Kind } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { useInstances, usePlan, useSubscribed } from '../../data/queries.ts'
import {
  Area,
  StatusBadge,
  CancelButton,
  Check,
  Choice,
  Empty,
  Field,
  type Tone,
} from '../../ui/controls.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'

const POLL_INTERVAL_MS = 5000
const TONES: Partial<Record<Campaign['status'], Tone>> = {
  RUNNING: 'ok',
  COMPLETED: 'ok',
  PAUSED: 'warn',
  CANCELED: 'bad',
}
/** A reaction refers to one message, so it cannot be sent to a list. */
const SENT_KINDS = KINDS.filter((kind) => kind !== 'reaction')
/** The UTC offset of São Paulo, constant since daylight saving time was abolished in 2019. */
const SAO_PAULO = '-03:00'
const DAYS = [1, 2, 3, 4, 5, 6, 7]

/** The status of a campaign as a bead. */
export function CampaignState({ status }: { status: Campaign['status'] }) {
  return <StatusBadge tone={TONES[status] ?? 'neutral'}>{t.campaigns[status]}</StatusBadge>
}

/** The list of campaigns. */
export const Campaigns = () => <List open={false} />
/** The list of campaigns with the form for a new one open. */
export const NewCampaign = () => <List open />

function List({ open }: { open: boolean }) {
  const { mode, modo } = usePanel()
  const [creating, setCreating] = useState(open)
  const plan = usePlan()
  const subscribed = useSubscribed()
  const query = usePages(
    [mode, 'campaigns'],
    (page) => callApi(mode, 'GET /v1/campaigns', { query: page }),
    { refetchInterval: POLL_INTERVAL_MS },
  )
  const included = mode === 'test' || !plan.data || plan.data.addons.includes('mass_sending')
  return (
    <Page
      title={t.campaigns.title}
      text={t.campaigns.text}
      act={
        <CreateButton
          label={t.campaigns.create}
          allowed={included && subscribed}
          upgradeText={subscribed ? t.campaigns.needsAddon : t.common.subscribe}
          onCreate={() => setCreating(true)}
        />
      }
    >
      <Load query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              text={t.campaigns.empty}
              curl={curlCommand(mode, 'POST', '/v1/campaigns', {
                name: t.campaigns.title,
                instanceIds: ['ins_…'],
                message: { type: 'text', text: t.campaigns.suggested },
              })}
            >
              <p className="quiet">{t.campaigns.limits}</p>
            </Empty>
          ) : (
            <>
              <Table
                caption={t.campaigns.title}
                rows={items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: t.common.name,
                    cell: ({ id, name }) => (
                      <Link to="/$modo/campanhas/$id" params={{ modo, id }}>
                        {name}
                      </Link>
                    ),
                  },
                  {
                    head: t.common.status,
                    cell: ({ status }) => <CampaignState status={status} />,
                  },
                  {
                    head: t.campaigns.progress,
                    cell: ({ counts }) =>
                      t.campaigns.of(counts.total - counts.pending, counts.total),
                  },
                  {
                    head: t.campaigns.scheduled,
                    cell: ({ scheduledAt }) =>
                      scheduledAt ? <Time at={scheduledAt} /> : t.common.none,
                  },
                  { head: t.common.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
                ]}
              />
              <MoreButton query={query} found={items.length} />
            </>
          )
        }
      </Load>
      {creating && <Creation onClose={() => setCreating(false)} />}
    </Page>
  )
}

type NewCampaign = NonNullable<Api['POST /v1/campaigns']['body']>

/** Builds a campaign from its form; `message` is the finished message body, its file uploaded. */
function draftOf(form: FormData, message: object): NewCampaign {
  const at = trimmedText(form, 'scheduledAt')
  const most = Number(trimmedText(form, 'most'))
  const weekdays = DAYS.filter((day) => form.get(`day${day}`) === 'on')
  return {
    name: trimmedText(form, 'name'),
    instanceIds: form.getAll('instance').map(String),
    message: message as NewCampaign['message'],
    ...(at ? { scheduledAt: new Date(`${at}:00${SAO_PAULO}`).toISOString() } : {}),
    pacing: {
      minDelayMs: Number(trimmedText(form, 'min')) * 1000,
      maxDelayMs: Number(trimmedText(form, 'max')) * 1000,
      ...(most > 0 ? { dailyLimitPerInstance: most } : {}),
      window: { from: trimmedText(form, 'from'), to: trimmedText(form, 'to'), weekdays },
    },
  }
}

const isConnected = ({ status }: Instance): boolean => status === 'CONNECTED'

function Creation({ onClose }: { onClose: () => void }) {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const navigate = useNavigate()
  const instances = useInstances()
  const [kind, setKind] = useState<Kind>('text')
  async function create(form: FormData) {
    const message = { type: kind, ...(await buildBodyWithUpload(mode, kind, form)) }
    const { id } = await callApi(mode, 'POST /v1/campaigns', { body: draftOf(form, message) })
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
    await navigate({ to: '/$modo/campanhas/$id', params: { modo, id } })
  }
  return (
    <Dialog title={t.campaigns.create} onClose={onClose}>
      <Load query={instances}>
        {({ items }) => (
          <ActionForm
            act={create}
            label={t.common.create}
            secondary={<CancelButton onClick={onClose} />}
          >
            <Field label={t.common.name} name="name" required />
            <fieldset>
              <legend>{t.campaigns.instances}</legend>
              {items.map(({ id, name, status }) => (
                <Check
                  key={id}
                  label={status === 'CONNECTED' ? name : `${name} (${t.states[status]})`}
                  name="instance"
                  value={id}
                  defaultChecked={id === items.find(isConnected)?.id}
                />
              ))}
              {items.length === 0 && <p>{t.conversations.noInstance}</p>}
            </fieldset>
            <Choice
              label={t.messages.kind}
              value={kind}
              onChange={(event) =>
                setKind(SENT_KINDS.find((one) => one === event.target.value) ?? 'text')
              }
              options={SENT_KINDS.map((one) => [one, t.kinds[one]] as const)}
            />
            {kind === 'text' ? (
              <Area
                label={t.messages.text}
                name="text"
                hint={t.campaigns.variables}
                defaultValue={t.campaigns.suggested}
                required
              />
            ) : (
              <KindFields kind={kind} />
            )}
            <Pace />
          </ActionForm>
        )}
      </Load>
    </Dialog>
  )
}

/** Fields for when a campaign starts, how fast it sends, and at what times. */
function Pace() {
  return (
    <>
      <Field
        label={t.campaigns.scheduled}
        name="scheduledAt"
        type="datetime-local"
        hint={t.campaigns.scheduledHint}
      />
      <div className="fields">
        <Field label={t.campaigns.min} name="min" type="number" min={0} defaultValue={8} required />
        <Field
          label={t.campaigns.max}
          name="max"
          type="number"
          min={0}
          defaultValue={25}
          required
        />
        <Field label={t.campaigns.most} name="most" type="number" min={1} />
        <Field label={t.campaigns.from} name="from" type="time" defaultValue="09:00" required />
        <Field label={t.campaigns.to} name="to" type="time" defaultValue="20:00" required />
      </div>
      <fieldset>
        <legend>{t.campaigns.days}</legend>
        <div className="row">
          {DAYS.map((day) => (
            <Check key={day} name={`day${day}`} label={dayName(day)} defaultChecked />
          ))}
        </div>
      </fieldset>
      <p className="quiet">{t.campaigns.window}</p>
    </>
  )
}

/** The short name of a weekday, where Monday is 1. */
function dayName(day: number): string {
  // 1 January 2024 was a Monday.
  return new Date(2024, 0, day).toLocaleDateString(document.documentElement.lang, {
    weekday: 'short',
  })
}

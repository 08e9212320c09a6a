import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { callApi, callPanel, curlCommand } from '../../data/api.ts'
import type { Instance, InstanceActivity } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { useInstances, useSubscribed } from '../../data/queries.ts'
import { StatusBadge, CancelButton, Choice, Empty, Field, type Tone } from '../../ui/controls.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFilters } from '../../ui/filters.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { canDevelop, Page, usePanel } from '../../shell/page.tsx'
import { formatPhone, searchTextOf } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useOnward } from '../../ui/use-onward.ts'
import { HistoryChoice, type HistorySync } from './history-choice.tsx'
import { NetworkChoice, type InstanceNetwork } from './network-choice.tsx'
import { PaceChoice, type Pace } from './pace-choice.tsx'

const POLL_INTERVAL_MS = 10_000
const TONES: Partial<Record<Instance['status'], Tone>> = {
  CONNECTED: 'ok',
  LOGGED_OUT: 'bad',
  BANNED: 'bad',
  PASSKEY_REQUIRED: 'bad',
  DISCONNECTED: 'warn',
}

/** Statuses from which a person has to start the connection. */
const NEEDS_SCAN = new Set<Instance['status']>(['CREATED', 'QR', 'LOGGED_OUT', 'STOPPED'])

/** The tone of an instance status. */
export const toneOf = (status: Instance['status']): Tone => TONES[status] ?? 'neutral'

/** The status of an instance as a bead. */
export function InstanceState({ status }: { status: Instance['status'] }) {
  return <StatusBadge tone={toneOf(status)}>{t.states[status]}</StatusBadge>
}

/** All instances with their recent activity, and the form for a new one. */
export function Instances() {
  const { mode, modo, me } = usePanel()
  const { values, set } = useFilters<'estado' | 'q' | 'nova'>()
  const navigate = useNavigate()
  const query = useInstances()
  const subscribed = useSubscribed()
  const creating = values.nova !== undefined && canDevelop(me) && subscribed
  const activity = useActivity()
  const wanted = ({ name, phone, status }: Instance) =>
    (!values.estado || status === values.estado) &&
    `${name} ${phone ?? ''}`.toLowerCase().includes(searchTextOf(values.q ?? '').toLowerCase())
  return (
    <Page
      title={t.instances.title}
      text={t.instances.text}
      act={
        canDevelop(me) && (
          <CreateButton
            label={t.instances.create}
            allowed={subscribed}
            upgradeText={t.instances.subscribe}
            onCreate={() => set({ nova: 'sim' })}
          />
        )
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              text={mode === 'test' ? t.instances.empty : t.instances.emptyLive}
              curl={curlCommand(mode, 'POST', '/v1/instances', { name: t.instances.suggested })}
            />
          ) : (
            <>
              {items.length > 1 && (
                <div className="filters">
                  <SearchField
                    label={t.instances.find}
                    value={values.q}
                    onSearch={(q) => set({ q }, { replace: true })}
                  />
                  <Choice
                    label={t.common.status}
                    value={values.estado ?? ''}
                    onChange={(event) => set({ estado: event.target.value })}
                    options={[
                      ['', t.common.all],
                      ...[...new Set(items.map(({ status }) => status))].map(
                        (status) => [status, t.states[status]] as const,
                      ),
                    ]}
                  />
                </div>
              )}
              {!items.some(wanted) && <Empty text={t.instances.noneFound} />}
              <Table
                caption={t.instances.title}
                rows={items.filter(wanted)}
                keyOf={({ id }) => id}
                onOpen={({ id }) =>
                  void navigate({ to: '/$modo/instancias/$id', params: { modo, id } })
                }
                columns={[
                  {
                    head: t.common.name,
                    sortBy: ({ name }) => name,
                    cell: ({ id, name }) => (
                      <Link to="/$modo/instancias/$id" params={{ modo, id }}>
                        {name}
                      </Link>
                    ),
                  },
                  {
                    head: t.instances.number,
                    width: 190,
                    cell: ({ phone }) => (phone ? formatPhone(phone) : t.common.none),
                  },
                  {
                    head: t.common.status,
                    width: 220,
                    sortBy: ({ status }) => status,
                    cell: ({ status }) => <InstanceState status={status} />,
                  },
                  {
                    head: t.instances.lastDay,
                    width: 140,
                    number: true,
                    sortBy: ({ id }) => activity.get(id)?.messages ?? 0,
                    cell: ({ id }) => counted(activity.get(id)),
                  },
                  {
                    head: t.instances.lastActivity,
                    width: 150,
                    sortBy: ({ id }) => activity.get(id)?.lastMessageAt ?? null,
                    cell: ({ id }) => <Time at={activity.get(id)?.lastMessageAt ?? null} />,
                  },
                  {
                    head: t.common.actions,
                    quiet: true,
                    width: 132,
                    cell: (instance) => <NeededAction instance={instance} />,
                  },
                ]}
              />
            </>
          )
        }
      </Load>
      {creating && <Creation onClose={() => set({ nova: undefined })} />}
    </Page>
  )
}

/** The one thing an instance needs now, if anything: a scan of its code, or a new connection. */
function NeededAction({ instance }: { instance: Instance }) {
  const { modo, me } = usePanel()
  const { id, status } = instance
  if (!canDevelop(me) || !NEEDS_SCAN.has(status)) return null
  return (
    <Link className="button" to="/$modo/instancias/$id/parear" params={{ modo, id }}>
      {status === 'STOPPED' ? t.instances.again : t.instances.pair}
    </Link>
  )
}

const counted = (one: InstanceActivity['items'][number] | undefined) =>
  one ? `${formatted(one.messages)}${one.more ? '+' : ''}` : t.common.none

/** The recent activity of each instance, by instance id. */
function useActivity(): Map<string, InstanceActivity['items'][number]> {
  const { mode } = usePanel()
  const { data } = useQuery({
    // Polled, not invalidated by events: it counts a whole day, and many messages may arrive per second.
    queryKey: [mode, 'activity'],
    refetchInterval: POLL_INTERVAL_MS,
    queryFn: () => callPanel('GET /panel/api/{mode}/instance-activity', { params: [mode] }),
  })
  return new Map((data?.items ?? []).map((one) => [one.instanceId, one]))
}

function Creation({ onClose }: { onClose: () => void }) {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const goOn = useOnward()
  async function create(form: FormData) {
    const { id } = await callApi(mode, 'POST /v1/instances', {
      body: {
        name: trimmedText(form, 'name'),
        network: trimmedText(form, 'network') as InstanceNetwork,
        settings: {
          historySync: trimmedText(form, 'historySync') as HistorySync,
          pace: trimmedText(form, 'pace') as Pace,
        },
      },
    })
    await client.invalidateQueries({ queryKey: [mode, 'instances'] })
    await goOn({ to: '/$modo/instancias/$id/parear', params: { modo, id } })
  }
  return (
    <Dialog title={t.instances.create} onClose={onClose}>
      <ActionForm
        act={create}
        label={t.common.create}
        secondary={<CancelButton onClick={onClose} />}
      >
        <Field
          label={t.common.name}
          name="name"
          defaultValue={t.instances.suggested}
          onFocus={({ currentTarget }) => currentTarget.select()}
          required
        />
        <NetworkChoice />
        <HistoryChoice defaultValue="none" />
        <PaceChoice defaultValue={mode === 'production' ? 'safe' : 'off'} />
      </ActionForm>
    </Dialog>
  )
}

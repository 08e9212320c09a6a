import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api.ts'
import type { Call, Group, Instance } from '../api-types.ts'
import { causeEvent } from '../cause-event.ts'
import type { Envelope } from '../live.ts'
import { t } from '../phrases/phrases.ts'
import { Area, Bead, Choice, Empty, Field } from '../ui/controls.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActButton, ActForm, textOf, typed } from '../ui/form.tsx'
import { Load } from '../ui/load.tsx'
import { develops, usePlace } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { useHeard } from '../ui/use-heard.ts'
import { Circle, Heard } from '../ui/circle.tsx'

type Filter = 'instancia' | 'grupo'

export function Groups() {
  return (
    <Circle title={t.groups.title} text={t.groups.text}>
      {(instance) => <GroupList instance={instance} />}
    </Circle>
  )
}

function GroupList({ instance }: { instance: Instance }) {
  const { mode, me } = usePlace()
  const { values, set } = useFilters<Filter>()
  const query = useQuery({
    queryKey: [mode, 'groups', instance.id],
    queryFn: () =>
      api(mode, 'GET /v1/instances/{id}/groups', { params: [instance.id], query: { limit: 200 } }),
  })
  return (
    <Load query={query}>
      {({ items }) => {
        const open = items.find(({ id }) => id === values.grupo)
        if (items.length === 0) {
          return (
            <Empty text={t.groups.empty}>
              {mode === 'test' && develops(me) && (
                <ActButton
                  label={t.groups.cause}
                  act={() => causeEvent('group.participants', instance)}
                />
              )}
            </Empty>
          )
        }
        return (
          <>
            <Table
              caption={t.groups.title}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t.common.name,
                  cell: ({ id, subject }) => (
                    <button type="button" className="botao" onClick={() => set({ grupo: id })}>
                      {subject}
                    </button>
                  ),
                },
                {
                  head: t.groups.participants,
                  cell: ({ participants }) => participants.length,
                },
                { head: t.common.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
            {open && <OneGroup key={open.id} instance={instance} group={open} />}
          </>
        )
      }}
    </Load>
  )
}

const ACTIONS = ['add', 'remove', 'promote', 'demote'] as const

function OneGroup({ instance, group }: { instance: Instance; group: Group }) {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'groups'] })
  const heard = useHeard(
    ({ event, data }: Envelope) => event.startsWith('group.') && data['groupId'] === group.id,
  )
  const params = [instance.id, group.id]
  return (
    <section className="cartao" aria-labelledby="grupo">
      <div className="entre">
        <h2 id="grupo">{group.subject}</h2>
        <Link
          to="/$modo/conversas"
          params={{ modo }}
          search={{ instancia: instance.id, conversa: group.conversationId }}
        >
          {t.groups.talk}
        </Link>
      </div>
      {group.description && <p>{group.description}</p>}
      <Table
        caption={t.groups.participants}
        rows={group.participants}
        keyOf={({ phone, lid }) => phone ?? lid ?? ''}
        columns={[
          { head: t.common.name, cell: ({ name, phone, lid }) => name ?? phone ?? lid },
          { head: t.instances.number, cell: ({ phone }) => phone ?? t.common.none },
          { head: t.team.role, cell: ({ role }) => t.groups[role] },
        ]}
      />
      <ActForm
        label={t.groups.change}
        act={async (form) => {
          const participants = typed(form, 'phones')
            .split(/[\s,;]+/)
            .filter(Boolean)
          const action = textOf(form, 'action') as (typeof ACTIONS)[number]
          await api(mode, 'POST /v1/instances/{id}/groups/{groupId}/participants', {
            ...{ params, body: { action, participants } },
          })
          await refresh()
        }}
      >
        <div className="campos">
          <Choice
            label={t.groups.what}
            name="action"
            options={ACTIONS.map((action) => [action, t.groups[action]] as const)}
          />
          <Field label={t.groups.phones} name="phones" required />
        </div>
      </ActForm>
      <details>
        <summary>{t.groups.rename}</summary>
        <ActForm
          label={t.common.save}
          act={async (form) => {
            const body = {
              subject: textOf(form, 'subject'),
              description: textOf(form, 'description'),
            }
            await api(mode, 'PATCH /v1/instances/{id}/groups/{groupId}', { params, body })
            await refresh()
          }}
        >
          <Field label={t.common.name} name="subject" defaultValue={group.subject} required />
          <Area
            label={t.groups.description}
            name="description"
            defaultValue={group.description ?? ''}
          />
        </ActForm>
      </details>
      <h3>{t.groups.heard}</h3>
      <Heard heard={heard} />
    </section>
  )
}

export function Calls() {
  return (
    <Circle title={t.calls.title} text={t.calls.text}>
      {(instance) => <CallList instance={instance} />}
    </Circle>
  )
}

function CallList({ instance }: { instance: Instance }) {
  const { mode, me } = usePlace()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'calls', instance.id],
    queryFn: () =>
      api(mode, 'GET /v1/instances/{id}/calls', {
        ...{ params: [instance.id], query: { limit: 200 } },
      }),
  })
  async function reject({ id }: Call) {
    await api(mode, 'POST /v1/instances/{id}/calls/{callId}/reject', {
      params: [instance.id, id],
    })
    await client.invalidateQueries({ queryKey: [mode, 'calls'] })
  }
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={t.calls.empty}>
            {mode === 'test' && develops(me) && (
              <ActButton label={t.calls.cause} act={() => causeEvent('call.received', instance)} />
            )}
          </Empty>
        ) : (
          <Table
            caption={t.calls.title}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                head: t.messages.contact,
                cell: ({ from }) => from.name ?? from.phone ?? from.lid,
              },
              { head: t.calls.kind, cell: ({ video }) => (video ? t.calls.video : t.calls.voice) },
              {
                head: t.common.status,
                cell: ({ status }) => (
                  <Bead tone={status === 'accepted' ? 'ok' : 'neutro'}>{t.calls[status]}</Bead>
                ),
              },
              { head: t.messages.when, cell: ({ at }) => <Time at={at} /> },
              {
                head: t.common.actions,
                quiet: true,
                cell: (call) =>
                  call.status === 'ringing' && (
                    <ActButton label={t.calls.reject} act={() => reject(call)} />
                  ),
              },
            ]}
          />
        )
      }
    </Load>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, commandOf } from '../api.ts'
import type { Group, Instance } from '../api-types.ts'
import { causeEvent } from '../cause-event.ts'
import { t } from '../phrases/phrases.ts'
import { Circle, Past, type CircleFilter } from '../ui/circle.tsx'
import { Area, Choice, Empty, Field } from '../ui/controls.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActButton, ActForm, textOf, typed } from '../ui/form.tsx'
import { Load } from '../ui/load.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { develops, usePlace } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { usePages } from '../ui/use-pages.ts'

/** The groups of an instance, and the one that is open. */
export function Groups() {
  return (
    <Circle title={t.groups.title} text={t.groups.text}>
      {(instance) => <GroupList instance={instance} />}
    </Circle>
  )
}

function GroupList({ instance }: { instance: Instance }) {
  const { mode, me } = usePlace()
  const { values, set } = useFilters<CircleFilter>()
  const query = usePages([mode, 'groups', instance.id], (page) =>
    api(mode, 'GET /v1/instances/{id}/groups', { params: [instance.id], query: page }),
  )
  return (
    <Load query={query}>
      {(items) => {
        if (items.length === 0) {
          const body = { subject: t.phone.group, participants: ['5511999998888'] }
          return (
            <Empty
              text={t.groups.empty}
              curl={commandOf(mode, 'POST', `/v1/instances/${instance.id}/groups`, body)}
            >
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
            <MoreButton query={query} found={items.length} />
            {values.grupo && <Open key={values.grupo} instance={instance} id={values.grupo} />}
          </>
        )
      }}
    </Load>
  )
}

/** The group named in the URL, even if it is not in a loaded page of the list. */
function Open({ instance, id }: { instance: Instance; id: string }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'groups', instance.id, 'one', id],
    queryFn: () =>
      api(mode, 'GET /v1/instances/{id}/groups/{groupId}', { params: [instance.id, id] }),
  })
  return <Load query={query}>{(group) => <OneGroup instance={instance} group={group} />}</Load>
}

const ACTIONS = ['add', 'remove', 'promote', 'demote'] as const

function OneGroup({ instance, group }: { instance: Instance; group: Group }) {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'groups'] })
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
          const participants = typed(form, 'participants')
            .split(/[\s,;]+/)
            .filter(Boolean)
          const action = textOf(form, 'action') as (typeof ACTIONS)[number]
          await api(mode, 'POST /v1/instances/{id}/groups/{groupId}/participants', {
            params,
            body: {
              action,
              participants,
            },
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
          <Field label={t.groups.phones} name="participants" required />
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
      <Past instance={instance} kind="group" subject={group.id} />
    </section>
  )
}

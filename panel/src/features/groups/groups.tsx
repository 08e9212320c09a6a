import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callApi, curlCommand } from '../../data/api.ts'
import type { Group, Instance } from '../../data/api-types.ts'
import { triggerEvent } from '../../data/trigger-event.ts'
import { t } from '../../phrases/phrases.ts'
import {
  CollectionPage,
  EventHistory,
  type CollectionFilter,
} from '../../shell/instance-collections.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Area, Empty, Field } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton, ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { GroupInvite, GroupSettings, isAdmin } from './group-settings.tsx'
import { InCommunity } from './in-community.tsx'
import { JoinRequests } from './join-requests.tsx'
import { NewGroup } from './new-group.tsx'
import { Participants } from './participants.tsx'

/** The groups of an instance, and the one that is open. */
export function Groups() {
  return (
    <CollectionPage title={t.groups.title} text={t.groups.text}>
      {(instance) => <GroupList instance={instance} />}
    </CollectionPage>
  )
}

function GroupList({ instance }: { instance: Instance }) {
  const { mode, me } = usePanel()
  const { values, set } = useFilters<CollectionFilter>()
  const show = ({ id }: Group) => set({ grupo: id }, { replace: true })
  const query = usePages([mode, 'groups', instance.id], (page) =>
    callApi(mode, 'GET /v1/instances/{id}/groups', { params: [instance.id], query: page }),
  )
  const cause = mode === 'test' && canDevelop(me) && (
    <ActionButton label={t.groups.cause} act={() => triggerEvent('group.participants', instance)} />
  )
  const begin = (
    <div className="row">
      <NewGroup instance={instance} onOpen={(grupo) => set({ grupo }, { replace: true })} />
      {cause}
    </div>
  )
  return (
    <Load query={query}>
      {(items) => {
        if (items.length === 0) {
          const body = { subject: t.phone.group, participants: ['5511999998888'] }
          return (
            <Empty
              text={t.groups.empty}
              curl={curlCommand(mode, 'POST', `/v1/instances/${instance.id}/groups`, body)}
            >
              {begin}
            </Empty>
          )
        }
        return (
          <>
            {begin}
            <Table
              caption={t.groups.title}
              rows={items}
              keyOf={({ id }) => id}
              onOpen={show}
              isOpen={({ id }) => id === values.grupo}
              columns={[
                {
                  head: t.common.name,
                  cell: (group) => (
                    <button
                      type="button"
                      className="row-button truncate"
                      onClick={() => show(group)}
                    >
                      {subjectOf(group)}
                    </button>
                  ),
                },
                {
                  head: t.groups.participants,
                  width: 130,
                  number: true,
                  cell: ({ participants }) => participants.length,
                },
                ...(items.some(({ community }) => community)
                  ? [
                      {
                        head: t.groups.community,
                        width: 200,
                        cell: (group: Group) => communityOf(group, items),
                      },
                    ]
                  : []),
                {
                  head: t.common.createdAt,
                  width: 150,
                  cell: ({ createdAt }) => <Time at={createdAt} />,
                },
              ]}
            />
            <MoreButton query={query} found={items.length} />
            {values.grupo && (
              <Open
                key={values.grupo}
                instance={instance}
                id={values.grupo}
                onClose={() => set({ grupo: undefined }, { replace: true })}
              />
            )}
          </>
        )
      }}
    </Load>
  )
}

/** The name of a group; until the network reports it, what it is. */
const subjectOf = ({ subject }: Group): string => subject || t.groups.one

/** The community of a group by its name, if the list has it, and what the group is in it. */
function communityOf({ community }: Group, known: readonly Group[]): string {
  // A node of an earlier version does not report communities.
  if (!community) return t.common.none
  if (community.part === 'community') return t.groups.itself
  const name = known.find(({ id }) => id === community.id)?.subject || t.groups.community
  return community.part === 'announcements' ? t.groups.announcements(name) : name
}

/** The group named in the URL, even if it is not in a loaded page of the list. */
function Open(props: { instance: Instance; id: string; onClose: () => void }) {
  const { instance, id, onClose } = props
  const { mode } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'groups', instance.id, 'one', id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/groups/{groupId}', { params: [instance.id, id] }),
  })
  return (
    <Drawer title={query.data ? subjectOf(query.data) : t.groups.one} onClose={onClose}>
      <Load query={query}>{(group) => <OneGroup instance={instance} group={group} />}</Load>
    </Drawer>
  )
}

function OneGroup({ instance, group }: { instance: Instance; group: Group }) {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'groups'] })
  const params = [instance.id, group.id]
  return (
    <div className="stack-small">
      <div className="row">
        <Link
          className="button"
          to="/$modo/conversas"
          params={{ modo }}
          search={{ instancia: instance.id, conversa: group.conversationId }}
        >
          {t.groups.talk}
        </Link>
      </div>
      {group.description && <p>{group.description}</p>}
      {group.community && <InCommunity instance={instance} community={group.community} />}
      <Participants instance={instance} group={group} />
      <details>
        <summary>{t.groups.rename}</summary>
        <ActionForm
          act={async (form) => {
            const body = {
              subject: trimmedText(form, 'subject'),
              description: trimmedText(form, 'description'),
            }
            await callApi(mode, 'PATCH /v1/instances/{id}/groups/{groupId}', { params, body })
            await refresh()
          }}
        >
          <Field label={t.common.name} name="subject" defaultValue={group.subject} required />
          <Area
            label={t.groups.description}
            name="description"
            defaultValue={group.description ?? ''}
          />
        </ActionForm>
      </details>
      {isAdmin(instance, group) && (
        <>
          <GroupSettings instance={instance} group={group} />
          <GroupInvite instance={instance} group={group} />
          <JoinRequests instance={instance} group={group} />
        </>
      )}
      <EventHistory instance={instance} kind="group" subject={group.id} />
    </div>
  )
}

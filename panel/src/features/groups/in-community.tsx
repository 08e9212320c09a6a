import { useQuery } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import type { Group, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'

/** What a group is in its community, by the name of the community. */
export function InCommunity(props: {
  instance: Instance
  community: NonNullable<Group['community']>
}) {
  const { instance, community } = props
  const { mode } = usePanel()
  const isItself = community.part === 'community'
  const { data } = useQuery({
    queryKey: [mode, 'groups', instance.id, 'one', community.id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/groups/{groupId}', {
        params: [instance.id, community.id],
      }),
    enabled: !isItself,
  })
  if (isItself) return <p className="quiet">{t.groups.isCommunity}</p>
  const isAnnouncements = community.part === 'announcements'
  // The account may be in the group without being in the community.
  const name = data?.subject
  if (!name) {
    const unnamed = isAnnouncements ? t.groups.someAnnouncements : t.groups.inSomeCommunity
    return <p className="quiet">{unnamed}</p>
  }
  return (
    <p className="quiet">
      {isAnnouncements ? t.groups.isAnnouncements(name) : t.groups.inCommunity(name)}
    </p>
  )
}

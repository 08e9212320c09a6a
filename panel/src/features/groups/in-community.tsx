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
  const { data, isError } = useQuery({
    queryKey: [mode, 'groups', instance.id, 'one', community.id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/groups/{groupId}', {
        params: [instance.id, community.id],
      }),
    enabled: !isItself,
  })
  if (isItself) return <p className="quiet">{t.groups.isCommunity}</p>
  // Not every account is told about the community itself.
  if (isError) return <p className="quiet">{t.groups.community}</p>
  const name = data?.subject ?? '…'
  return (
    <p className="quiet">
      {community.part === 'announcements'
        ? t.groups.isAnnouncements(name)
        : t.groups.inCommunity(name)}
    </p>
  )
}

import { Type, type Static } from 'typebox'
import { Words } from '../kernel/schemas.ts'

/** The role of a group in a community; `id` is the id of the community, which is itself a group. */
export const GroupCommunity = Type.Object(
  {
    id: Type.String({ description: 'O id da comunidade' }),
    part: Words(['community', 'announcements', 'group']),
  },
  {
    title: 'GroupCommunity',
    description:
      'A comunidade de que o grupo faz parte: `community` é a própria comunidade, em que ninguém escreve; `announcements`, o grupo de avisos, em que estão todos; `group`, um dos outros',
    examples: [{ id: '120363000000000009@g.us', part: 'group' as const }],
  },
)
export type GroupCommunity = Static<typeof GroupCommunity>

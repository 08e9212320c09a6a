import { Type, type Static } from 'typebox'
import { Party } from '../../model/records.schemas.ts'

/** The people whom an instance has blocked, as listed by the network. */
export const BlockedList = Type.Object(
  { items: Type.Array(Party) },
  {
    title: 'BlockedList',
    examples: [{ items: [{ phone: '5511999998888', lid: '123456789012345@lid', name: null }] }],
  },
)
export type BlockedList = Static<typeof BlockedList>

import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { GroupCommunity } from '../../model/group-community.schemas.ts'
import { GroupSettings } from '../../model/group-settings.schemas.ts'
import { Party } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

const Change = Type.Object({ from: Nullable(Type.String()), to: Nullable(Type.String()) })

/** The event `group.updated`: a group's subject, description, settings or community changed. */
export const groupUpdated = defineEvent({
  name: 'group.updated',
  when: 'O nome, a descrição, as configurações ou a comunidade de um grupo mudaram.',
  data: {
    groupId: Type.String(),
    actor: Party,
    changes: Type.Object({
      subject: Type.Optional(Change),
      description: Type.Optional(Change),
      settings: Type.Optional(
        Type.Object({ from: Nullable(GroupSettings), to: Nullable(GroupSettings) }),
      ),
      community: Type.Optional(
        Type.Object({ from: Nullable(GroupCommunity), to: Nullable(GroupCommunity) }),
      ),
    }),
    at: Timestamp,
  },
  example: {
    groupId: '120363000000000001@g.us',
    actor: { phone: '5511988887777', lid: null, name: 'Suporte' },
    changes: { subject: { from: 'Vendas', to: 'Vendas 2027' } },
    at: '2026-11-20T12:00:00.000Z',
  },
})

import { Type, type Static } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { Restrictions } from './keys.schemas.ts'
import { Cap } from '../billing/billing.schemas.ts'
import { ProjectStatus, Subscription, UsageMode } from '../projects/projects.schemas.ts'

/** The calling key with its Project, mode, credits and, in test mode, the daily cap. */
export const CurrentKey = Type.Object(
  {
    mode: Type.Enum(['test', 'production'] as const),
    key: Type.Object({
      id: Type.String(),
      name: Type.String(),
      keyPrefix: Type.String(),
      expiresAt: Nullable(Timestamp),
      restrictions: Nullable(Restrictions),
    }),
    project: Type.Object({
      id: Type.String(),
      name: Type.String(),
      status: ProjectStatus,
      usageMode: UsageMode,
      defaultCountry: Nullable(Type.String()),
    }),
    subscription: Subscription,
    addons: Type.Array(Type.String()),
    credits: Type.Integer(),
    dailyCap: Nullable(Cap),
  },
  {
    title: 'CurrentKey',
    examples: [
      {
        mode: 'test',
        key: {
          id: 'key_01jcqz3v8xf6k9m2n4p5r7s8t9',
          name: 'Integração do CRM',
          keyPrefix: 'svc_test_aB3dE6',
          expiresAt: null,
          restrictions: null,
        },
        project: {
          id: 'prj_01jcqz3v8xf6k9m2n4p5r7s8t9',
          name: 'Padaria Pão Quente',
          status: 'ACTIVE',
          usageMode: 'BOTH',
          defaultCountry: 'BR',
        },
        subscription: 'active',
        addons: ['mass_sending'],
        credits: 1000,
        dailyCap: { used: 12, limit: 100, resetsAt: '2026-11-24T03:00:00.000Z' },
      },
    ],
  },
)
export type CurrentKey = Static<typeof CurrentKey>

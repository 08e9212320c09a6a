import { Type } from 'typebox'

/** How a Project stands. Source: specification §2.6, 3.4. */
export const ProjectStatus = Type.Enum(['ACTIVE', 'SUSPENDED'] as const)
export const UsageMode = Type.Enum(['CRM', 'API', 'BOTH'] as const)
export const Subscription = Type.Enum([
  ...(['none', 'active', 'pending', 'paused', 'past_due', 'canceled'] as const),
])

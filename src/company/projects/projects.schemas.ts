import { Type } from 'typebox'

/** How a Project stands. Source: specification §2.6, 3.4. */
export const ProjectStatus = Type.Enum(['ACTIVE', 'SUSPENDED'] as const)
/** A missing country, or null, completes no national numbers. */
export const ProjectBody = Type.Object(
  { defaultCountry: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })) },
  { additionalProperties: false },
)
export const UsageMode = Type.Enum(['CRM', 'API', 'BOTH'] as const)
export const Subscription = Type.Enum([
  ...(['none', 'active', 'pending', 'paused', 'past_due', 'canceled'] as const),
])

import { Type } from 'typebox'

/** How a Project stands (G39). */
export const ProjectStatus = Type.Enum(['ACTIVE', 'SUSPENDED'] as const)
/** A missing country, or null, completes no national numbers. */
export const ProjectBody = Type.Object(
  { defaultCountry: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })) },
  { additionalProperties: false },
)
/** Who may send: the panel, API keys, or both. */
export const UsageMode = Type.Enum(['CRM', 'API', 'BOTH'] as const)
/** The states of a subscription. */
export const Subscription = Type.Enum([
  ...(['none', 'active', 'pending', 'paused', 'past_due', 'canceled'] as const),
])

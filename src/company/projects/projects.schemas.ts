import { Type } from 'typebox'

/** The status of a Project (G39). */
export const ProjectStatus = Type.Enum(['ACTIVE', 'SUSPENDED'] as const)
/** Body that changes a Project's settings. Without a country, national numbers stay unchanged. */
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

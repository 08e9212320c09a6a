import { Type } from 'typebox'
import { SUBSCRIPTIONS, USAGE_MODES } from '../../model/vocabulary.ts'

/** The status of a Project (G39). */
export const ProjectStatus = Type.Enum(['ACTIVE', 'SUSPENDED'] as const)
/** Body that changes a Project's settings. Without a country, national numbers stay unchanged. */
export const ProjectBody = Type.Object(
  { defaultCountry: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })) },
  { additionalProperties: false },
)
/** One of `USAGE_MODES`. */
export const UsageMode = Type.Enum(USAGE_MODES)
/** One of `SUBSCRIPTIONS`. */
export const Subscription = Type.Enum(SUBSCRIPTIONS)

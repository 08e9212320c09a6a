import type { Static } from 'typebox'
import { callReceived } from './call-received.ts'
import { contactUpdated } from './contact-updated.ts'
import { groupParticipants } from './group-participants.ts'
import { groupUpdated } from './group-updated.ts'
import { instanceStatus } from './instance-status.ts'
import { labelAssociation } from './label-association.ts'
import { labelUpdated } from './label-updated.ts'
import { messageDeleted } from './message-deleted.ts'
import { messageReceived } from './message-received.ts'
import { messageStatus } from './message-status.ts'

/** Every event definition, in the order of the reference (G45). */
export const catalog = [
  messageReceived,
  messageStatus,
  instanceStatus,
  callReceived,
  messageDeleted,
  groupParticipants,
  groupUpdated,
  contactUpdated,
  labelUpdated,
  labelAssociation,
] as const

type Definition = (typeof catalog)[number]
/** The name of an event in the catalog, such as `message.received`. */
export type EventName = Definition['name']

/** The `data` of the event with this name, without `eventId`. */
export type EventData<Name extends EventName> = Omit<
  Static<Extract<Definition, { name: Name }>['data']>,
  'eventId'
>

/** The names of all events, in catalog order. */
export const EVENT_NAMES: readonly EventName[] = catalog.map((definition) => definition.name)

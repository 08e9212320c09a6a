import { callApi } from './api.ts'
import type { Conversation, Instance, Phone, Webhook } from './api-types.ts'
import { t } from '../phrases/phrases.ts'

/** The name of a webhook event. */
export type EventName = Webhook['events'][number]
/** All webhook events, in the order of the reference (G45). */
export const EVENTS: EventName[] = [
  ...(['message.received', 'message.status', 'instance.status', 'call.received'] as const),
  ...(['message.deleted', 'group.participants', 'group.updated', 'contact.updated'] as const),
  ...(['label.updated', 'label.association'] as const),
]

const phones = async () => (await callApi('test', 'GET /v1/simulator/phones')).items

/** Returns a simulator phone that is not paired and may send, creating one if there is none. */
export async function findOrCreateFreePhone(): Promise<Phone> {
  const free = (await phones()).find(
    ({ pairedInstanceIds, online, banned }) => pairedInstanceIds.length === 0 && online && !banned,
  )
  return free ?? callApi('test', 'POST /v1/simulator/phones', { body: { name: t.phone.suggested } })
}

/** Creates a simulator business phone, which supports labels, to pair an instance with. */
export async function createBusinessPhone(): Promise<Phone> {
  const body = { name: t.instances.suggested, business: true }
  return callApi('test', 'POST /v1/simulator/phones', { body })
}

async function sendGreeting(from: Phone, to: string) {
  const body = { to, text: t.phone.greeting }
  return callApi('test', 'POST /v1/simulator/phones/{id}/messages', { params: [from.id], body })
}

/** Creates a group of the instance and a simulator phone that may change it. */
async function group(instance: Instance) {
  const person = await findOrCreateFreePhone()
  const made = await callApi('test', 'POST /v1/simulator/phones/{id}/groups', {
    params: [person.id],
    body: { subject: t.phone.group, participants: [instance.phone ?? ''] },
  })
  return { person, made }
}

async function conversation(instance: Instance): Promise<Conversation | undefined> {
  const query = { limit: 1, type: 'direct' as const }
  const known = await callApi('test', 'GET /v1/instances/{id}/conversations', {
    params: [instance.id],
    query,
  })
  return known.items[0]
}

/** Triggers each event by acting on the simulated network. */
const TRIGGERS: Record<EventName, (instance: Instance) => Promise<unknown>> = {
  'message.received': async ({ phone }) => sendGreeting(await findOrCreateFreePhone(), phone ?? ''),
  'message.status': async ({ id }) => {
    const { phone } = await findOrCreateFreePhone()
    const body = { to: phone, text: t.phone.greeting }
    return callApi('test', 'POST /v1/instances/{id}/messages/text', { params: [id], body })
  },
  'instance.status': async ({ id }) => {
    await callApi('test', 'POST /v1/instances/{id}/disconnect', { params: [id] })
    return callApi('test', 'POST /v1/instances/{id}/connect', { params: [id] })
  },
  'call.received': async ({ phone }) => {
    const { id } = await findOrCreateFreePhone()
    const body = { to: phone ?? '' }
    return callApi('test', 'POST /v1/simulator/phones/{id}/calls', { params: [id], body })
  },
  'message.deleted': async ({ phone }) => {
    const person = await findOrCreateFreePhone()
    const { waMessageId } = await sendGreeting(person, phone ?? '')
    return callApi('test', 'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}', {
      params: [person.id, waMessageId],
    })
  },
  'group.participants': group,
  'group.updated': async (instance) => {
    const { person, made } = await group(instance)
    return callApi('test', 'PATCH /v1/simulator/phones/{id}/groups/{groupId}', {
      params: [person.id, made.id],
      body: { subject: t.phone.groupRenamed },
    })
  },
  'contact.updated': async ({ phone }) => {
    const person = await findOrCreateFreePhone()
    await sendGreeting(person, phone ?? '')
    const renamed = person.name === t.phone.renamed ? t.phone.suggested : t.phone.renamed
    return callApi('test', 'PATCH /v1/simulator/phones/{id}', {
      params: [person.id],
      body: { name: renamed },
    })
  },
  'label.updated': async ({ id }) => {
    const label = await callApi('test', 'POST /v1/instances/{id}/labels', {
      params: [id],
      body: { name: t.labels.suggested },
    })
    return callApi('test', 'DELETE /v1/instances/{id}/labels/{labelId}', { params: [id, label.id] })
  },
  'label.association': async (instance) => {
    const { id, phone } = instance
    if (!(await conversation(instance)))
      await sendGreeting(await findOrCreateFreePhone(), phone ?? '')
    const chat = await conversation(instance)
    const label = await callApi('test', 'POST /v1/instances/{id}/labels', {
      params: [id],
      body: { name: t.labels.suggested },
    })
    await callApi(
      'test',
      'PUT /v1/instances/{id}/labels/{labelId}/conversations/{conversationId}',
      {
        params: [id, label.id, chat?.id ?? ''],
      },
    )
    return callApi('test', 'DELETE /v1/instances/{id}/labels/{labelId}', { params: [id, label.id] })
  },
}

/** Triggers an event on the simulated network. Throws ApiError; what it sends counts towards the daily limit. */
export const triggerEvent = (event: EventName, instance: Instance) => TRIGGERS[event](instance)

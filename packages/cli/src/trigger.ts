import { setTimeout as pause } from 'node:timers/promises'
import { ConflictError, type Instance, type Phone, type WebhookEvent } from '../../sdk/src/index.ts'
import { CommandError, note } from './output.ts'
import { say } from './phrases.ts'
import { requireTest, type Session } from './session.ts'

const PAIRING_TIMEOUT_MS = 30_000
const ARRIVAL_TIMEOUT_MS = 10_000
const SAMPLE = {
  text: 'Olá!',
  person: 'Ana',
  renamed: 'Ana Souza',
  group: 'Grupo de teste',
  label: 'Novo cliente',
}

type Trigger = (session: Session, instance: Instance) => Promise<unknown>

/** Returns a virtual phone that is free to write, creating one if there is none. */
async function freePhone({ recado }: Session): Promise<Phone> {
  const { items } = await recado.simulator.phones.list({ limit: 100 }).page()
  const free = items.find(
    ({ pairedInstanceIds, online, banned }) => pairedInstanceIds.length === 0 && online && !banned,
  )
  return free ?? recado.simulator.phones.create({ name: SAMPLE.person })
}

async function greet(session: Session, { phone }: Instance) {
  const person = await freePhone(session)
  const message = await session.recado.simulator.phones.send(person.id, {
    to: phone ?? '',
    text: SAMPLE.text,
  })
  return { person, message }
}

/** Returns the conversation with a virtual phone, which begins a moment after its first message was sent. */
async function findConversation({ recado }: Session, instanceId: string, phone: string) {
  const deadline = Date.now() + ARRIVAL_TIMEOUT_MS
  for (; Date.now() < deadline; await pause(100)) {
    const { items } = await recado.conversations.list(instanceId, { q: phone, limit: 1 }).page()
    const [found] = items
    if (found) return found
  }
  throw new CommandError(say.notArrived)
}

async function createGroup(session: Session, { phone }: Instance) {
  const person = await freePhone(session)
  const group = await session.recado.simulator.phones.createGroup(person.id, {
    subject: SAMPLE.group,
    participants: [phone ?? ''],
  })
  return { person, group }
}

/** How each event is caused on the simulated network. */
const TRIGGERS: Record<WebhookEvent['event'], Trigger> = {
  'message.received': greet,
  async 'message.status'(session, { id }) {
    const { phone } = await freePhone(session)
    return session.recado.messages.sendText(id, { to: phone, text: SAMPLE.text })
  },
  async 'instance.status'({ recado }, { id }) {
    await recado.instances.disconnect(id)
    return recado.instances.connect(id)
  },
  async 'call.received'(session, { phone }) {
    const person = await freePhone(session)
    return session.recado.simulator.phones.call(person.id, { to: phone ?? '' })
  },
  async 'message.deleted'(session, instance) {
    const { person, message } = await greet(session, instance)
    return session.recado.simulator.phones.deleteMessage(person.id, message.waMessageId)
  },
  'group.participants': createGroup,
  async 'group.updated'(session, instance) {
    const { person, group } = await createGroup(session, instance)
    return session.recado.simulator.phones.updateGroup(person.id, group.id, {
      subject: `${SAMPLE.group} 2`,
    })
  },
  async 'contact.updated'(session, instance) {
    const { person } = await greet(session, instance)
    const name = person.name === SAMPLE.renamed ? SAMPLE.person : SAMPLE.renamed
    return session.recado.simulator.phones.update(person.id, { name })
  },
  async 'label.updated'({ recado }, { id }) {
    const label = await recado.labels.create(id, { name: SAMPLE.label })
    return recado.labels.delete(id, label.id)
  },
  async 'label.association'(session, instance) {
    const { recado } = session
    const { id } = instance
    const { person } = await greet(session, instance)
    const conversation = await findConversation(session, id, person.phone)
    const label = await recado.labels.create(id, { name: SAMPLE.label })
    try {
      await recado.labels.apply(id, label.id, conversation.id)
    } finally {
      await recado.labels.delete(id, label.id)
    }
  },
}

/** The events, in the order of the reference. */
export const EVENTS = Object.keys(TRIGGERS) as WebhookEvent['event'][]

/** Creates an instance and pairs it with a virtual business phone. */
async function createConnected(session: Session): Promise<Instance> {
  note(say.preparing)
  const { id } = await session.recado.instances.create({ name: 'recado' })
  return pairVirtually(session, id)
}

/** Pairs an instance of the test mode with a new virtual business phone, which scans its code. Returns the instance. */
export async function pairVirtually({ recado }: Session, id: string): Promise<Instance> {
  const phone = await recado.simulator.phones.create({ name: 'recado', business: true })
  const deadline = Date.now() + PAIRING_TIMEOUT_MS
  for (let scanned = false; Date.now() < deadline; await pause(250)) {
    const { status, code } = await recado.instances.pollQr(id)
    if (status === 'CONNECTED') return recado.instances.get(id)
    if (code && !scanned) {
      await recado.simulator.phones.scan(phone.id, { code })
      scanned = true
    }
  }
  const { status } = await recado.instances.get(id)
  throw new CommandError(say.stopped(status))
}

/** Returns a connected instance, or null; with `business`, one whose phone has labels. */
async function findConnected({ recado }: Session, business: boolean): Promise<Instance | null> {
  const { items } = await recado.instances.list({ limit: 100 }).page()
  const connected = items.filter(({ status }) => status === 'CONNECTED')
  if (!business) return connected[0] ?? null
  const phones = (await recado.simulator.phones.list({ limit: 100 }).page()).items
  const suitable = new Set(
    phones.flatMap((phone) => (phone.business ? phone.pairedInstanceIds : [])),
  )
  return connected.find(({ id }) => suitable.has(id)) ?? null
}

/** `recado trigger`: causes an event on an instance, creating one if none is connected. Returns the instance. */
export async function trigger(
  session: Session,
  event: WebhookEvent['event'],
  instanceId?: string,
): Promise<Instance> {
  requireTest(session)
  const { recado } = session
  const needsBusiness = event.startsWith('label.')
  const connected = instanceId
    ? await recado.instances.get(instanceId)
    : await findConnected(session, needsBusiness)
  const instance = connected ?? (await createConnected(session))
  try {
    await TRIGGERS[event](session, instance)
  } catch (error) {
    if (needsBusiness && instanceId && error instanceof ConflictError && error.reason === null)
      throw new CommandError(say.needsBusiness(error.message))
    throw error
  }
  return instance
}

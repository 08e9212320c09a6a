import { after } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/kit/test-app.ts'
import { createLocalTopics } from '../../bus/local-topics.ts'
import { newId } from '../../lib/ids.ts'
import { createHeard, describeNetwork, type ConformanceAccount } from '../conformance.ts'
import type { CredentialStore } from '../network.port.ts'
import { createSimulator } from './simulator.ts'
import { createVirtualPhones } from './virtual-phones.ts'

let started: Promise<TestApp> | undefined
after(async () => (await started)?.close())

function createMemoryCredentials(): CredentialStore {
  const kinds = new Map<string, Map<string, Buffer>>()
  return {
    load: async (kind) => new Map(kinds.get(kind)),
    async save(entries) {
      for (const { kind, id, value } of entries) {
        const values = kinds.get(kind) ?? new Map()
        kinds.set(kind, values)
        if (value) values.set(id, value)
        else values.delete(id)
      }
    },
    clear: async () => kinds.clear(),
  }
}

describeNetwork('simulator', async (): Promise<ConformanceAccount> => {
  const kit = await (started ??= startTestApp())
  const { db, clock } = kit
  const { activity } = kit.app
  const bus = createLocalTopics()
  const onError = (error: unknown) => {
    throw error
  }
  const simulator = createSimulator({ db, clock, activity, bus, onError })
  const phones = createVirtualPhones({ clock, publish: bus.publish })
  const { projectId } = await kit.project()
  const scope = { projectId, mode: 'test' as const }
  const make = async (name: string) => {
    const input = { name, phone: null, business: false, most: 10 }
    const phone = await phones.create(db, scope, input)
    if (typeof phone === 'string') throw new Error(phone)
    return phone
  }
  const [own, contact] = [await make('Loja'), await make('Ana')]
  const credentials = createMemoryCredentials()
  const account = {
    instanceId: newId('ins', clock.now()),
    ...scope,
    credentials,
    settings: { proxyUrl: null, rejectCalls: false, downloadMedia: true },
  }
  const { heard, listener } = createHeard()
  const opened: ConformanceAccount = {
    session: simulator.open(account, listener),
    heard,
    credentials,
    phone: own.phone,
    contact: { phone: contact.phone, chatId: `${contact.phone}@s.whatsapp.net` },
    unknownPhone: '5511988880003',
    scan: async (code) => void (await phones.scan(db, scope, own, code)),
    contactWrites: async (text) =>
      void (await phones.write(db, scope, contact, own.phone, { type: 'text', text })),
    contactReads: async (ids) => void (await phones.read(db, scope, contact, ids)),
    contactReceived: async () => (await phones.inbox(db, scope, contact, 100, 0)).toReversed(),
    removeDevice: () => phones.unpair(db, scope, own),
    async reopen() {
      await opened.session.close()
      opened.session = simulator.open(account, listener)
    },
    settle: () => activity.idle(),
  }
  return opened
})

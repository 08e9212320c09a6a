import type {
  Network,
  NetworkAccount,
  NetworkListener,
  NetworkSession,
  OutboundMessage,
} from '../../src/networks/network.port.ts'
import type { Client } from './client.ts'
import { startTestApp, type Project, type TestApp } from './test-app.ts'

/** An instance on the scripted network: tests report through `listener` whatever a network might claim. */
export type Scripted = {
  api: Client
  project: Project
  id: string
  base: string
  phone: string
  listener: NetworkListener
}

const refuse = async () => {
  throw new Error('not part of this script')
}

/**
 * A server whose production network is played by the test: it takes every send, reports only what it is told to, and obeys
 * `commands`.
 */
export async function startScripted(
  env: Record<string, string> = {},
  commands: Partial<NetworkSession> = {},
  /** Called with each account that is opened; may refuse by throwing. */
  onOpen: (account: NetworkAccount) => void = () => {},
  /** Called before a batch is taken; may refuse it by rejecting. */
  onSend: () => Promise<void> = async () => {},
): Promise<{
  app: TestApp
  sent: OutboundMessage[]
  /** Of the session that was opened last for this instance. */
  listenerOf(instanceId: string): NetworkListener
  connect(): Promise<Scripted>
}> {
  const listeners = new Map<string, NetworkListener>()
  const sent: OutboundMessage[] = []
  const session: NetworkSession = {
    requestCode: async () => {},
    async send(messages) {
      await onSend()
      sent.push(...messages)
      return []
    },
    lookUp: async ({ phones }) =>
      phones.map((input) => ({
        input,
        exists: true,
        phone: input,
        lid: null,
      })),
    markRead: async () => null,
    edit: async () => null,
    revoke: async () => null,
    rejectCall: async () => null,
    requestPairingCode: async () => null,
    createGroup: refuse,
    changeGroup: refuse,
    changeParticipants: refuse,
    leaveGroup: refuse,
    saveLabel: refuse,
    deleteLabel: refuse,
    associateLabel: refuse,
    download: refuse,
    logout: async () => true,
    close: async () => {},
    ...commands,
  }
  const whatsapp: Network = {
    name: 'scripted',
    open(account, listener) {
      onOpen(account)
      listeners.set(account.instanceId, listener)
      return session
    },
    forget: async () => {},
    stop: async () => {},
  }
  const app = await startTestApp({ PRODUCTION_NETWORK: 'whatsapp', ...env }, { whatsapp })
  let made = 0
  return {
    app,
    sent,
    listenerOf(id) {
      const listener = listeners.get(id)
      if (!listener) throw new Error(`${id} has no session`)
      return listener
    },
    async connect() {
      const project = await app.project()
      const api = await app.key(project, 'production')
      const { body } = await api.post('/v1/instances', { name: 'Loja' })
      await api.post(`/v1/instances/${body.id}/connect`)
      await app.settle()
      const listener = listeners.get(body.id)
      if (!listener) throw new Error('the instance has no session')
      const phone = `55119${6e7 + ++made}`
      const lid = `7${phone}@lid`
      await listener.status({
        status: 'PAIRED',
        phone,
        lid,
        profileName: 'Loja',
        business: false,
      })
      await listener.status({ status: 'CONNECTED' })
      await app.settle()
      return {
        api,
        project,
        id: body.id,
        base: `/v1/instances/${body.id}`,
        phone,
        listener,
      }
    },
  }
}

import type { NetworkListener } from '../../src/networks/network-events.port.ts'
import type {
  Network,
  NetworkAccount,
  NetworkSession,
  OutboundMessage,
} from '../../src/networks/network.port.ts'
import type { Client } from './client.ts'
import { startTestApp, type Project, type TestApp } from './test-app.ts'

/** An instance on the scripted network: tests report network events through `listener`. */
export type Scripted = {
  api: Client
  project: Project
  id: string
  base: string
  phone: string
  listener: NetworkListener
}

const refuse = async () => {
  throw new Error('command not implemented by the scripted network')
}

/**
 * Starts a server whose production network is controlled by the test: it accepts every send, reports only what the test
 * reports through a listener, and runs `commands`.
 */
export async function startScripted(
  env: Record<string, string> = {},
  commands: Partial<NetworkSession> = {},
  /** Called with each opened account; may reject it by throwing. */
  onOpen: (account: NetworkAccount) => void = () => {},
  /** Called before each batch; may reject it. */
  onSend: () => Promise<void> = async () => {},
): Promise<{
  app: TestApp
  sent: OutboundMessage[]
  /** The listener of the instance's latest session. */
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
    showPresence: async () => null,
    pin: async () => null,
    star: async () => ({ at: 0 }),
    edit: async () => null,
    revoke: async () => null,
    rejectCall: async () => null,
    requestPairingCode: async () => null,
    listBlocked: refuse,
    setBlocked: refuse,
    requestHistory: refuse,
    findProfile: refuse,
    findPicture: refuse,
    changeProfile: refuse,
    setPicture: refuse,
    createGroup: refuse,
    changeGroup: refuse,
    changeGroupSettings: refuse,
    listJoinRequests: refuse,
    answerJoinRequests: refuse,
    groupInvite: refuse,
    joinGroup: refuse,
    changeParticipants: refuse,
    leaveGroup: refuse,
    saveLabel: refuse,
    deleteLabel: refuse,
    associateLabel: refuse,
    receive: refuse,
    listTemplates: refuse,
    createTemplate: refuse,
    deleteTemplate: refuse,
    download: refuse,
    logout: async () => true,
    close: async () => {},
    ...commands,
  }
  const whatsapp: Network = {
    name: 'scripted',
    capabilities: new Set(['codes']),
    open(account, listener) {
      onOpen(account)
      listeners.set(account.instanceId, listener)
      return session
    },
    unpair: async () => {},
    stop: async () => {},
  }
  const app = await startTestApp({ PRODUCTION_NETWORK: 'whatsapp', ...env }, { whatsapp })
  let made = 0
  return {
    app,
    sent,
    listenerOf(id) {
      const listener = listeners.get(id)
      if (!listener) throw new Error(`instance ${id} has no session`)
      return listener
    },
    async connect() {
      const project = await app.project()
      const api = await app.key(project, 'production')
      const { body } = await api.post('/v1/instances', { name: 'Loja' })
      await api.post(`/v1/instances/${body.id}/connect`)
      await app.settle()
      const listener = listeners.get(body.id)
      if (!listener) throw new Error(`instance ${body.id} has no session after connect`)
      const phone = `55119${6e7 + ++made}`
      const lid = `7${phone}@lid`
      await listener.onStatus({
        status: 'PAIRED',
        phone,
        lid,
        profileName: 'Loja',
        business: false,
      })
      await listener.onStatus({ status: 'CONNECTED' })
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

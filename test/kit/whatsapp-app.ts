import type { Body, Client } from './client.ts'
import type { Receiver } from './receiver.ts'
import { startTestApp, type Project } from './test-app.ts'
import { root } from './whatsapp-server/certificate.ts'
import { trustLoopback } from './whatsapp-server/media-host.ts'
import type { Person } from './whatsapp-server/person.ts'
import { WhatsAppServer } from './whatsapp-server/server.ts'
import { unrefTimers } from './whatsapp-server/unref-timers.ts'

/** Far longer than anything takes: a machine that also does other work must not fail a test. */
const LONGEST_MS = 60_000

/** A Project with an instance on WhatsApp, the phone it is paired with, and a contact. */
export type OnWhatsApp = {
  api: Client
  project: Project
  id: string
  base: string
  own: Person
  ana: Person
  /** Receives every event. */
  receiver: Receiver
}
/** The app and protocol server returned by `startWhatsAppApp`. */
export type WhatsAppApp = Awaited<ReturnType<typeof startWhatsAppApp>>

/** Starts a server whose production network is WhatsApp, and the WhatsApp protocol server. */
export async function startWhatsAppApp(env: Record<string, string> = {}) {
  unrefTimers()
  trustLoopback()
  const server = new WhatsAppServer()
  await server.listen()
  const app = await startTestApp({
    PRODUCTION_NETWORK: 'whatsapp',
    WHATSAPP_URL: server.url,
    WHATSAPP_VERSION_URL: server.versionUrl,
    WHATSAPP_ROOT_KEY: Buffer.from(root.public).toString('base64'),
    ...env,
  })
  let made = 0

  /** Polls `look` until it returns a truthy value, because socket I/O is not tracked by `settle`. Rejects after a minute. */
  async function until<T>(look: () => Promise<T> | T, what: string): Promise<NonNullable<T>> {
    const end = performance.now() + LONGEST_MS
    for (;;) {
      await app.settle()
      const found = await look()
      if (found) return found
      if (performance.now() > end) {
        throw new Error(`timed out after ${LONGEST_MS} ms: ${what}: ${app.logs.slice(-5).join('')}`)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function create(settings: object = {}, business = false): Promise<OnWhatsApp> {
    const number = ++made
    const own = server.person(`55119${70_000_000 + number}`, 'Loja', { business })
    const ana = server.person(`55119${80_000_000 + number}`, 'Ana')
    const project = await app.project()
    const api = await app.key(project, 'production')
    const receiver = await app.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const { body } = await api.post('/v1/instances', { name: 'Loja', settings })
    return { api, project, id: body.id, base: `/v1/instances/${body.id}`, own, ana, receiver }
  }

  async function codeOf({ api, base }: OnWhatsApp): Promise<string> {
    return until(async () => (await api.get(`${base}/qr/poll`)).body.code as string, 'a code')
  }
  const statusOf = async ({ api, base }: OnWhatsApp) => (await api.get(base)).body.status as string

  const reach = (one: OnWhatsApp, status: string) =>
    until(async () => (await statusOf(one)) === status, status)

  return {
    app,
    server,
    until,
    create,
    codeOf,
    statusOf,
    reach,
    async connect(settings?: object, business?: boolean): Promise<OnWhatsApp> {
      const one = await create(settings, business)
      server.pairing.scan(one.own, await codeOf(one))
      await reach(one, 'CONNECTED')
      await until(() => server.groups.listed.has(one.own), 'its groups')
      return one
    },
    told: ({ receiver }: OnWhatsApp, name: string) =>
      receiver.events(name).map(({ body }): Body => body.data),
    message: ({ api, base }: OnWhatsApp, id: string, status: string): Promise<Body> =>
      until(async () => {
        const { body } = await api.get(`${base}/messages/${id}`)
        return body.status === status ? body : null
      }, `message ${status}`),
    async close(): Promise<void> {
      await app.close()
      await server.close()
      if (server.surprises.length > 0) throw new Error(server.surprises.join('\n'))
    },
  }
}

// Numbers of the companies on each network, and what a company needs to pair them.
import { startGraphServer } from '../kit/graph-server.ts'
import { accountOf } from '../kit/official-shop.ts'
import { root } from '../kit/whatsapp-server/certificate.ts'
import { WhatsAppServer } from '../kit/whatsapp-server/server.ts'
import type { KeyFault } from '../kit/whatsapp-server/world.ts'

/** Number of contacts on WhatsApp; on the simulator every number exists. */
const PEOPLE = 100
/** Key faults of the contacts that the hostile company writes to on WhatsApp. */
const KEY_FAULTS: KeyFault[] = ['404', '406', '429', 'forged', 'no_identity']

/** Sends a request with a company's credential. */
export type Call = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
) => Promise<{ status: number; body: Record<string, unknown> }>

/** A number on the official API: the path of its webhook, and the secret that signs it. */
export type OfficialNumber = { path: string; appSecret: string; phoneNumberId: string }

/** Sends a POST and returns the body; throws unless the status is a success. */
export async function postOrThrow(
  call: Call,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const answer = await call('POST', path, body)
  if (answer.status >= 300) {
    throw new Error(`POST ${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  return answer.body as Record<string, string>
}

/** Pairs instances and names recipients on one of the networks. */
export type Phones = AsyncDisposable & {
  env: Record<string, string>
  /** Scans the QR code of a new instance; resolves with false if the code has expired. */
  pair(call: Call, index: number): Promise<(code: string) => Promise<boolean>>
  /** Phone number to which request `index` of the steady load sends. */
  recipient(index: number): string
  poisoned: string[]
  /** Connects an instance of the official API. */
  connectOfficial(call: Call): Promise<OfficialNumber | null>
}

/** Virtual phones of the simulator. */
export function simulatorPhones(): Phones {
  return {
    env: { PRODUCTION_NETWORK: 'simulator' },
    async pair(call) {
      const { body } = await call('POST', '/v1/simulator/phones', { name: 'Loja' })
      const path = `/v1/simulator/phones/${String(body['id'])}/scan`
      return async (code) => (await call('POST', path, { code })).status === 200
    },
    // Avoid the simulator's special numbers, which end in 0001 to 0006.
    recipient: (index) => `5511${900_000_009 + (index % 5000) * 10}`,
    poisoned: [],
    connectOfficial: async () => null,
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Contacts on the protocol server, half of them with unusable keys. */
export async function whatsAppPhones(): Promise<Phones> {
  const server = new WhatsAppServer()
  await server.listen()
  const graph = await startGraphServer()
  const people = Array.from({ length: PEOPLE }, (_, index) =>
    server.person(`55119${80_000_000 + index}`, `Cliente ${index}`),
  )
  const poisoned = Array.from({ length: PEOPLE }, (_, index) =>
    server.person(`55119${70_000_000 + index}`, `Veneno ${index}`),
  )
  const faultOf = new Map(
    poisoned.map((person, index) => [person, KEY_FAULTS[index % KEY_FAULTS.length] ?? '406']),
  )
  server.faults.spoilKeys = (person) => faultOf.get(person) ?? null
  return {
    env: {
      WHATSAPP_URL: server.url,
      CLOUD_API_URL: graph.url,
      WHATSAPP_ROOT_KEY: Buffer.from(root.public).toString('base64'),
    },
    async pair(_call, index) {
      const own = server.person(`55119${60_000_000 + index}`, `Loja ${index}`)
      return async (code) => {
        server.pairing.scan(own, code)
        return true
      }
    },
    recipient: (index) => people[index % PEOPLE]?.phone ?? '',
    poisoned: poisoned.map(({ phone }) => phone),
    async connectOfficial(call) {
      const number = graph.number('551130000001')
      const instance = { name: 'Loja', network: 'cloud_api' }
      const { id = '' } = await postOrThrow(call, '/v1/instances', instance)
      const path = `/v1/instances/${id}/cloud-account`
      const { status } = await call('PUT', path, accountOf(number))
      if (status !== 200) throw new Error(`PUT ${path} returned ${status}`)
      const { appSecret, phoneNumberId } = number
      return { path: `/cloud/${id}`, appSecret, phoneNumberId }
    },
    async [Symbol.asyncDispose]() {
      graph.close()
      await server.close()
    },
  }
}

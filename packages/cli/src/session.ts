import { lookup as lookupName, type LookupAddress } from 'node:dns'
import { Agent, fetch as undiciFetch } from 'undici'
import { WebSocket } from 'ws'
import { PermissionError, Recado } from '../../sdk/src/index.ts'
import { CommandError, EXIT } from './output.ts'
import { say } from './phrases.ts'
import { readProfiles, type Profile } from './profiles.ts'
import { signal as stopping } from './stopping.ts'

/** The options that every command has. */
export type Globals = {
  profile: string
  /** Whether `--profile` was given. */
  isProfileGiven?: boolean
  key?: string
  url?: string
  json: boolean
}
/** A command's client, and where its key came from. */
export type Session = {
  recado: Recado
  url: string
  apiKey: string
  profile: Profile
  isTest: boolean
  globals: Globals
}

type Done = (error: Error | null, addresses: LookupAddress[]) => void
/** Not every system resolves *.localhost, the hosts of a server on this machine. */
const lookup = (host: string, _options: object, done: Done) =>
  host.endsWith('.localhost')
    ? done(null, [{ address: '127.0.0.1', family: 4 }])
    : lookupName(host, { all: true }, done as never)
const agent = new Agent({ connect: { lookup } })

/** `fetch` of the program: finds *.localhost and streams bodies. */
export async function fetchAny(request: Request): Promise<Response> {
  const { url, method, headers, signal, redirect } = request
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : null
  const response = await undiciFetch(url, {
    method,
    headers: [...headers],
    body,
    signal: AbortSignal.any([signal, stopping]),
    redirect,
    dispatcher: agent,
  })
  return response as unknown as Response
}

/** A WebSocket that finds *.localhost. */
export class LocalWebSocket extends WebSocket {
  constructor(url: string, options: { headers: Record<string, string> }) {
    super(url, { ...options, lookup })
  }
}

/** Creates the client of a key; `Socket` receives its events. */
export const createClient = (
  { apiKey, url }: { apiKey: string; url: string },
  Socket: typeof LocalWebSocket = LocalWebSocket,
) =>
  new Recado({
    apiKey,
    baseUrl: url,
    maxRetries: 2,
    fetch: fetchAny,
    WebSocket: Socket as never,
  })

const isTestKey = (apiKey: string) => apiKey.startsWith('svc_test_')

/**
 * Returns the address of a mode's host: that of the profile, or of a server on this machine. Throws if the profile is of
 * the other mode and its server is elsewhere, since only its operator knows the names of both hosts.
 */
function addressFor(isTest: boolean, saved: Profile | undefined): string {
  const local = new URL(isTest ? 'http://sandbox.localhost:3000' : 'http://localhost:3000')
  if (!saved?.url) return local.origin
  if (isTestKey(saved.apiKey) === isTest) return saved.url
  const { hostname, port } = new URL(saved.url)
  if (!/^(sandbox\.)?localhost$/.test(hostname))
    throw new CommandError(say.otherMode(isTest, saved.url), EXIT.usage)
  local.port = port
  return local.origin
}

/** Opens the client of a command. Throws if there is no key. */
export function openSession(globals: Globals): Session {
  const saved = readProfiles()[globals.profile]
  const { RECADO_KEY, RECADO_URL } = globals.isProfileGiven ? {} : process.env
  const apiKey = globals.key ?? RECADO_KEY ?? saved?.apiKey
  if (!apiKey) {
    const named = globals.isProfileGiven
    throw new CommandError(named ? say.noProfile(globals.profile) : say.noKey, EXIT.key)
  }
  if (!/^svc_(test|live)_\w+$/.test(apiKey)) throw new CommandError(say.badKey, EXIT.key)
  const isTest = isTestKey(apiKey)
  const url = globals.url ?? RECADO_URL ?? addressFor(isTest, saved)
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CommandError(say.badApiUrl(url), EXIT.usage)
  const recado = createClient({ apiKey, url })
  return { recado, url, apiKey, profile: { ...saved, apiKey, url }, isTest, globals }
}

/** Throws unless the key is of test mode, for commands that use the simulator. */
export function requireTest({ isTest }: Session): void {
  if (!isTest) throw new CommandError(say.testOnly, EXIT.key)
}

const isConnected = ({ status }: { status: string }) => status === 'CONNECTED'

/** Returns the only instance, or the first that is connected. */
async function chooseInstance({ recado }: Session) {
  const { items } = await recado.instances.list({ limit: 100 }).page()
  const connected = items.find(isConnected)
  const [first, second] = items
  if (!first) throw new CommandError(say.noInstance)
  if (!connected && second) throw new CommandError(say.whichInstance, EXIT.usage)
  return connected ?? first
}

/** The id of the instance to send from. A key that may not read it has to name one, unless it reaches only one. */
export async function instanceToSendFrom(session: Session): Promise<string> {
  try {
    return (await chooseInstance(session)).id
  } catch (error) {
    if (!(error instanceof PermissionError) || error.reason !== 'KEY_RESTRICTED') throw error
    // Throws for a key that may not be used from here at all.
    const { key } = await session.recado.me({ signal: stopping })
    const [only, another] = key.restrictions?.instanceIds ?? []
    if (only !== undefined && another === undefined) return only
    throw new CommandError(say.nameInstance(error.message), EXIT.key)
  }
}

/** Returns the instance with this id, the only one that is not connected, or the only one. */
export async function chooseUnpaired({ recado }: Session, id?: string) {
  if (id) return recado.instances.get(id)
  const { items } = await recado.instances.list({ limit: 100 }).page()
  const unpaired = items.filter((one) => !isConnected(one))
  const [first, second] = unpaired.length > 0 ? unpaired : items
  if (!first) throw new CommandError(say.noInstance)
  if (second) throw new CommandError(unpaired[0] ? say.whichToPair : say.allConnected, EXIT.usage)
  return first
}

import { randomBytes } from 'node:crypto'
import { lookup as lookUpSystem } from 'node:dns'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Config, Mode } from '../../kernel/config/config.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { check, CHECK_MS, describeFailure, type Check } from './check.ts'
import { PROBE_GAP_MS, PROBE_HEADER, PROBE_PATH, PROBE_STREAM_PATH, type Seen } from './probe.ts'

/** In an unbuffered stream, the second event arrives about `PROBE_GAP_MS` after the first. */
const LEAST_GAP_MS = PROBE_GAP_MS / 2
const LARGEST_RESPONSE = 16 * 1024

type Host = { name: string; url: string; mode: Mode }

/**
 * Checks the configured addresses from outside, through whatever proxy is in front of the server: that they reach it,
 * with the right mode, scheme and client address, and that streams and WebSockets pass. `token` is one of the doctor's.
 */
export async function checkHosts(config: Config, token: string): Promise<Check[]> {
  const { publicUrl, sandboxUrl, panelUrl } = config
  const hosts: Host[] = [
    { name: 'PUBLIC_URL', url: publicUrl, mode: 'production' },
    { name: 'SANDBOX_URL', url: sandboxUrl, mode: 'test' },
  ]
  if (new URL(panelUrl).origin !== new URL(publicUrl).origin)
    hosts.push({ name: 'PANEL_URL', url: panelUrl, mode: 'production' })
  return (await Promise.all(hosts.map((host) => checkHost(host, token)))).flat()
}

async function checkHost(host: Host, token: string): Promise<Check[]> {
  const { name, url } = host
  const words = say.ops.remedies
  let seen: Seen | null
  try {
    seen = await askHowSeen(url, token)
  } catch (error) {
    return [check(name, false, `${url}: ${describeFailure(error)}`, words.unreachable(url))]
  }
  if (!seen) return [check(name, false, url, words.otherServer(url))]
  const [streams, sockets] = await Promise.all([checkStream(host, token), checkSocket(host)])
  return [checkSeen(host, seen), streams, sockets]
}

function checkSeen({ name, url, mode }: Host, seen: Seen): Check {
  const { scheme, client, peer, forwarded, trusted } = seen
  const words = say.ops.remedies
  const detail = `${scheme}, ${client}`
  if (seen.mode !== mode) return check(name, false, seen.mode, words.host(new URL(url).host))
  if (forwarded && !trusted) return check(name, false, detail, words.trustProxy(peer))
  if (`${scheme}:` !== new URL(url).protocol) return check(name, false, detail, words.scheme)
  // TLS ends before the server, so there is a proxy.
  if (scheme === 'https' && !forwarded) return check(name, false, detail, words.forwardedFor)
  return check(name, true, detail, '')
}

async function checkStream({ name, url }: Host, token: string): Promise<Check> {
  const words = say.ops.remedies
  try {
    const response = await ask(url, PROBE_STREAM_PATH, { [PROBE_HEADER]: token })
    let firstAt: number | undefined
    for await (const _ of response) firstAt ??= performance.now()
    const gap = Math.round(performance.now() - (firstAt ?? performance.now()))
    return check(`${name}: SSE`, gap >= LEAST_GAP_MS, `${gap} ms`, words.buffering)
  } catch (error) {
    return check(`${name}: SSE`, false, describeFailure(error), words.buffering)
  }
}

/** Opens a WebSocket without a key, which the server accepts and then closes with its reason. */
async function checkSocket({ name, url }: Host): Promise<Check> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  }
  const outcome = await new Promise<string>((resolve) => {
    const request = begin(url, '/v1/events', headers)
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      resolve('101')
    })
    request.once('response', (response) => {
      response.destroy()
      resolve(String(response.statusCode))
    })
    request.once('error', (error) => resolve(describeFailure(error)))
    request.end()
  })
  return check(`${name}: WebSocket`, outcome === '101', outcome, say.ops.remedies.upgrade)
}

/** Null if something other than a server with this master key answers. */
async function askHowSeen(url: string, token: string): Promise<Seen | null> {
  const response = await ask(url, PROBE_PATH, { [PROBE_HEADER]: token })
  let text = ''
  for await (const chunk of response) {
    text += String(chunk)
    if (text.length > LARGEST_RESPONSE) return null
  }
  if (response.statusCode !== 200) return null
  try {
    return JSON.parse(text) as Seen
  } catch {
    return null
  }
}

function ask(url: string, path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = begin(url, path, headers)
    request.once('response', resolve).once('error', reject)
    request.end()
  })
}

function begin(url: string, path: string, headers: Record<string, string>): ClientRequest {
  const target = new URL(path, url)
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  return send(target, { headers, lookup, agent: false, signal: AbortSignal.timeout(CHECK_MS) })
}

/** Not every system knows names below `localhost`. */
const lookup: LookupFunction = (hostname, options, callback) => {
  const name = /(^|\.)localhost$/.test(hostname) ? '127.0.0.1' : hostname
  lookUpSystem(name, options, callback)
}

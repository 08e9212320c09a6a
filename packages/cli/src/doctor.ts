import { call } from './call.ts'
import { EXIT, explain, print, CommandError } from './output.ts'
import { say } from './phrases.ts'
import { LocalWebSocket, type Session } from './session.ts'

const MAX_SKEW_SECONDS = 30
const WEBSOCKET_TIMEOUT_MS = 5000

type Finding = { check: string; ok: boolean; text: string }

/** The status of a response to an upgrade that arrived without its headers. */
const UPGRADE_REQUIRED = 426

/** The server's own sentence in the body of a refusal; its status if a proxy removed the upgrade or responded itself. */
function refusalOf(body: string, status = 0): string {
  if (status === UPGRADE_REQUIRED) return say.websocketFails(`HTTP ${status}`)
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } }
    if (typeof error?.message === 'string') return error.message
  } catch {
    // A page of a proxy.
  }
  return say.websocketFails(`HTTP ${status}`)
}

/** Connects to the event stream; returns why its first frame did not arrive, or null. */
function tryWebSocket({ url, apiKey }: Session): Promise<string | null> {
  const socket = new LocalWebSocket(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/events`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  return new Promise<string | null>((resolve) => {
    const timer = setTimeout(
      () => resolve(say.websocketFails(say.noFirstFrame)),
      WEBSOCKET_TIMEOUT_MS,
    )
    const end = (why: string | null) => {
      clearTimeout(timer)
      resolve(why)
    }
    socket.on('message', () => end(null))
    // The server says itself why it refuses the connection, such as the rate limit of the key.
    socket.on('unexpected-response', (_, response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => end(refusalOf(Buffer.concat(parts).toString(), response.statusCode)))
    })
    socket.on('error', ({ message }) => end(say.websocketFails(message)))
    // What the server says is no fault of a proxy.
    socket.on('close', (code, reason) =>
      end(code >= 4000 ? reason.toString() : say.websocketFails(`${code} ${reason.toString()}`)),
    )
  }).finally(() => socket.terminate())
}

/** Checks everything that the key lets this command see; a check that fails does not keep the others from running. */
async function inspect(session: Session): Promise<Finding[]> {
  const { recado, url } = session
  const findings: Finding[] = []
  const add = (check: string, ok: boolean, text: string) => findings.push({ check, ok, text })
  const attempt = async (check: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      add(check, false, explain(error, url).message)
    }
  }
  // Without a key that is accepted, there is nothing else to check.
  const me = await recado.me()
  const { project, mode, key } = me
  add(say.checks.server, true, url)
  add(say.checks.key, true, `${key.name}, ${project.name}, ${say.modes[mode]}`)
  const { credits, dailyCap } = me
  if (dailyCap) {
    const { used, limit } = dailyCap
    add(say.checks.cap, used < limit, say.capUsed(used, limit))
  } else add(say.checks.credits, credits > 0, say.creditsLeft(credits))
  await attempt(say.checks.clock, async () => {
    const { headers } = await call(session, 'GET', '/v1/me')
    const date = headers.get('date')
    const skew = Math.round(Math.abs(Date.now() - Date.parse(date ?? '')) / 1000)
    const late = skew > MAX_SKEW_SECONDS
    add(say.checks.clock, !late, late ? say.clockSkew(skew) : say.clockFine)
  })
  const why = await tryWebSocket(session)
  add(say.checks.websocket, why === null, why ?? 'ok')
  await attempt(say.checks.instances, async () => {
    const { items } = await recado.instances.list({ limit: 100 }).page()
    const connected = items.filter((one) => one.status === 'CONNECTED').length
    add(say.checks.instances, connected > 0, say.connected(connected, items.length))
  })
  await attempt(say.checks.webhooks, async () => {
    const { items: webhooks } = await recado.webhooks.list().page()
    const failing = webhooks.filter(
      ({ enabled, lastFailureAt, lastSuccessAt }) =>
        enabled && lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? ''),
    )
    for (const { name, lastFailureReason } of failing)
      add(say.checks.webhooks, false, say.webhookFails(name, lastFailureReason ?? ''))
    if (failing.length === 0) add(say.checks.webhooks, true, say.webhooksFine(webhooks.length))
  })
  return findings
}

/** `recado doctor`: checks what an integration needs; exits with 1 if something is wrong. */
export async function doctor(session: Session): Promise<void> {
  const findings = await inspect(session).catch((error: unknown) => {
    throw explain(error, session.url)
  })
  for (const { check, ok, text } of findings)
    print(session.globals.json, `${ok ? '✓' : '✗'} ${check}: ${text}`, { check, ok, text })
  if (findings.some(({ ok }) => !ok)) throw new CommandError('', EXIT.failed)
}

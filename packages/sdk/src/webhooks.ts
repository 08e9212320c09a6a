import { RecadoError } from './errors.ts'
import type { WebhookEvent } from './generated/types.gen.ts'
import { webhooks as say } from './phrases.ts'
/** The signature, its headers or the time of a delivery is wrong: answer with 400 and ignore the body. */
export class SignatureError extends RecadoError {
  override readonly name = 'SignatureError'
}
type HeaderSource =
  { get(name: string): string | null | undefined } | Record<string, string | string[] | undefined>
const TOLERANCE_SECONDS = 300
const MIN_KEY_BYTES = 24
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }
/**
 * Verifies a delivery (Standard Webhooks) and returns its event, or throws SignatureError. `rawBody` is the body as
 * received; of several `secrets` (`whsec_…`), as while one is being replaced, one must match.
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | string[],
  options: { now?: Date } = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !timestamp || !signatures) throw new SignatureError(say.missingHeaders)
  const seconds = (options.now ?? new Date()).getTime() / 1000
  if (!(Math.abs(seconds - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new SignatureError(say.oldTimestamp)
  const part = rawBody as string | Uint8Array<ArrayBuffer>
  const signed = await new Blob([`${id}.${timestamp}.`, part]).arrayBuffer()
  const given = signatures
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .flatMap((part) => decode(part.slice('v1,'.length)) ?? [])
  for (const secret of [secrets].flat()) {
    const bytes = decode(/^whsec_(.+)$/.exec(secret)?.[1] ?? '')
    // A cut setting would leave a key that anyone can guess.
    if (!bytes || bytes.length < MIN_KEY_BYTES) throw new SignatureError(say.badSecret)
    const key = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['verify'])
    for (const signature of given) {
      // WebCrypto compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
        try {
          return JSON.parse(await new Blob([part]).text()) as WebhookEvent
        } catch (cause) {
          throw new SignatureError(say.notJson, { cause })
        }
      }
    }
  }
  throw new SignatureError(say.badSignature)
}
function headerOf(headers: HeaderSource, name: string): string | undefined {
  // Those of any library, or of an older version of the platform's.
  if (typeof headers?.get === 'function') return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name) ?? []
  return Array.isArray(value) ? value[0] : value
}
/** Decodes base64; null if it is malformed. */
function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

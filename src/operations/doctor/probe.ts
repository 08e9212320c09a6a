import type { Mode } from '../../kernel/config/config.ts'
import type { Seal } from '../../kernel/seal.ts'

/** The path that returns how a request reached the server. */
export const PROBE_PATH = '/probe'
/** The path that streams two events, `PROBE_GAP_MS` apart. */
export const PROBE_STREAM_PATH = '/probe/stream'
/** The time between the two events. */
export const PROBE_GAP_MS = 1000
/** The header that carries the doctor's token. */
export const PROBE_HEADER = 'x-recado-probe'

const CONTEXT = 'doctor'
const VALID_MS = 60_000

/** How a request reached the server. */
export type Seen = {
  mode: Mode
  scheme: string
  /** The client's address as the server knows it. */
  client: string
  /** The address that the connection came from. */
  peer: string
  /** Whether the request passed a proxy that names its client. */
  forwarded: boolean
  /** Whether the server trusts that proxy. */
  trusted: boolean
}

/** A token that only holders of the master key can make, and that is valid for a minute. */
export function makeProbeToken(seal: Seal, now: number): string {
  return seal.close(Buffer.from(String(now + VALID_MS)), CONTEXT).toString('base64url')
}

/** Whether `token` was made with the master key within the last minute. */
export function isProbeToken(seal: Seal, token: unknown, now: number): boolean {
  if (typeof token !== 'string') return false
  try {
    return Number(seal.open(Buffer.from(token, 'base64url'), CONTEXT).toString()) >= now
  } catch {
    // Made with another key, or not a token at all.
    return false
  }
}

import type { Mode } from '../../kernel/config/config.ts'
import { randomAlphanumeric } from '../../kernel/ids.ts'

const PREFIX: Record<Mode, string> = { test: 'svc_test_', production: 'svc_live_' }
const SECRET_LENGTH = 40

/** Returns the mode of an API key by its prefix, or null if it is not an API key. */
export function modeOfKey(key: string): Mode | null {
  if (key.startsWith(PREFIX.test)) return 'test'
  return key.startsWith(PREFIX.production) ? 'production' : null
}

/** Generates a key and its displayable prefix: the mode prefix and six characters (G13). */
export function makeKey(mode: Mode): { key: string; keyPrefix: string } {
  const secret = randomAlphanumeric(SECRET_LENGTH)
  return { key: PREFIX[mode] + secret, keyPrefix: PREFIX[mode] + secret.slice(0, 6) }
}

import type { WASocket } from 'baileys'
import type { AuthState } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import type { Ear } from './ear.ts'
import type { KeyGuard } from './key-guard.ts'
import type { KnownGroups } from './known-groups.ts'
import type { Teller } from './teller.ts'
import type { Valve } from './valve.ts'

/** What stands behind a session while its line lives; another line has its own. */
export type Life = {
  baileys: Baileys
  valve: Valve
  teller: Teller
  ear: Ear
  state: AuthState
  groups: KnownGroups
  keyGuard: KeyGuard
  socket: WASocket | null
  /** It has come as far as it can by itself: connected, over, or waiting for a telephone. */
  begun: () => void
}

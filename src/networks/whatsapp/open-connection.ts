import type { WASocket } from 'baileys'
import type { AuthState } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import type { EventTranslator } from './event-translator.ts'
import type { GroupCache } from './group-cache.ts'
import type { KeyGuard } from './key-guard.ts'
import type { StoredMessages } from './stored-messages.ts'
import type { WriteBarrier } from './write-barrier.ts'

/** The connection that commands use. */
export type OpenConnection = {
  baileys: Baileys
  socket: WASocket
  state: AuthState
  barrier: WriteBarrier
  translator: EventTranslator
  groups: GroupCache
  keyGuard: KeyGuard
  stored: StoredMessages
}

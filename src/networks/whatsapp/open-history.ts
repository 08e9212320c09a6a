import type { Clock } from '../../kernel/clock.ts'
import type { NetworkListener } from '../network-events.port.ts'
import type { NetworkAccount } from '../network.port.ts'
import type { ConnectionContext } from './connection-context.ts'
import { createHistoryImporter, type HistoryImporter } from './history.ts'
import { DEFAULT_HOST, type WhatsAppMedia } from './media.ts'
import { mediaConnectionOf } from './media-connection.ts'
import { toParty } from './people.ts'

/** Creates the importer of a session's history, which uses the connection that is current at that time. */
export function openHistory(deps: {
  clock: Clock
  account: NetworkAccount
  listener: NetworkListener
  media: WhatsAppMedia
  current: () => ConnectionContext | null
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown, task?: string) => void
}): HistoryImporter {
  const { clock, account, listener, media, current, inBackground, onError } = deps

  function line() {
    const connection = current()
    const socket = connection?.socket
    if (!connection || !socket) return null
    const { baileys, state, groups } = connection
    return {
      baileys,
      self: () => toParty([state.creds.me?.id, state.creds.me?.lid]),
      complete: (party: Parameters<typeof state.complete>[0]) =>
        groups.fillInParty(state.complete(party)),
      async host() {
        const [first] = (await mediaConnectionOf(socket, clock)).hosts
        return first ?? DEFAULT_HOST
      },
    }
  }

  return createHistoryImporter({
    clock,
    projectId: account.projectId,
    store: account.credentials,
    listener,
    media,
    wanted: () => account.settings.historySync,
    line,
    inBackground,
    onError,
  })
}

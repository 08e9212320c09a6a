import type { BinaryNode, WASocket } from 'baileys'
import type { AuthState } from './auth-state.ts'

/** Removes this device from its account. Unlike the engine's own logout, resolves only once WhatsApp has confirmed. */
export function unpair(socket: WASocket, { creds }: AuthState): Promise<BinaryNode | undefined> {
  const attrs = { jid: creds.me?.id ?? '', reason: 'user_initiated' }
  const content = [{ tag: 'remove-companion-device', attrs }]
  const to = { to: 's.whatsapp.net', type: 'set', xmlns: 'md' }
  return socket.query({ tag: 'iq', attrs: to, content }) as Promise<BinaryNode | undefined>
}

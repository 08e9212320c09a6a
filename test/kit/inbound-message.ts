import type { InboundMessage } from '../../src/networks/network-events.port.ts'
import type { Clock } from '../../src/kernel/clock.ts'

/** What a test says of a message that a network reports; the rest has defaults. */
export type WrittenMessage = Pick<InboundMessage, 'chatId' | 'sender'> & Partial<InboundMessage>

let made = 0

/** Builds a text message as a network reports it, with an id of its own and the time of `clock`. */
export const inboundMessage = (clock: Clock, one: WrittenMessage): InboundMessage => ({
  waMessageId: `3A${++made}`,
  chatType: one.chatId.endsWith('@g.us') ? 'group' : 'direct',
  chatName: null,
  fromMe: false,
  type: one.content?.type ?? 'text',
  content: { type: 'text', text: 'original' },
  media: null,
  quoted: null,
  mentions: [],
  alreadyCounted: false,
  at: clock.now(),
  ...one,
})

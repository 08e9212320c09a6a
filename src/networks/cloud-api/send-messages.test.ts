import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import type { OutboundMessage } from '../network.port.ts'
import type { CloudAccount } from './account.ts'
import { createCloudSender } from './send-messages.ts'

const messageTo = (index: number): OutboundMessage => ({
  waMessageId: `3EB0${index}`,
  chatId: `5511988880${100 + index}@s.whatsapp.net`,
  chatType: 'direct',
  audience: [],
  content: { type: 'text', text: 'oi' },
  media: null,
  quoted: null,
  target: null,
  mentions: [],
  typingMs: 0,
})

it('a message whose turn comes after the time of its batch is returned as not attempted, and not posted', async () => {
  const clock = createManualClock()
  const posted: string[] = []
  const release = Promise.withResolvers<void>()
  const graph = {
    async post(_account: unknown, _path: string, { to }: { to: string }) {
      posted.push(to)
      await release.promise
      return { messages: [{ id: `wamid.${to}` }] }
    },
  }
  const sent = {
    attempts: async () => new Map(),
    begin: async () => {},
    accepted: async () => {},
    unsent: async () => {},
  }
  const sender = createCloudSender({
    clock,
    graph: graph as never,
    sent: sent as never,
    report: () => {},
    onNumber: () => {},
    onTrouble: () => {},
    connectedAt: () => 0,
  })
  const messages = Array.from({ length: 40 }, (_, index) => messageTo(index))
  const until = clock.now() + 30_000
  const sending = sender.send({} as CloudAccount, messages, () => false, until)
  while (posted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  const begun = posted.length
  assert.ok(begun < messages.length, 'some wait for a turn')
  clock.jump(30_000)
  release.resolve()
  const deferred = await sending
  assert.equal(posted.length, begun)
  assert.equal(deferred.length, messages.length - begun)
  assert.ok(deferred.every(({ notAttempted }) => notAttempted))
})

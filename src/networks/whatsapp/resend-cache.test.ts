import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, it } from 'node:test'
import { MessageRetryManager, type proto } from 'baileys'
import pino from 'pino'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createAuthState } from './auth-state.ts'
import { loadBaileys } from './baileys.ts'
import { keepOnlyOwn } from './resend-cache.ts'

const CHAT = '5511999998888@s.whatsapp.net'
const SELF = '5511999990000@s.whatsapp.net'

describe('memory of sent messages', () => {
  it('the engine keeps for resending only what goes to the devices of the account', () => {
    const manager = new MessageRetryManager(pino({ level: 'silent' }) as never, 5)
    keepOnlyOwn(manager, (chatId) => chatId === SELF)
    for (const message of [{ conversation: 'oi' }, { protocolMessage: { editedMessage: {} } }]) {
      manager.addRecentMessage(CHAT, 'x', message)
      assert.equal(manager.getRecentMessage(CHAT, 'x'), undefined)
    }
    manager.addRecentMessage(SELF, 'x', { protocolMessage: {} })
    assert.ok(manager.getRecentMessage(SELF, 'x'))
    manager.clear()
  })

  it('what the engine keeps for resending does not retain the transaction of the send', () => {
    const transaction = new AsyncLocalStorage<string>()
    const contexts: unknown[] = []
    const manager = {
      addRecentMessage: (_chat: string, _id: string, _message: proto.IMessage) =>
        void contexts.push(transaction.getStore()),
    }
    keepOnlyOwn(manager, () => true)
    transaction.run('send', () => manager.addRecentMessage(CHAT, 'x', { protocolMessage: {} }))
    assert.deepEqual(contexts, [undefined])
  })

  it('a key that arrives in a frame does not keep the memory of the frame', async () => {
    const baileys = await loadBaileys(null, createManualClock())
    const state = createAuthState(
      baileys,
      { creds: baileys.initAuthCreds(), storedKeys: new Map() },
      { saveKeys: () => {}, expectEvent: () => {} },
    )
    const frame = Buffer.alloc(64 * 1024, 7)
    const token = frame.subarray(10, 42)
    await state.keys.set({ tctoken: { [CHAT]: { token, timestamp: '1' } } })
    const { [CHAT]: held } = await state.keys.get('tctoken', [CHAT])
    assert.deepEqual(held, { token, timestamp: '1' })
    assert.equal(held?.token.buffer.byteLength, 32)
  })
})

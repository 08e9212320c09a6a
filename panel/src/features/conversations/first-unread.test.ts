import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Message } from '../../data/api-types.ts'
import { findFirstUnread } from './first-unread.ts'

const message = (id: string, direction: Message['direction'] = 'inbound', type = 'text') =>
  ({ id, waMessageId: `WA-${id}`, direction, type }) as Message

const thread = [
  message('1'),
  message('2', 'outbound'),
  message('3'),
  message('4', 'inbound', 'reaction'),
  message('5', 'outbound'),
  message('6'),
  message('7'),
]

describe('the first unread message', () => {
  it('is found by counting the received messages back from the last one that was counted', () => {
    assert.equal(findFirstUnread(thread, { count: 1, until: 'WA-6' }), '6')
    assert.equal(findFirstUnread(thread, { count: 2, until: 'WA-7' }), '6')
  })

  it('is counted without own messages and without kinds that never count as unread', () => {
    assert.equal(findFirstUnread(thread, { count: 3, until: 'WA-7' }), '3')
    assert.equal(findFirstUnread(thread, { count: 1, until: 'WA-4' }), '3')
  })

  it('is undefined while it, or the last message that was counted, is not loaded', () => {
    assert.equal(findFirstUnread(thread, { count: 9, until: 'WA-7' }), undefined)
    assert.equal(findFirstUnread(thread, { count: 1, until: 'WA-other' }), undefined)
  })
})

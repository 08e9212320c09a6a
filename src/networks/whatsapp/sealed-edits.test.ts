import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { proto } from 'baileys'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import type { Party } from '../../model/records.schemas.ts'
import { loadBaileys } from './baileys.ts'
import { createSealedEdits } from './sealed-edits.ts'

const PHONE = '5511988887777'
const LID = '123456789@lid'
const ID = '3EB0A1'
const known = (phone: string | null, lid: string | null): Party => ({ phone, lid, name: null })

/** Seals an edit as a client does, under one of the addresses of its author. */
function seal(secret: Uint8Array, author: string): proto.IMessage {
  const info = `${ID}${author}${author}Message Edit`
  const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32))
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, encIv)
  const bytes = proto.Message.encode({ conversation: 'R$ 90' }).finish()
  const encPayload = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  const secretEncType = proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT
  const targetMessageKey = { id: ID }
  return { secretEncryptedMessage: { targetMessageKey, encIv, encPayload, secretEncType } }
}

describe('sealed edits', () => {
  it('an edit opens when the phone or the LID of its author becomes known only after the message', async () => {
    const clock = createManualClock()
    const baileys = await loadBaileys(null, clock)
    const secret = randomBytes(32)
    const both = known(PHONE, LID)
    for (const [writer, editor] of [
      [known(PHONE, null), both],
      [known(null, LID), both],
      [both, known(PHONE, null)],
      [both, known(null, LID)],
    ] as const) {
      const edits = createSealedEdits({ baileys, clock, secrets: new Map() })
      const messageContextInfo = { messageSecret: secret }
      edits.remember({ key: { id: ID }, message: { messageContextInfo } }, writer)
      const address = editor.lid ?? `${PHONE}@s.whatsapp.net`
      const { message } = edits.open({ key: {}, message: seal(secret, address) }, editor)
      assert.equal(message?.protocolMessage?.editedMessage?.conversation, 'R$ 90')
      // Another person does not share any address with the author.
      const other = known('5511977770001', '987654321@lid')
      const forged = { key: {}, message: seal(secret, '987654321@lid') }
      assert.equal(edits.open(forged, other), forged)
    }
  })
})

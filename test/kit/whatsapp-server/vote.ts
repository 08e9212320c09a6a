import { createHash, randomBytes } from 'node:crypto'
import { aesEncryptGCM, hmacSign, proto } from 'baileys'

/** A vote as a phone encrypts it. */
export function sealVote(
  poll: { id: string; creator: string; message: proto.IMessage; group?: string },
  voter: string,
  options: string[],
): proto.IMessage {
  const secret = poll.message.messageContextInfo?.messageSecret ?? Buffer.alloc(0)
  const parts = [poll.id, poll.creator, voter, 'Poll Vote']
  const sign = Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.from([1])])
  const key = hmacSign(sign, hmacSign(Buffer.from(secret), Buffer.alloc(32), 'sha256'), 'sha256')
  const selectedOptions = options.map((name) => createHash('sha256').update(name).digest())
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const encIv = randomBytes(12)
  const encPayload = aesEncryptGCM(plain, key, encIv, Buffer.from(`${poll.id}\u0000${voter}`))
  const place = poll.group
    ? { remoteJid: poll.group, participant: poll.creator }
    : { remoteJid: poll.creator }
  const pollCreationMessageKey = { ...place, fromMe: false, id: poll.id }
  return { pollUpdateMessage: { pollCreationMessageKey, vote: { encPayload, encIv } } }
}

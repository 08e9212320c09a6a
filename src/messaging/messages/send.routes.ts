import type { FastifyRequest } from 'fastify'
import type { Db } from '../../platform/db/sql.ts'
import { hasKey, type Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf } from '../../platform/http/principal.ts'
import type { Message } from '../../model/records.schemas.ts'
import type { MessagesService, Send } from './messages.service.ts'
import type { ReadySends } from './send-files.ts'

/** The sends of a request, and how its response renders the messages. */
type Request<Body> = {
  instanceId: string
  /** The recipient of the request, if it names one. */
  to: string | undefined
  /** Returns the sends, all to the same chat. */
  read(db: Db): Promise<[Send, ...Send[]]>
  /** Whether the sends may have files. */
  hasFiles: boolean
  toBody(messages: Message[]): Body
  /** The fingerprint of the request's body, if that was a stream. */
  fingerprint?: unknown
}
/**
 * Returns a function that accepts the sends of a request, once per `Idempotency-Key`. With one, the number is looked up
 * and the files are stored before the transaction, which must wait for neither.
 */
export function createSendRoute(deps: {
  db: Db
  messages: Pick<MessagesService, 'prepareRecipient' | 'storeFiles' | 'sendTogether'>
  idempotent: Idempotent
}) {
  const { db, messages, idempotent } = deps
  return async function respond<Body>(
    request: FastifyRequest,
    reply: Parameters<Idempotent>[1],
    { instanceId, to, read, hasFiles, toBody, fingerprint = request.body }: Request<Body>,
  ): Promise<Body> {
    const scope = scopeOf(request)
    if (hasKey(request)) await messages.prepareRecipient(db, scope, instanceId, to)
    const storeFiles = async () => messages.storeFiles(db, scope, instanceId, await read(db))
    return idempotent(
      request,
      reply,
      async (on, ready: ReadySends | null) => {
        const sends = ready?.sends ?? (await read(on))
        const sent = await messages.sendTogether(on, scope, instanceId, sends)
        return { status: 201, body: toBody(sent) }
      },
      { body: fingerprint, ...(hasFiles ? { prepare: storeFiles } : {}) },
    )
  }
}

/** The message of a request with one send. */
export function singleMessage([message]: Message[]): Message {
  if (!message) throw new Error('sendTogether returned no message for a request with one send')
  return message
}

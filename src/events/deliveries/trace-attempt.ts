import type { Clock } from '../../kernel/clock.ts'
import { messageSubject, type Tracing } from '../../platform/tracing/tracing.port.ts'
import type { LeasedDelivery } from '../events.service.ts'
import type { AttemptOutcome } from './attempt.ts'

/** The instance and message ids are among the first fields of an envelope. */
const MAX_SEARCHED_LENGTH = 2048
const INSTANCE = /"instanceId":"(\w+)"/
const WA_MESSAGES = /"waMessageIds?":\[?("[^\]]*?")(?:\]|,"\w+":)/

/**
 * Records an attempt that has just ended in the trace of the event's message, or of the event without one. Returns the
 * id of the trace, or null.
 */
export function traceAttempt(
  { tracing, clock }: { tracing: Tracing; clock: Clock },
  { attempt, event, projectId, webhookId }: LeasedDelivery,
  outcome: AttemptOutcome,
): string | null {
  if (!tracing.enabled) return null
  const [subject, ...concerns] = findMessages(event.body.slice(0, MAX_SEARCHED_LENGTH))
  const { statusCode, durationMs, success, reasonClass } = outcome
  const endedAt = clock.now()
  return tracing.record({
    name: 'webhook.deliver',
    kind: 'client',
    subject: subject ?? event.id,
    first: subject === undefined && attempt === 1,
    concerns,
    startedAt: endedAt - durationMs,
    endedAt,
    attributes: {
      'recado.event': event.name,
      'recado.event_id': event.id,
      'recado.webhook_id': webhookId,
      'recado.project_id': projectId,
      'recado.attempt': attempt,
      ...(statusCode === null ? {} : { 'http.response.status_code': statusCode }),
    },
    failure: success ? null : reasonClass,
  })
}

function findMessages(start: string): string[] {
  const instanceId = INSTANCE.exec(start)?.[1]
  const listed = WA_MESSAGES.exec(start)?.[1]
  if (!instanceId || !listed) return []
  const ids = listed.split(',').map((quoted) => quoted.slice(1, -1))
  return ids.map((waMessageId) => messageSubject(instanceId, waMessageId))
}

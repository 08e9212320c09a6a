import type { Clock } from '../../kernel/clock.ts'
import { messageSubject, type Tracing } from '../../platform/tracing/tracing.port.ts'
import type { Mode } from '../../kernel/config/config.ts'

const STEPS = {
  'message.accept': 'producer',
  'message.receive': 'consumer',
} as const

/** Records the first span of messages, which started at `startedAt` and has just ended; later spans are its children. */
export function traceFirstStep(
  { tracing, clock }: { tracing: Tracing; clock: Clock },
  name: keyof typeof STEPS,
  messages: {
    id: string
    waMessageId: string
    mode: Mode
    projectId: string
    instanceId: string
  }[],
  startedAt: number,
): void {
  if (!tracing.enabled) return
  const endedAt = clock.now()
  for (const { id, waMessageId, mode, projectId, instanceId } of messages) {
    tracing.record({
      name,
      kind: STEPS[name],
      subject: messageSubject(instanceId, waMessageId),
      first: true,
      startedAt,
      endedAt,
      attributes: {
        'recado.message_id': id,
        'recado.instance_id': instanceId,
        'recado.project_id': projectId,
        'recado.mode': mode,
      },
      failure: null,
    })
  }
}

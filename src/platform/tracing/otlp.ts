import { createHash, randomBytes } from 'node:crypto'
import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace'
import type { Config } from '../../kernel/config/config.ts'
import type { Step, Tracing } from './tracing.port.ts'

const TRACE_BYTES = 16
const SPAN_BYTES = 8
const QUEUE_SIZE = 8192
const SEND_MS = 5000
const CLOSE_MS = 5000
const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}
/** All-zero ids are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/
const SCOPE = { name: 'recado' }

/**
 * Sends spans to an OpenTelemetry collector. The trace of a message is derived from its ids, so that its steps form one
 * trace although they run on different nodes, at different times, and nothing about it is stored.
 */
export function openOtlpTracing(
  { url, headers, serviceName, ratio }: NonNullable<Config['tracing']>,
  nodeId: string,
): Tracing {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MS })
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUE_SIZE,
    exportTimeoutMillis: SEND_MS,
  })
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.instance.id': nodeId,
  })
  const salt = randomHex(TRACE_BYTES)
  /**
   * The trace of a message is kept whole or not at all, on every node. A caller chooses the id of its own trace, so a salt
   * keeps it from choosing whether the trace is kept.
   */
  function isSampled({ subject }: Step, { traceId }: SpanContext): boolean {
    const from =
      subject === null ? createHash('sha256').update(salt).update(traceId).digest('hex') : traceId
    return parseInt(from.slice(0, 8), 16) / 2 ** 32 < ratio
  }

  return {
    enabled: true,
    record(step) {
      const { context, parent } = place(step)
      if (!isSampled(step, context)) return null
      processor.onEnd(toSpan(step, context, parent))
      return context.traceId
    },
    async close() {
      const late = new Promise<void>((resolve) => {
        AbortSignal.timeout(CLOSE_MS).addEventListener('abort', () => resolve())
      })
      // An unreachable collector must not prevent shutdown.
      await Promise.race([processor.shutdown().catch(() => {}), late])
    },
  }

  function toSpan(step: Step, context: SpanContext, parent: SpanContext | null): ReadableSpan {
    const { name, kind, startedAt, endedAt, attributes, failure, concerns = [] } = step
    return {
      name,
      kind: KINDS[kind],
      spanContext: () => context,
      ...(parent ? { parentSpanContext: parent } : {}),
      startTime: toHrTime(startedAt),
      endTime: toHrTime(endedAt),
      duration: toHrTime(endedAt - startedAt),
      status:
        failure === null
          ? { code: SpanStatusCode.UNSET }
          : { code: SpanStatusCode.ERROR, message: failure },
      attributes,
      links: concerns.map((subject) => ({ context: firstOf(subject) })),
      events: [],
      ended: true,
      resource,
      instrumentationScope: SCOPE,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }
}

/** The position of a step in its trace: its own ids and its parent's. */
function place({ subject, first, caller }: Step): {
  context: SpanContext
  parent: SpanContext | null
} {
  if (subject !== null) {
    const root = firstOf(subject)
    if (first) return { context: root, parent: null }
    return { context: { ...root, spanId: randomHex(SPAN_BYTES) }, parent: root }
  }
  const [, traceId, spanId] = TRACEPARENT.exec(caller ?? '') ?? []
  if (!traceId || !spanId) return { context: contextOf(randomHex(TRACE_BYTES)), parent: null }
  const parent = { ...contextOf(traceId), spanId, isRemote: true }
  return { context: contextOf(traceId), parent }
}

/** The ids of the first step of a subject. */
function firstOf(subject: string): SpanContext {
  const hash = createHash('sha256').update(subject).digest('hex')
  const [trace, span] = [hash.slice(0, TRACE_BYTES * 2), hash.slice(-SPAN_BYTES * 2)]
  return { ...contextOf(trace), spanId: span }
}

function contextOf(traceId: string): SpanContext {
  return { traceId, spanId: randomHex(SPAN_BYTES), traceFlags: TraceFlags.SAMPLED }
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

function toHrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}

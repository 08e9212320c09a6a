/** A step that has ended, as a span. Times are milliseconds since 1970. */
export type Step = {
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer'
  /**
   * What identifies the message (`messageSubject`) or event that the step is part of; its steps on all nodes form one
   * trace. Null for a request, which belongs to its caller's trace.
   */
  subject: string | null
  /** Whether this is the first step of its subject, below which the others appear. */
  first?: boolean
  /** The `traceparent` header of the caller. */
  caller?: string | undefined
  /** The subjects of other traces that the span links to. */
  concerns?: string[]
  startedAt: number
  endedAt: number
  attributes: Record<string, string | number>
  /** Why the step failed; null if it succeeded. */
  failure: string | null
}

/** Sends steps to a collector of traces, or discards them if none is configured. */
export type Tracing = {
  enabled: boolean
  /** Records a step, and returns the id of its trace, for exemplars; null if it is not sampled. Never throws. */
  record(step: Step): string | null
  /** Flushes pending spans, for at most a few seconds. */
  close(): Promise<void>
}

/** The subject of a message: events name messages by these two ids. */
export function messageSubject(instanceId: string, waMessageId: string): string {
  return `${instanceId} ${waMessageId}`
}

/** Discards everything. */
export const NO_TRACING: Tracing = { enabled: false, record: () => null, close: async () => {} }

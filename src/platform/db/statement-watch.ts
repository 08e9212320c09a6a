import type { Clock, Timer } from '../../kernel/clock.ts'

/** The driver's internal view of a statement. `state` is its connection once the statement has been sent. */
type Statement = Promise<unknown> & { executed: boolean; state: object | null; handle(): unknown }
type Progress = { sentAt: number | null }

const POLL_MS = 500

/**
 * Detects connections that no longer respond. A statement counts as stalled when its connection has returned nothing
 * for `deadlineMs` since the statement was sent, or since the previous statement on that connection finished.
 */
export function createStatementWatch(options: {
  clock: Clock
  deadlineMs: number
  /** Called when a statement stalls; all statements are then no longer watched. */
  onStalled: () => void
  /** Called with the duration of each statement, from the call to its last row, in milliseconds. */
  onFinished: (ms: number) => void
}) {
  const { clock, deadlineMs, onStalled, onFinished } = options
  const underWay = new Map<Statement, Progress>()
  /** When each connection last responded. */
  const answeredAt = new WeakMap<object, number>()
  let timer: Timer | null = null

  function poll(): void {
    timer = null
    const now = clock.monotonic()
    for (const [{ state }, course] of underWay) {
      if (!state) continue
      course.sentAt ??= now
      if (now - Math.max(course.sentAt, answeredAt.get(state) ?? 0) > deadlineMs) {
        underWay.clear()
        onStalled()
        return
      }
    }
    if (underWay.size > 0) timer = clock.after(POLL_MS, poll)
  }

  function track(statement: Statement): void {
    const startedAt = clock.monotonic()
    underWay.set(statement, { sentAt: null })
    const end = () => {
      underWay.delete(statement)
      onFinished(clock.monotonic() - startedAt)
      if (statement.state) answeredAt.set(statement.state, clock.monotonic())
    }
    // The statement's own `then` would send it.
    void Promise.prototype.then.call(statement, end, end)
    timer ??= clock.after(POLL_MS, poll)
  }

  return {
    /**
     * Watches the result of a driver call if it is a statement, from the time it is sent; returns the result unchanged.
     */
    watch<Made>(made: Made): Made {
      if (!(made instanceof Promise) || !('handle' in made)) return made
      const statement = made as unknown as Statement
      const handle = statement.handle.bind(statement)
      statement.handle = () => {
        if (!statement.executed) track(statement)
        return handle()
      }
      return made
    },
    /** Stops watching all statements. */
    stop(): void {
      timer?.cancel()
      underWay.clear()
    },
  }
}
/** The watch of one connection pool. */
export type StatementWatch = ReturnType<typeof createStatementWatch>

/** What was prepared for a request. Disposing of it removes it again, unless the request has kept it. */
export type Prepared = AsyncDisposable & { commit(): void }

/** Adds to a prepared value that it is discarded when it is disposed of, unless it was kept. */
export function disposableUntilKept<Value extends object>(
  value: Value,
  discard: () => Promise<void>,
): Value & Prepared {
  let isKept = false
  return {
    ...value,
    commit: () => void (isKept = true),
    async [Symbol.asyncDispose]() {
      if (!isKept) await discard()
    },
  }
}

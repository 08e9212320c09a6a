/** Returns an `onError` that names the instance whose background work failed, and the work if it is known. */
export const nameInstance =
  (onError: (error: unknown, task?: string) => void, instanceId: string) =>
  (error: unknown, task = 'background work'): void =>
    onError(error, `instance ${instanceId}: ${task}`)

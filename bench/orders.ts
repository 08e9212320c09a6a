/** Runs the command that a parent process sends over IPC, and sends its result back. */
export function serveCommands(orders: object): void {
  process.on('message', async ({ id, name, input }: { id: number; name: string; input: never }) => {
    const order = (orders as Record<string, (input: never) => unknown>)[name]
    process.send?.({ id, result: await order?.(input) })
  })
}

/** Resident memory of this process in bytes, after a garbage collection. */
export function measureMemory(): number {
  for (let turn = 0; turn < 3; turn++) globalThis.gc?.()
  return process.memoryUsage.rss()
}

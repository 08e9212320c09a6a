/** Does what a parent process asks over IPC, and answers it. */
export function serveOrders(orders: object): void {
  process.on('message', async ({ id, name, input }: { id: number; name: string; input: never }) => {
    const order = (orders as Record<string, (input: never) => unknown>)[name]
    process.send?.({ id, result: await order?.(input) })
  })
}

/** Bytes that this process holds, once it has cleared up. */
export function measureMemory(): number {
  for (let turn = 0; turn < 3; turn++) globalThis.gc?.()
  return process.memoryUsage.rss()
}

import { totalmem } from 'node:os'

const MIB = 1024 * 1024

/** The memory that this process may use, in MiB: its container's limit, or the machine's. */
export function availableMemoryMb(): number {
  const limit = process.constrainedMemory()
  const total = totalmem()
  // Without a limit some kernels report a number beyond any memory.
  return Math.round((limit > 0 ? Math.min(limit, total) : total) / MIB)
}

import { totalmem } from 'node:os'

const MIB = 1024 * 1024

/** The memory available to this process in MiB: the container's limit or, without one, the machine's total. */
export function availableMemoryMb(): number {
  const limit = process.constrainedMemory()
  const total = totalmem()
  // Without a limit, some kernels report a number larger than physical memory.
  return Math.round((limit > 0 ? Math.min(limit, total) : total) / MIB)
}

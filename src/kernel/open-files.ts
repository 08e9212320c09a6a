const UNKNOWN = 1024

/** The maximum number of files and sockets this process may have open at once (`ulimit -n`). */
export function maxOpenFiles(): number {
  const report: unknown = process.report.getReport()
  if (typeof report !== 'object' || report === null || !('userLimits' in report)) return UNKNOWN
  const limits = report.userLimits as { open_files?: { soft?: unknown } }
  const soft = limits.open_files?.soft
  if (soft === 'unlimited') return Infinity
  return typeof soft === 'number' ? soft : Number(soft) || UNKNOWN
}

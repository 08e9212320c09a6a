/** A part of a migration that is committed by itself. */
export type Step = {
  /**
   * `once`: in a transaction. `batches`: again and again, each time in a transaction, until it changes no row.
   * `alone`: outside of any transaction, as `create index concurrently` requires; it has no lock timeout, because no
   * request queues behind it.
   */
  kind: 'once' | 'batches' | 'alone'
  statement: string
}

const FIRST_LINE = '-- @steps'
const MARK = /^-- @(once|batches|alone)$/m

/**
 * The steps of a migration whose first line is `-- @steps`; each begins with a line that names its kind (`-- @once`). Null for
 * any other, which runs as a whole. A migration in steps may be interrupted after any of them, so each must be
 * harmless when it is repeated.
 */
export function readSteps(text: string): Step[] | null {
  if (!text.startsWith(`${FIRST_LINE}\n`)) return null
  const [, ...parts] = text.split(MARK)
  return parts.flatMap((kind, index) =>
    index % 2 === 0
      ? [{ kind: kind as Step['kind'], statement: parts[index + 1]?.trim() ?? '' }]
      : [],
  )
}

/** A part of a migration that is committed separately. */
export type Step = {
  /**
   * `once`: in a transaction. `batches`: repeatedly, each time in its own transaction, until no row changes. `alone`:
   * outside any transaction, as `create index concurrently` requires; it has no lock timeout because no request queues
   * behind it.
   */
  kind: 'once' | 'batches' | 'alone'
  statement: string
}

const FIRST_LINE = '-- @steps'
const MARK = /^-- @(once|batches|alone)$/m

/**
 * Splits a migration whose first line is `-- @steps` into its steps, each of which starts with a line that names its
 * kind (`-- @once`). Returns null for any other migration, which runs as a whole. A migration in steps may be
 * interrupted after any step, so each step must be idempotent.
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

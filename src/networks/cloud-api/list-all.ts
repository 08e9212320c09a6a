import type { CloudAccount } from './account.ts'
import type { Graph } from './graph.ts'
import { listOf, recordOf, textOf, type Unknown } from './unknown.ts'

/** Higher than any limit that Meta sets for the listed objects. */
const MAX_ITEMS = 6000

/** Reads all pages of a list; `path` has a query. */
export async function listAll(
  graph: Graph,
  account: CloudAccount,
  path: string,
): Promise<Unknown[]> {
  const found: Unknown[] = []
  let after = ''
  do {
    const page = await graph.get(
      account,
      after ? `${path}&after=${encodeURIComponent(after)}` : path,
    )
    const items = listOf(page, 'data')
    found.push(...items)
    const paging = recordOf(page, 'paging')
    const more = items.length > 0 && textOf(paging['next']) !== null
    after = more ? (textOf(recordOf(paging, 'cursors')['after']) ?? '') : ''
  } while (after !== '' && found.length < MAX_ITEMS)
  return found
}

import type { AuditService } from '../../company/audit/audit.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { OPERATOR, type Caller } from '../../kernel/principal.ts'
import type { Db } from '../../platform/db/sql.ts'
import { listNodes, lockDraining, setDraining } from '../../platform/nodes/nodes.service.ts'

/**
 * Makes a node hand its instances over to the others, or accept instances again, and records it in the audit log.
 * Throws 404 for an unknown node, and 409 if no other node could take its instances over.
 */
export const drainNode = (
  { db, audit }: { db: Db; audit: AuditService },
  node: string,
  draining: boolean,
  by: Caller = OPERATOR,
): Promise<{ node: string; draining: boolean }> =>
  db.transaction(async (tx) => {
    await lockDraining(tx)
    const nodes = await listNodes(tx)
    const found = nodes.find(({ id }) => id === node)
    if (!found) throw fail('not_found', (say) => say.operators.noSuchNode(node))
    const others = nodes.filter(({ id, draining: leaving }) => id !== node && !leaving)
    if (draining && others.length === 0) throw fail('conflict', (say) => say.operators.noOtherNode)
    if (!(await setDraining(tx, node, draining)))
      throw fail('not_found', (say) => say.operators.noSuchNode(node))
    const before = { draining: found.draining }
    const entry = { ...by, action: 'node.drain', object: node }
    await audit.record(tx, { ...entry, before, after: { draining } })
    return { node, draining }
  })

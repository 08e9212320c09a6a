import { delay, type Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { createLoop } from '../../kernel/loop.ts'
import { createPendingWork } from '../../kernel/pending-work.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { Database } from '../../platform/db/database.ts'
import { listDailyPartitions, schemaVersion } from '../../platform/db/backup.sql.ts'
import { addDailyPartitions } from '../../platform/db/partitions.ts'
import { copyCompany, type Installation } from './copy-company.ts'
import type { FileCopier } from '../../media/copy-files.service.ts'
import {
  closeMovedAccount,
  countKnownEmails,
  countOlderTransactions,
  countUnderWay,
  databaseTime,
  findMovable,
  releaseLease,
  handProjectOver,
  listEmails,
  listKeyPrefixes,
  renewProject,
  takeProject,
  revokeRemainingLeases,
  type MovableProject,
} from './move.sql.ts'

const LEASE_S = 15
const RENEWAL_MS = 3000
const POLL_MS = 250
/** How long sessions and delivery attempts may take to end: a little longer than one attempt. */
const QUIET_MS = 20_000
/** How long open transactions may take to end. */
const COMMIT_MS = 60_000
/** The data left in the old installation is erased after a week. */
const ERASED_AFTER_MS = 7 * 24 * 3600_000

/** The dependencies of a move between two installations. */
export type Move = {
  from: Installation
  to: Installation
  files: FileCopier
  audit: AuditService
  clock: Clock
  /** The address of the API of the other installation, for the audit log. */
  publicUrl: string
}

/** A Project that has moved. */
export type Moved = {
  projectId: string
  /** Rows that were copied and compared, in all tables. */
  rows: number
  files: number
  /** The prefixes of its keys, for a router between installations. */
  keyPrefixes: string[]
  /** How long the Project was unavailable, in milliseconds; 0 if an earlier run had moved it. */
  pausedMs: number
}

/**
 * Moves a company with its Project to another installation (G100): fences it, copies its rows and files, compares them,
 * gives it up here and opens it there. Numbers stay paired. Until it is given up, any failure leaves the Project here as
 * it was; afterwards a repeated call finishes the move. Throws StartFault with what to do.
 */
export async function moveProject(move: Move, projectId: string): Promise<Moved> {
  const { from, to, files, clock, publicUrl } = move
  const project = await findMovable(from.database, projectId)
  if (!project) throw new StartFault(say.projects.notFound)
  if (project.accountDeleted) throw new StartFault(say.ops.move.closed)
  const gone = project.moves === 'gone'
  if (gone && project.movingTo !== publicUrl)
    throw new StartFault(say.ops.move.goneElsewhere(project.movingTo ?? ''))
  const there = await findMovable(to.database, projectId)
  if (there && (!gone || !isOpen(there))) throw new StartFault(say.ops.move.alreadyThere)
  if (there) return finish(move, project, { rows: 0, files: 0, pausedMs: 0 })
  await compareInstallations(move, project)
  // Most files are copied while the Project still works; those added meanwhile follow.
  let copied = await files.copy(projectId)
  const startedAt = clock.monotonic()
  await using fence = await raiseFence(move, project)
  copied += await files.copy(projectId)
  const rows = await copyCompany({
    from,
    to,
    projectId,
    assertLeaseHeld: fence.assertLeaseHeld,
    handOver: fence.handOver,
  })
  // A commit whose connection was lost may not have happened.
  const arrived = await findMovable(to.database, projectId)
  if (!arrived || !isOpen(arrived)) throw new StartFault(say.ops.move.notArrived)
  const pausedMs = Math.round(clock.monotonic() - startedAt)
  return finish(move, project, { rows, files: copied, pausedMs })
}

const isOpen = ({ moves, accountDeleted }: MovableProject) => moves === 'no' && !accountDeleted

/** Throws StartFault unless the other installation can take the company. */
async function compareInstallations({ from, to }: Move, project: MovableProject): Promise<void> {
  const [here, there] = await Promise.all([
    from.database.session(schemaVersion),
    to.database.session(schemaVersion),
  ])
  if (here !== there) throw new StartFault(say.ops.move.otherVersion)
  if (project.status !== 'ACTIVE') throw new StartFault(say.ops.move.suspended)
  const emails = await listEmails(from.database, project.accountId)
  const known = await countKnownEmails(to.database, emails)
  if (known > 0) throw new StartFault(say.ops.move.knownPeople(known))
  const days = await from.database.session(listDailyPartitions)
  if (!(await addDailyPartitions(to.database.patient, days)))
    throw new StartFault(say.ops.move.busyThere)
}

/** Fences the Project off, and waits until no session, attempt or transaction works on it. */
async function raiseFence(
  { from: { database }, clock, publicUrl }: Move,
  { id }: MovableProject,
): Promise<AsyncDisposable & { assertLeaseHeld(): void; handOver(): Promise<void> }> {
  const lease = { projectId: id, run: newId('req', clock.now()), to: publicUrl, seconds: LEASE_S }
  if (!(await takeProject(database, lease))) throw new StartFault(say.ops.move.movingAlready)
  let lost = false
  const renewal = createLoop({
    task: 'renewing the fence of a move',
    clock,
    activity: createPendingWork(),
    everyMs: () => RENEWAL_MS,
    async run() {
      lost ||= !(await renewProject(database, lease))
      return false
    },
    // The next renewal retries. If none succeeds, the lease expires and the move cannot be finished.
    onError: () => {},
  })
  const release = async () => {
    await renewal.stop()
    await releaseLease(database, lease)
  }
  try {
    await waitUntilQuiet(database, clock, id)
  } catch (error) {
    await release()
    throw error
  }
  return {
    assertLeaseHeld() {
      if (lost) throw new StartFault(say.ops.move.leaseLost)
    },
    async handOver() {
      if (!(await handProjectOver(database, lease))) throw new StartFault(say.ops.move.leaseLost)
    },
    [Symbol.asyncDispose]: release,
  }
}

async function waitUntilQuiet(database: Database, clock: Clock, projectId: string): Promise<void> {
  const until = clock.monotonic() + QUIET_MS
  const latest = clock.monotonic() + COMMIT_MS
  const fencedAt = await databaseTime(database)
  for (;;) {
    const { sessions, attempts } = await countUnderWay(database, projectId)
    if (sessions + attempts === 0) break
    if (clock.monotonic() > until) {
      // A slow endpoint, or a node that is cut off.
      await revokeRemainingLeases(database, projectId)
      break
    }
    await delay(clock, POLL_MS)
  }
  while ((await countOlderTransactions(database, fencedAt)) > 0) {
    if (clock.monotonic() > latest) throw new StartFault(say.ops.move.busy)
    await delay(clock, POLL_MS)
  }
}

/** Closes what remains here of a Project that has moved. */
async function finish(
  { from: { database }, to, files, audit, clock, publicUrl }: Move,
  project: MovableProject,
  done: Pick<Moved, 'rows' | 'files' | 'pausedMs'>,
): Promise<Moved> {
  const now = new Date(clock.now())
  const eraseAt = new Date(now.getTime() + ERASED_AFTER_MS)
  await database.transaction(async (tx) => {
    await closeMovedAccount(tx, project, { now, eraseAt, sharedFiles: files.shared })
    const entry = { actor: 'operator', action: 'project.move', object: project.id }
    await audit.record(tx, { ...entry, before: null, after: { to: publicUrl } })
  })
  const keyPrefixes = await listKeyPrefixes(to.database, project.id)
  return { projectId: project.id, ...done, keyPrefixes }
}

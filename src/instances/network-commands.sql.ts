import type { Db } from '../platform/db/sql.ts'

/** Stores a command for the node that holds the instance; returns false if the instance has none of `statuses`. */
export async function insertCommand(
  db: Db,
  command: {
    id: string
    instanceId: string
    name: string
    input: object
    expiresAt: Date
    statuses: readonly string[]
  },
): Promise<boolean> {
  const rows = await db.system`
    insert into network_command (id, instance_id, name, input, expires_at)
    select ${command.id}, id, ${command.name}, ${db.sql.json(command.input as never)}, ${command.expiresAt}
    from instance where id = ${command.instanceId} and status = any(${[...command.statuses]}::text[])
      and deleted_at is null
    returning id`
  return rows.length > 0
}

/** A stored command. */
export type CommandRow = { id: string; instanceId: string; name: string; input: object }

/** Claims up to `most` unexpired commands for these instances; each command is claimed once. */
export async function claimCommands(
  db: Db,
  instanceIds: string[],
  most: number,
  now: Date,
): Promise<CommandRow[]> {
  return db.system<CommandRow[]>`
    update network_command set taken_at = ${now}
    where id in (select id from network_command
      where instance_id = any(${instanceIds}) and taken_at is null and expires_at > ${now}
      limit ${most} for update skip locked)
    returning id, instance_id, name, input`
}

/** Whether any commands for these instances are waiting to be claimed. */
export const anyCommandPending = (db: Db, instanceIds: string[], now: Date) => db.sql`
  exists (select from network_command
    where instance_id = any(${instanceIds}) and taken_at is null and expires_at > ${now})`

/** Stores the result of a command. */
export async function storeResult(db: Db, id: string, answer: object): Promise<void> {
  await db.system`
    update network_command set answer = ${db.sql.json(answer as never)} where id = ${id}`
}

/** Returns the result of a command, or null if there is none yet. */
export async function findResult<Answer>(db: Db, id: string): Promise<Answer | null> {
  const [row] = await db.system<{ answer: Answer | null }[]>`
    select answer from network_command where id = ${id}`
  return row?.answer ?? null
}

/** Deletes expired commands. */
export async function sweepCommands(db: Db, now: Date): Promise<void> {
  await db.system`delete from network_command where expires_at <= ${now}`
}

import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MIGRATIONS, newestMigration } from '../../src/platform/db/migrate.ts'

/** The newest migration of this version. */
export const NEWEST = newestMigration()

/**
 * What a later version might do to the two busiest tables: add columns to both under locks that requests also take, fill
 * one in batches while a trigger keeps it up to date, and build and drop indexes online.
 */
const NEXT = {
  priority: `
alter table conversation add column priority smallint;
alter table message add column priority smallint;
`,
  priority_filled: `-- @steps
-- @once
create or replace function set_conversation_priority() returns trigger language plpgsql as $$
begin
  new.priority := case when new.unread_count > 0 then 1 else 0 end;
  return new;
end $$;
create or replace trigger conversation_priority before insert or update on conversation
  for each row execute function set_conversation_priority();

-- @alone
create index concurrently if not exists conversation_without_priority on conversation (id) where priority is null;

-- @batches
update conversation set priority = null where id in (
  select id from conversation where priority is null limit 500 for update skip locked);

-- @alone
drop index concurrently if exists conversation_without_priority;

-- @alone
create index concurrently if not exists conversation_by_priority
  on conversation (instance_id, priority, last_message_hour desc nulls last) where merged_into is null;

-- @alone
create index concurrently if not exists message_by_priority on message (instance_id, priority, seq);

-- @once
analyze conversation;
`,
}

/** The versions that `writeNextMigrations` adds. */
export const NEXT_VERSIONS = Object.keys(NEXT).map((_, index) => NEWEST + 1 + index)

/** Writes the migrations of this version and of a next one, made for tests of upgrades, to `folder`; returns it. */
export function writeNextMigrations(folder: string): string {
  mkdirSync(folder, { recursive: true })
  cpSync(MIGRATIONS, folder, { recursive: true })
  Object.entries(NEXT).forEach(([name, text], index) => {
    const number = String(NEWEST + 1 + index).padStart(4, '0')
    writeFileSync(join(folder, `${number}.do.${name}.sql`), text)
  })
  return folder
}

/** Writes a copy of this version with those migrations to a new folder, which it returns. */
export function copyAsNextVersion(folder: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const part of ['src', 'panel', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeNextMigrations(join(folder, 'migrations'))
  return folder
}

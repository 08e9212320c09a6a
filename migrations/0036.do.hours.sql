-- @steps
-- A send touches its conversation. Listed by the hour first, a conversation that is spoken in again within the hour keeps
-- its place in every index, and PostgreSQL writes none of them anew.

-- @once
-- It was generated where an earlier form of migration 32 ran, which rewrote the table.
alter table conversation alter column last_message_hour drop expression if exists;
create or replace function note_hour() returns trigger language plpgsql as $$
begin
  new.last_message_hour := date_bin('1 hour', new.last_message_at, '2000-01-01 00:00:00+00');
  return new;
end $$;
create or replace trigger conversation_hour before insert or update on conversation
  for each row when (new.last_message_hour is distinct from
    date_bin('1 hour', new.last_message_at, '2000-01-01 00:00:00+00'))
  execute function note_hour();

-- @alone
create index concurrently if not exists conversation_without_hour on conversation (id)
  where last_message_hour is null and last_message_at is not null;

-- @batches
-- The trigger writes the hour. Rows that somebody writes now get it by that.
update conversation set last_message_hour = null where id in (
  select id from conversation where last_message_hour is null and last_message_at is not null
  limit 500 for update skip locked);

-- @alone
drop index concurrently if exists conversation_without_hour;

-- @alone
create index concurrently if not exists conversation_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null;

-- @alone
create index concurrently if not exists conversation_unread_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null and unread_count > 0;

-- @alone
drop index concurrently if exists conversation_list;

-- @alone
drop index concurrently if exists conversation_unread;

-- @alone
create index concurrently if not exists message_by_words on message using gin (instance_id, words)
  with (fastupdate = on, gin_pending_list_limit = 1024) where words is not null;

-- @alone
drop index concurrently if exists message_words;

-- @once
analyze conversation;

-- @once
-- The lowest migration that a program must know to work with this schema. A migration that takes away what the version
-- before it uses sets its own number here.
create table if not exists schema_compatibility (
  one boolean primary key default true check (one),
  needs int not null
);
insert into schema_compatibility (needs) values (31) on conflict do nothing;

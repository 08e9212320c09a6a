-- @steps
-- Messages that wait to be sent, in a table of their own.

-- @once
-- Messages that are queued or being sent, of which `message.status` says 'queued'. A row is deleted with the first
-- status that its message has on the network.
-- Owner: messaging/messages. operations/privacy deletes.
create table if not exists outbox (
  instance_id text collate "C" not null,
  -- The message's seq.
  seq bigint not null,
  message_id text collate "C" not null,
  created_at timestamptz not null,
  -- When it may be sent; while it is being sent, when the network's acknowledgment is overdue.
  due_at timestamptz not null,
  first_sent_at timestamptz,
  sending boolean not null default false,
  -- Whether it is shown as typed before it is sent.
  typed boolean not null default false,
  primary key (instance_id, seq)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);

-- @once
-- Only a node of an earlier version writes due_at: what it accepts while it still runs must not be lost.
alter table message alter due_at drop not null;
create or replace function put_in_outbox() returns trigger language plpgsql as $$
begin
  insert into outbox (instance_id, seq, message_id, created_at, due_at, typed)
  values (new.instance_id, new.seq, new.id, new.created_at, new.due_at, new.options ? 'typingMs')
  on conflict do nothing;
  return null;
end $$;
create or replace trigger message_outbox after insert on message
  for each row when (new.status = 'queued' and new.due_at is not null) execute function put_in_outbox();
update schema_compatibility set needs = 28;

-- @once
insert into outbox (instance_id, seq, message_id, created_at, due_at, first_sent_at, sending, typed)
select instance_id, seq, id, created_at, due_at, first_sent_at, status = 'sending', options ? 'typingMs'
from message where status in ('queued', 'sending')
on conflict do nothing;
update message set status = 'queued' where status = 'sending';

-- @alone
drop index concurrently if exists message_queue;

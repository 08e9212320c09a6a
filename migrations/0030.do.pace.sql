-- @steps
-- The pace of an instance: when messages that start a chat may leave.

-- @once
alter table outbox
  -- Starts a chat and waits for the instance's turn; the messages of other chats do not wait with it.
  add column if not exists waits boolean not null default false,
  -- Has taken a turn: the network may have it.
  add column if not exists admitted boolean not null default false;

-- When an instance may start its next chat, and how many it has started on a day (São Paulo).
-- Owner: messaging/messages. operations/privacy deletes.
create table if not exists pace (
  instance_id text collate "C" primary key,
  free_at timestamptz not null,
  day date not null,
  started int not null
);

-- @alone
-- The waiting messages of an instance, and those that have taken a turn.
create index concurrently if not exists outbox_paced on outbox (instance_id, seq) where waits or admitted;

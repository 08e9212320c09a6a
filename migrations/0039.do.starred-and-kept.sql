-- @steps
-- Messages that the account has starred, and those that a participant keeps although messages of their chat disappear.

-- @once
-- `starred_at` and `kept_at` are the times of the latest changes: an older one that arrives late changes nothing.
alter table message add column if not exists starred boolean, add column if not exists starred_at timestamptz,
  add column if not exists kept boolean, add column if not exists kept_at timestamptz;
-- The phones that have starred their copy of a message, or what they wrote themselves.
alter table simulator_message add column if not exists starred_by text[] not null default '{}',
  add column if not exists kept boolean not null default false;

-- @alone
-- The starred messages of an instance.
create index concurrently if not exists message_starred on message (instance_id, created_at, seq) where starred;

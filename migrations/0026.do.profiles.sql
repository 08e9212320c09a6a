-- @steps
-- What people, groups and numbers show about themselves.

-- @once
-- What was read from the network, kept for a while. `value` is JSON for `details` and a JPEG for the pictures; null if
-- nothing is shown. Owner: messaging. operations/privacy deletes.
create table if not exists profile (
  -- A node of the previous version deletes instances without knowing this table.
  instance_id text collate "C" not null references instance on delete cascade,
  -- The number that was paired: another one may see something else.
  number text collate "C" not null,
  -- A chat, or that of the number itself.
  chat_id text collate "C" not null,
  part text not null check (part in ('details', 'preview', 'full')),
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  value bytea,
  fetched_at timestamptz not null,
  primary key (instance_id, number, chat_id, part)
);
-- Serves the removal of old rows.
create index if not exists profile_age on profile (fetched_at);

-- @once
-- What a virtual phone, or a group of them, shows.
alter table simulator_phone
  add column if not exists about text,
  add column if not exists picture bytea;
alter table simulator_group add column if not exists picture bytea;

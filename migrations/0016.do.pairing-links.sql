-- @steps
-- Links with which someone without an account pairs an instance.

-- @once
-- One link per instance; a new one replaces it. Only the hash of its token is stored.
-- Owner: instances. operations/privacy deletes.
create table if not exists pairing_link (
  instance_id text collate "C" primary key references instance,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  hash bytea not null unique,
  -- The key that made it, if any: the link ends with it.
  key_id text collate "C",
  -- When the instance had last been paired; another time means that the link has done its work.
  paired_before timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- Serves the removal of expired links.
create index if not exists pairing_link_age on pairing_link (expires_at);

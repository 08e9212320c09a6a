-- Schema of src/instances: instances, their credentials and pairing.

-- Owner: instances. platform/db re-seals proxy passwords in settings; operations/privacy reads and locks.
create table instance (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  name text not null,
  external_id text,
  status text not null default 'CREATED' check (status in ('CREATED', 'CONNECTING', 'QR', 'PAIRED',
    'CONNECTED', 'DISCONNECTED', 'LOGGED_OUT', 'BANNED', 'STOPPED', 'PASSKEY_REQUIRED')),
  phone text,
  lid text,
  profile_name text,
  business boolean not null default false,
  disconnect jsonb,
  restriction jsonb,
  settings jsonb not null,
  qr_code text,
  qr_at timestamptz,
  qr_expires_at timestamptz,
  -- Which code of the pairing is shown, from 1.
  qr_sequence smallint not null default 0,
  -- The node that holds the session, and its epoch: the lease is valid while that node is alive.
  owner_node text,
  owner_epoch bigint,
  -- It was connected when another node took it over, and accepts messages while it reconnects.
  resumes boolean not null default false,
  paired_at timestamptz,
  connected_at timestamptz,
  disconnected_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  -- How production connects it: a phone that scans a code, or Meta's official API. Test mode simulates both.
  network text not null default 'whatsapp' check (network in ('whatsapp', 'cloud_api')),
  -- When a pairing was ended whose secrets have not been deleted yet; a connection waits until they are.
  forget_at timestamptz
) with (fillfactor = 70);
-- Serves the list of a Project's instances.
create index instance_scope on instance (project_id, mode, id) where deleted_at is null;
-- Serves nodes that claim instances.
create index instance_open on instance (id)
  where status in ('CONNECTING', 'QR', 'PAIRED', 'CONNECTED', 'DISCONNECTED') and deleted_at is null;
-- Serves the end of restrictions.
create index instance_restricted on instance (id) where restriction is not null;
-- Serves the search for ended instances that still have credentials.
create index instance_ended on instance (id) where deleted_at is not null or status = 'LOGGED_OUT';

-- Every change of status.
-- Owner: instances.
create table instance_transition (
  id bigint generated always as identity primary key,
  instance_id text collate "C" not null,
  from_status text not null,
  to_status text not null,
  reason text,
  at timestamptz not null
);
-- Serves an instance's history.
create index instance_transition_instance on instance_transition (instance_id, id);

-- What a network adapter needs to stay connected, sealed, by kind and id.
-- Owner: instances. platform/db re-seals.
create table instance_credential (
  instance_id text collate "C" not null,
  kind text not null,
  id text not null,
  sealed bytea not null,
  -- For sent messages, stored for contacts that ask for them again.
  expires_at timestamptz,
  primary key (instance_id, kind, id)
);
-- Serves the removal of expired credentials.
create index instance_credential_expiry on instance_credential (expires_at) where expires_at is not null;

-- Tokens for the QR stream of one instance, valid for two minutes.
-- Owner: instances.
create table qr_token (
  hash bytea primary key,
  instance_id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  key_id text collate "C",
  expires_at timestamptz not null
);
-- Serves the removal of expired tokens.
create index qr_token_age on qr_token (expires_at);

-- Links with which someone without an account pairs an instance. One per instance; a new one replaces it. Only the hash
-- of the token is stored.
-- Owner: instances. operations/privacy deletes.
create table pairing_link (
  instance_id text collate "C" primary key references instance,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  hash bytea not null unique,
  -- Who made it, a key or a user: the link ends when the key does, or when the user leaves or may no longer pair.
  key_id text collate "C",
  user_id text collate "C",
  -- When the instance had last been paired; another time means that the link has been used.
  paired_before timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- Serves the removal of expired links.
create index pairing_link_age on pairing_link (expires_at);

-- Commands that one node sends to the node that holds an instance's session, and their results.
-- Owner: instances.
create table network_command (
  id text collate "C" primary key,
  instance_id text collate "C" not null,
  name text not null,
  input jsonb not null,
  expires_at timestamptz not null,
  taken_at timestamptz,
  answer jsonb
);
-- Serves the node that executes commands.
create index network_command_open on network_command (instance_id) where taken_at is null;
-- Serves the removal of expired commands.
create index network_command_age on network_command (expires_at);

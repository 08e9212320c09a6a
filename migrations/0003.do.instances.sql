-- One row per server process that shares this database. The epoch, never used twice, fences its earlier lives.
create sequence node_epoch;
create table node (
  id text primary key,
  epoch bigint not null,
  heartbeat_at timestamptz not null
) with (fillfactor = 50);

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
  -- The node that holds the connection, as long as its heart beats.
  owner_node text,
  owner_epoch bigint,
  paired_at timestamptz,
  connected_at timestamptz,
  disconnected_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
) with (fillfactor = 70);
create index instance_scope on instance (project_id, mode, id) where deleted_at is null;
create index instance_open on instance (id)
  where status in ('CONNECTING', 'QR', 'PAIRED', 'CONNECTED', 'DISCONNECTED') and deleted_at is null;

create table instance_transition (
  id bigint generated always as identity primary key,
  instance_id text collate "C" not null,
  from_status text not null,
  to_status text not null,
  reason text,
  at timestamptz not null
);
create index instance_transition_instance on instance_transition (instance_id, id);

-- What a network must keep to stay connected, encrypted, by kind and id.
create table instance_credential (
  instance_id text collate "C" not null,
  kind text not null,
  id text not null,
  sealed bytea not null,
  primary key (instance_id, kind, id)
);

create table qr_token (
  hash bytea primary key,
  instance_id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  key_id text collate "C",
  expires_at timestamptz not null
);
create index qr_token_age on qr_token (expires_at);

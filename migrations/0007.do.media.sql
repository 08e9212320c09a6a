-- Files: what came with messages, what is to be sent, what was uploaded. The bytes lie in the store.
create table media (
  id text collate "C" primary key,
  project_id text collate "C" not null,
  mode text not null,
  -- The instance that it came to; null for what this side sends.
  instance_id text collate "C",
  status text not null check (status in ('pending', 'available', 'failed', 'expired')),
  mime_type text,
  file_name text,
  size_bytes bigint,
  sha256 text,
  duration_seconds double precision,
  width integer,
  height integer,
  -- Where its bytes are to come from: a URL to fetch, or what the network's adapter told of it.
  source jsonb,
  attempts smallint not null default 0,
  -- When a URL is to be fetched (again); null when nobody is to.
  due_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
) with (fillfactor = 80);
create index media_due on media (due_at) where due_at is not null;
create index media_expiry on media (expires_at) where status <> 'expired';

alter table message add column media_id text collate "C";
create index message_media on message (media_id) where media_id is not null;
alter table simulator_message add column media_id text collate "C";

-- Who voted for what; a later vote of the same person replaces it.
create table poll_vote (
  instance_id text collate "C" not null,
  poll_message_id text collate "C" not null,
  voter text collate "C" not null,
  options text[] not null,
  at timestamptz not null,
  primary key (poll_message_id, voter)
);

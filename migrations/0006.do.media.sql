-- Schema of src/media: files that were received, uploaded or fetched. Their bytes are in the media store.

-- Owner: media. operations/privacy deletes.
create table media (
  id text collate "C" primary key,
  project_id text collate "C" not null,
  mode text not null,
  -- The instance that received it; null for files to be sent.
  instance_id text collate "C",
  status text not null check (status in ('pending', 'available', 'failed', 'expired')),
  mime_type text,
  file_name text,
  size_bytes bigint,
  sha256 text,
  duration_seconds double precision,
  width integer,
  height integer,
  -- Where the bytes come from: a URL to fetch, or the network adapter's reference.
  source jsonb,
  attempts smallint not null default 0,
  -- When it is fetched (again); null if it is not.
  due_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- What phones show before they have fetched the file: a photo's thumbnail (JPEG), or the waveform of a voice note
  -- (64 bytes from 0 to 100).
  preview bytea
) with (fillfactor = 80);
-- Serves the fetching worker.
create index media_due on media (due_at) where due_at is not null;
-- Serves the removal of expired files.
create index media_expiry on media (expires_at) where status <> 'expired';
-- Serves the export and erasure of a Project.
create index media_project on media (project_id, id);
-- Serves the limit of a Project's storage, without reading its rows.
create index media_outgoing on media (project_id, mode) include (size_bytes)
  where status = 'available' and instance_id is null;

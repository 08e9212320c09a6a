-- @steps
-- What a Project stores to send.

-- @alone
-- Serves the limit of a Project's storage, without reading its rows.
create index concurrently if not exists media_outgoing
  on media (project_id, mode) include (size_bytes) where status = 'available' and instance_id is null;

-- Messages to be sent at a given time.
-- Owner: messaging/schedules. operations/privacy deletes.
create table scheduled_message (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  instance_id text collate "C" not null references instance,
  -- The key that scheduled it, checked again when it is sent. Null for the panel.
  key_id text collate "C",
  -- The body of the send; its file is in the media store.
  message jsonb not null,
  media_id text collate "C",
  send_at timestamptz not null,
  status text not null default 'scheduled' check (status in ('scheduled', 'sent', 'failed', 'canceled')),
  -- When the worker tries next; after a fault of the server, later than send_at. Infinity once it has ended.
  due_at timestamptz not null,
  -- The message that it became.
  message_id text collate "C",
  -- Why it failed: a code, and a sentence for the caller.
  error_code text,
  error_message text,
  created_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 70);
-- Serves the list of an instance.
create index scheduled_message_list on scheduled_message (instance_id, send_at, id);
-- Serves the worker, and the limit of a Project.
create index scheduled_message_due on scheduled_message (due_at, id) where status = 'scheduled';
create index scheduled_message_open on scheduled_message (project_id, mode) where status = 'scheduled';
-- Serves the clean-up.
create index scheduled_message_ended on scheduled_message (ended_at) where status <> 'scheduled';

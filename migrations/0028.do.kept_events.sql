-- What happened to groups and labels and which calls came, for the panel's histories: these events are few and carry
-- no message, so they stay after the day's events are gone.
create table kept_event (
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null,
  -- group, label or call, and which one.
  kind text not null,
  subject text collate "C" not null,
  body text not null,
  created_at timestamptz not null
) partition by range (created_at);
create index kept_event_subject on kept_event (instance_id, subject, id);
create index kept_event_kind on kept_event (instance_id, kind, id);
create table kept_event_default partition of kept_event default;

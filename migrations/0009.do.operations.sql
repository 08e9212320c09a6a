-- Schema of src/operations: alerts by mail.

-- Which alerts a user receives by mail; a user without a row receives those that suit their role.
-- Owner: operations/alerts.
create table alert_setting (
  user_id text collate "C" primary key references app_user,
  kinds text[] not null
);

-- Open problems in production, and those that ended a moment ago.
-- Owner: operations/alerts.
create table alert (
  project_id text collate "C" not null references project,
  kind text not null,
  -- The instance, webhook or Project.
  object text collate "C" not null,
  -- The instance's status, the reason of the last failure, or the number of credits left.
  detail text,
  started_at timestamptz not null,
  -- Until then a node is sending the mail.
  sending_until timestamptz,
  sent_at timestamptz,
  ended_at timestamptz,
  primary key (project_id, kind, object)
);

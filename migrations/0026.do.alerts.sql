-- Of what a person is told by mail; whoever has no row is told what his role suggests.
create table alert_setting (
  user_id text collate "C" primary key references app_user,
  kinds text[] not null
);
-- Below how many credits the company is told.
alter table project add column credits_below integer not null default 100 check (credits_below >= 0);
-- What is wrong in production, and what was until a moment ago.
create table alert (
  project_id text collate "C" not null references project,
  kind text not null,
  -- The instance, webhook or Project.
  object text collate "C" not null,
  -- The instance's status, the reason of the last failure, or how many credits are left.
  detail text,
  began_at timestamptz not null,
  -- A node is telling until then.
  telling_until timestamptz,
  told_at timestamptz,
  ended_at timestamptz,
  primary key (project_id, kind, object)
);

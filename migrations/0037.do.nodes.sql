-- Instances are shared out among nodes by capacity; one that is drained gives its own away.
alter table node
  add column capacity integer not null default 1024,
  add column draining boolean not null default false,
  add column started_at timestamptz,
  -- Where it keeps files: all nodes must keep them in one place.
  add column media_store text;

-- It was connected when another node took it over: it accepts messages while it comes back.
alter table instance add column resumes boolean not null default false;

-- The latest time that any node has seen: if the database's clock is set back, time goes on from here.
create table clock_floor (
  one boolean primary key default true check (one),
  at timestamptz not null
);

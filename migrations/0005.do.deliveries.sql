create table webhook (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  name text not null,
  url text not null,
  events text[] not null default '{}',
  enabled boolean not null default true,
  -- Counts pauses, resumptions and the removal: a delivery of another generation is dropped.
  generation integer not null default 1,
  secret_sealed bytea not null,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create index webhook_scope on webhook (project_id, mode, id) where deleted_at is null;

-- Apart from the webhook because deliveries write it all the time.
create table webhook_status (
  webhook_id text collate "C" primary key,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_reason text
) with (fillfactor = 50);

create table event (
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null,
  name text not null,
  -- The envelope as it is signed and sent, serialised once.
  body text not null,
  created_at timestamptz not null,
  primary key (id, created_at)
) partition by range (created_at);
create table event_default partition of event default;

-- Pending deliveries alone: a success or a sixth failure deletes the row. visible_at is the lease.
create table delivery (
  id bigint generated always as identity primary key,
  webhook_id text collate "C" not null,
  webhook_generation integer not null,
  event_id text collate "C" not null,
  event_at timestamptz not null,
  attempt smallint not null,
  due_at timestamptz not null,
  visible_at timestamptz not null,
  lease_node text,
  lease_epoch bigint,
  crash_count smallint not null default 0
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
create index delivery_endpoint on delivery (webhook_id, visible_at);
create index delivery_visible on delivery (visible_at);

create sequence delivery_log_id;
create table delivery_log (
  id bigint not null default nextval('delivery_log_id'),
  webhook_id text collate "C" not null,
  event_id text collate "C" not null,
  event text not null,
  attempt smallint not null,
  status_code smallint,
  success boolean not null,
  reason text,
  duration_ms integer not null,
  created_at timestamptz not null
) partition by range (created_at);
-- The only index of the largest table: every attempt pays for each.
create index delivery_log_webhook on delivery_log (webhook_id, id);
create table delivery_log_default partition of delivery_log default;

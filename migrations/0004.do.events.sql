-- Schema of src/events: events, webhooks, deliveries and test inboxes.

-- Owner: events/webhooks. platform/db re-seals secret_sealed; operations/privacy deletes.
create table webhook (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  name text not null,
  url text not null,
  events text[] not null default '{}',
  enabled boolean not null default true,
  -- Incremented by every pause, resumption and removal: deliveries of an earlier generation are dropped.
  generation integer not null default 1,
  secret_sealed bytea not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- Options (src/events/webhooks/options.ts). Events beyond the usual ones that the webhook receives.
  include text[] not null default '{}',
  -- Only events of these instances, kinds of chat, kinds of message and directions; null receives all.
  only_instances text[],
  only_chat_types text[],
  only_kinds text[],
  only_directions text[],
  -- How deliveries of message.received name the file: 'link', or null for webhooks without.
  media text check (media = 'link'),
  -- Names, and sealed values as JSON, of the webhook's own request headers.
  header_names text[] not null default '{}',
  headers_sealed bytea,
  -- The secret that was replaced, which keeps signing until then.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz
);
-- Serves the list of a Project's webhooks, and the recording of events.
create index webhook_scope on webhook (project_id, mode, id) where deleted_at is null;

-- Latest results of a webhook. A separate table because deliveries write it continually.
-- Owner: events/deliveries.
create table webhook_status (
  webhook_id text collate "C" primary key,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_reason text
) with (fillfactor = 50);

-- Events of the last days. Partitioned by day.
-- Owner: events.
create table event (
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null,
  name text not null,
  -- The envelope as it is signed and sent, serialized once.
  body text not null,
  created_at timestamptz not null,
  primary key (id, created_at)
) partition by range (created_at);
create table event_default partition of event default;

-- Events about groups, labels and calls, for the panel's histories. They are few and contain no message, so they outlive
-- `event`. Partitioned by day.
-- Owner: events.
create table event_history (
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null,
  -- group, label or call, and its id.
  kind text not null,
  subject text collate "C" not null,
  body text not null,
  created_at timestamptz not null
) partition by range (created_at);
-- Serve the history of one group or label, and of all calls of an instance.
create index event_history_subject on event_history (instance_id, subject, id);
create index event_history_kind on event_history (instance_id, kind, id);
create table event_history_default partition of event_history default;

-- Pending deliveries only: success or the sixth failure deletes the row.
-- Owner: events/deliveries. events inserts deliveries in the transaction that records the event; platform/nodes releases
-- those that a dead node had claimed.
create table delivery (
  id bigint generated always as identity primary key,
  webhook_id text collate "C" not null,
  webhook_generation integer not null,
  event_id text collate "C" not null,
  event_at timestamptz not null,
  attempt smallint not null,
  due_at timestamptz not null,
  -- End of the lease; due_at while no node has claimed it.
  visible_at timestamptz not null,
  lease_node text,
  lease_epoch bigint,
  -- Attempts that ended with their node; a delivery that keeps crashing nodes fails.
  crash_count smallint not null default 0
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
-- Serves claims per webhook, in order.
create index delivery_endpoint on delivery (webhook_id, visible_at);
-- Serves the search for webhooks with due deliveries.
create index delivery_visible on delivery (visible_at);

-- Every attempt of the last 30 days. Partitioned by day.
-- Owner: events/deliveries.
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
-- Serves the log of a webhook. The only full index of the largest table, because every attempt pays for each.
create index delivery_log_webhook on delivery_log (webhook_id, id);
-- Serves the list of events that did not succeed at the first attempt; event ids sort by time.
create index delivery_log_tried on delivery_log (webhook_id, event_id) where attempt > 1 or not success;
create table delivery_log_default partition of delivery_log default;

-- Attempts per webhook and hour, for charts: the log is too large to count.
-- Owner: events/deliveries.
create table delivery_hour (
  webhook_id text collate "C" not null,
  hour timestamptz not null,
  delivered bigint not null,
  failed bigint not null,
  -- Successful attempts by duration: one count per bound of events/deliveries/durations.ts, and one for longer ones.
  times bigint[] not null default '{0,0,0,0,0,0,0,0,0,0}',
  primary key (webhook_id, hour)
) with (fillfactor = 50);

-- Test inboxes, which stand in for a receiver.
-- Owner: events/inboxes.
create table inbox (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  name text not null,
  -- The status it responds with; for the next answer_times requests, or for all if null; late if it times out first.
  answer_status smallint not null default 200,
  created_at timestamptz not null,
  answer_times integer,
  answer_late boolean not null default false
);
-- Serves the list of a Project's inboxes.
create index inbox_scope on inbox (project_id, mode, id);

-- Owner: events/inboxes.
create table inbox_request (
  id bigint generated always as identity primary key,
  inbox_id text collate "C" not null references inbox on delete cascade,
  method text not null,
  headers jsonb not null,
  body text not null,
  received_at timestamptz not null
);
-- Serves the list of an inbox's requests.
create index inbox_request_inbox on inbox_request (inbox_id, id);
-- Serves the removal of requests after an hour.
create index inbox_request_age on inbox_request (received_at);

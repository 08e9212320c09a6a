-- Schema of src/campaigns.

-- Owner: campaigns. operations/privacy deletes.
create table campaign (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  -- The key that last created, started or resumed it, checked with every message. Null for the panel.
  key_id text collate "C",
  -- Created with a key: each message costs a credit, even if it is resumed in the panel.
  charged boolean not null,
  name text not null,
  instance_ids text[] not null,
  -- The body of a send without its recipient, including {{variables}}; its file is in the media store.
  message jsonb not null,
  media_id text collate "C",
  pacing jsonb,
  status text not null default 'DRAFT'
    check (status in ('DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELED')),
  -- Why it is paused, and whether it resumes by itself.
  pause jsonb,
  scheduled_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- When the worker looks at it next, which decides what may be sent then; infinity if it must not.
  due_at timestamptz not null default 'infinity',
  -- No recipient up to this position is pending.
  passed_position integer not null default 0,
  last_position integer not null default 0,
  -- Results and failures when it was started or resumed: the failure rate counts from here.
  failure_window_start jsonb not null default '{"results": 0, "failed": 0}',
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 60);
-- Serves the list of a Project's campaigns.
create index campaign_scope on campaign (project_id, mode, id);
-- Serves the worker.
create index campaign_due on campaign (due_at);

-- When an instance may send the next message of a campaign.
-- Owner: campaigns.
create table campaign_pace (
  campaign_id text collate "C" not null references campaign,
  instance_id text collate "C" not null,
  next_at timestamptz not null,
  primary key (campaign_id, instance_id)
) with (fillfactor = 50);

-- Owner: campaigns. operations/privacy deletes.
create table campaign_recipient (
  campaign_id text collate "C" not null references campaign,
  position integer not null,
  project_id text collate "C" not null,
  mode text not null,
  -- The recipient as typed, and as resolved.
  typed text not null,
  chat_id text collate "C" not null,
  -- Canonical form of the number, so that a recipient typed twice gets one message.
  person text collate "C" not null,
  variables jsonb not null,
  client_reference text,
  status text not null default 'pending'
    check (status in ('pending', 'queued', 'sent', 'delivered', 'read', 'replied', 'failed', 'skipped')),
  -- Why it was skipped.
  reason text,
  message_id text collate "C",
  primary key (campaign_id, position),
  unique (campaign_id, person)
) with (fillfactor = 80);
-- Serves the status changes of a campaign's messages.
create unique index campaign_recipient_message on campaign_recipient (message_id) where message_id is not null;

-- Recipients by status. An import counts its recipients once, when it is complete, so that a long list blocks nothing;
-- afterwards a trigger moves the counts.
-- Owner: campaigns.
create table campaign_count (
  campaign_id text collate "C" primary key references campaign,
  pending integer not null default 0,
  queued integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  read integer not null default 0,
  replied integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0
) with (fillfactor = 20);

create function count_moved_recipients() returns trigger language plpgsql as $$
begin
  -- In order, so that statements that move recipients of the same campaigns cannot deadlock.
  perform 1 from campaign_count where campaign_id in (select campaign_id from fresh)
    order by campaign_id for update;
  update campaign_count c set
    pending = c.pending + m.pending, queued = c.queued + m.queued, sent = c.sent + m.sent,
    delivered = c.delivered + m.delivered, read = c.read + m.read, replied = c.replied + m.replied,
    failed = c.failed + m.failed, skipped = c.skipped + m.skipped
  from (
    select campaign_id,
      coalesce(sum(one) filter (where status = 'pending'), 0) as pending,
      coalesce(sum(one) filter (where status = 'queued'), 0) as queued,
      coalesce(sum(one) filter (where status = 'sent'), 0) as sent,
      coalesce(sum(one) filter (where status = 'delivered'), 0) as delivered,
      coalesce(sum(one) filter (where status = 'read'), 0) as read,
      coalesce(sum(one) filter (where status = 'replied'), 0) as replied,
      coalesce(sum(one) filter (where status = 'failed'), 0) as failed,
      coalesce(sum(one) filter (where status = 'skipped'), 0) as skipped
    from (select campaign_id, status, 1 as one from fresh
      union all select campaign_id, status, -1 from stale) t
    group by campaign_id) m
  where c.campaign_id = m.campaign_id;
  return null;
end $$;
create trigger campaign_recipient_moved after update on campaign_recipient
  referencing old table as stale new table as fresh
  for each statement execute function count_moved_recipients();

-- People who opted out of campaigns.
-- Owner: campaigns.
create table opt_out (
  project_id text collate "C" not null references project,
  mode text not null,
  person text collate "C" not null,
  at timestamptz not null,
  -- The user or key that entered it; null for a reply.
  added_by text collate "C",
  primary key (project_id, mode, person)
);
-- Serves the list of opt-outs, newest first.
create index opt_out_list on opt_out (project_id, mode, at desc, person);

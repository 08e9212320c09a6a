-- @steps
-- How long contacts wait for an answer.

-- @once
-- Set by messaging/messages: when the contact of a direct chat wrote first after the last message to it.
alter table conversation add column if not exists waiting_since timestamptz;

-- @once
-- One row per wait that ended with a message to the contact, other than one of a campaign.
-- Owner: messaging/messages; messaging/conversations reads and removes old rows. operations/privacy deletes.
create table if not exists response_time (
  conversation_id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null,
  asked_at timestamptz not null,
  answered_at timestamptz not null,
  -- From where it was answered: api, panel or phone.
  origin text not null,
  primary key (conversation_id, asked_at, answered_at)
);
create index if not exists response_time_answered on response_time (project_id, mode, answered_at);
-- Serves the removal of what no report covers any more.
create index if not exists response_time_age on response_time (answered_at);

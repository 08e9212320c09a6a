create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Lists go by time, and what arrived late stands where it belongs.
drop index message_instance;
drop index message_conversation;
create index message_list on message (instance_id, created_at desc, seq desc);
create index message_conversation on message (conversation_id, created_at desc, seq desc);
create index message_reference on message (instance_id, client_reference) where client_reference is not null;
create index message_failed on message (instance_id, created_at desc, seq desc) where status = 'failed';
-- The search of what is older than the newest messages, within one instance.
create index message_text on message using gin (instance_id, text gin_trgm_ops)
  with (fastupdate = on, gin_pending_list_limit = 1024);

-- Two chats that turned out to be one person's: the row stays, so that its id and its chat go on to be found.
alter table conversation add column merged_into text collate "C" references conversation;
create index conversation_list on conversation (instance_id, last_message_at desc nulls last, id desc)
  where merged_into is null;
create index conversation_unread on conversation (instance_id, last_message_at desc nulls last, id desc)
  where merged_into is null and unread_count > 0;

create table contact (
  id bigint generated always as identity primary key,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null references instance,
  phone text collate "C",
  lid text collate "C",
  name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (phone is not null or lid is not null)
) with (fillfactor = 80);
create unique index contact_phone on contact (instance_id, phone) where phone is not null;
create unique index contact_lid on contact (instance_id, lid) where lid is not null;
create index contact_list on contact (instance_id, id);

-- What the network answered when it was asked for a number (contract §2.3, contacts/check).
create table number_check (
  project_id text collate "C" not null,
  mode text not null,
  input text collate "C" not null,
  phone text collate "C",
  lid text collate "C",
  checked_at timestamptz not null,
  primary key (project_id, mode, input)
);

create table chat_group (
  instance_id text collate "C" not null references instance,
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  subject text not null,
  description text,
  owner_phone text,
  owner_lid text,
  owner_name text,
  created_at timestamptz not null,
  primary key (instance_id, id)
);

create table group_participant (
  instance_id text collate "C" not null,
  group_id text collate "C" not null,
  -- The phone, or the LID of somebody whose phone is not known.
  key text collate "C" not null,
  phone text,
  lid text,
  name text,
  role text not null check (role in ('member', 'admin', 'superadmin')),
  primary key (instance_id, group_id, key),
  foreign key (instance_id, group_id) references chat_group on delete cascade
);

create table label (
  id text collate "C" primary key,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null references instance,
  network_id text collate "C" not null,
  name text not null,
  color text not null,
  created_at timestamptz not null,
  unique (instance_id, network_id)
);

create table label_conversation (
  label_id text collate "C" not null references label on delete cascade,
  conversation_id text collate "C" not null references conversation,
  primary key (label_id, conversation_id)
);
create index label_conversation_conversation on label_conversation (conversation_id);

-- Named with its room; CALL is a word of SQL's own.
create table call_log (
  instance_id text collate "C" not null references instance,
  id text collate "C" not null,
  seq bigint generated always as identity,
  project_id text collate "C" not null,
  mode text not null,
  from_phone text,
  from_lid text,
  from_name text,
  video boolean not null,
  is_group boolean not null,
  status text not null check (status in ('ringing', 'rejected', 'missed', 'accepted')),
  at timestamptz not null,
  primary key (instance_id, id)
);
create index call_log_list on call_log (instance_id, seq);

-- What a node asks the node that holds an instance's session to do, and its answer.
create table network_command (
  id text collate "C" primary key,
  instance_id text collate "C" not null,
  name text not null,
  input jsonb not null,
  expires_at timestamptz not null,
  taken_at timestamptz,
  answer jsonb
);
create index network_command_open on network_command (instance_id) where taken_at is null;
create index network_command_age on network_command (expires_at);

create table conversation (
  id text collate "C" primary key,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null references instance,
  chat_id text collate "C" not null,
  chat_type text not null check (chat_type in ('direct', 'group')),
  phone text,
  lid text,
  name text,
  unread_count integer not null default 0,
  archived boolean not null default false,
  pinned boolean not null default false,
  last_message_id text collate "C",
  last_message_at timestamptz,
  created_at timestamptz not null,
  unique (instance_id, chat_id)
) with (fillfactor = 70);

create table message (
  id text collate "C" primary key,
  seq bigint generated always as identity,
  project_id text collate "C" not null,
  mode text not null,
  instance_id text collate "C" not null,
  conversation_id text collate "C" not null,
  wa_message_id text collate "C" not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  origin text not null check (origin in ('api', 'panel', 'campaign', 'phone')),
  type text not null,
  status text not null check (status in ('queued', 'sending', 'sent', 'delivered', 'read', 'played',
    'failed', 'received')),
  chat_id text collate "C" not null,
  chat_type text not null,
  sender_phone text,
  sender_lid text,
  sender_name text,
  -- The fields of the message's kind, as messages/kinds define them.
  content jsonb not null,
  text text,
  quoted jsonb,
  mentions jsonb not null default '[]',
  -- How to send it: linkPreview, typingMs, viewOnce.
  options jsonb not null default '{}',
  metadata jsonb not null default '{}',
  client_reference text,
  campaign_id text collate "C",
  key_id text collate "C",
  -- Credits taken and not given back.
  cost smallint not null default 0,
  error jsonb,
  attempts smallint not null default 0,
  -- When it may leave (queued), or when its silence has lasted too long (sending).
  due_at timestamptz not null,
  first_sent_at timestamptz,
  created_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
create unique index message_wa on message (instance_id, wa_message_id, chat_id);
create index message_instance on message (instance_id, seq);
create index message_conversation on message (conversation_id, seq);
create index message_queue on message (instance_id, seq) where status in ('queued', 'sending');
create index message_unread on message (conversation_id) where direction = 'inbound' and read_at is null;

-- Every status a message went through; in a group, by whom.
create table message_history (
  seq bigint generated always as identity,
  message_id text collate "C" not null,
  status text not null,
  at timestamptz not null,
  party_phone text,
  party_lid text,
  party_name text
);
create index message_history_message on message_history (message_id, seq);

-- The simulated network: phones are rows, and what it has to tell an instance waits here until it was heard.
create table simulator_phone (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  phone text not null,
  lid text not null,
  name text not null,
  business boolean not null default false,
  created_at timestamptz not null,
  unique (project_id, mode, phone)
);

create table simulator_link (
  instance_id text collate "C" primary key,
  phone_id text collate "C" not null references simulator_phone on delete cascade,
  linked_at timestamptz not null
);
create index simulator_link_phone on simulator_link (phone_id);

create table simulator_pairing (
  instance_id text collate "C" primary key,
  project_id text collate "C" not null,
  mode text not null,
  code text not null unique,
  expires_at timestamptz not null
);

-- What a virtual phone has received.
create table simulator_message (
  id text collate "C" primary key,
  seq bigint generated always as identity,
  phone_id text collate "C" not null references simulator_phone on delete cascade,
  wa_message_id text collate "C" not null,
  chat_id text collate "C" not null,
  sender_phone text,
  sender_lid text,
  sender_name text,
  -- The instance whose user sent it, which the receipts go back to.
  instance_id text collate "C",
  type text not null,
  content jsonb not null,
  text text,
  quoted jsonb,
  mentions jsonb not null default '[]',
  created_at timestamptz not null,
  read_at timestamptz,
  deleted_at timestamptz,
  unique (phone_id, chat_id, wa_message_id)
);
create index simulator_message_inbox on simulator_message (phone_id, seq);

create table simulator_event (
  id bigint generated always as identity primary key,
  instance_id text collate "C" not null,
  due_at timestamptz not null,
  payload jsonb not null
);
create index simulator_event_instance on simulator_event (instance_id, id);
create index simulator_event_due on simulator_event (due_at);

create table inbox (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  name text not null,
  answer_status smallint not null default 200,
  created_at timestamptz not null
);
create index inbox_scope on inbox (project_id, mode, id);

create table inbox_request (
  id bigint generated always as identity primary key,
  inbox_id text collate "C" not null references inbox on delete cascade,
  method text not null,
  headers jsonb not null,
  body text not null,
  received_at timestamptz not null
);
create index inbox_request_inbox on inbox_request (inbox_id, id);
create index inbox_request_age on inbox_request (received_at);

-- Schema of src/networks: the simulated network. WhatsApp stores its state in instance_credential.

-- Virtual phones.
-- Owner: networks/simulator.
create table simulator_phone (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  phone text not null,
  lid text not null,
  name text not null,
  business boolean not null default false,
  created_at timestamptz not null,
  online boolean not null default true,
  banned boolean not null default false,
  -- Phone numbers whose messages do not reach this phone.
  blocked text[] not null default '{}',
  -- What the phone's owner shows of themselves.
  about text,
  picture bytea,
  unique (project_id, mode, phone)
);

-- Which phone an instance is paired with.
-- Owner: networks/simulator.
create table simulator_link (
  instance_id text collate "C" primary key,
  phone_id text collate "C" not null references simulator_phone on delete cascade,
  linked_at timestamptz not null
);
-- Serves the phone's list of paired instances.
create index simulator_link_phone on simulator_link (phone_id);

-- Pairing codes that a phone can scan. During a hand-over two nodes may each show one for the same instance.
-- Owner: networks/simulator.
create table simulator_pairing (
  code text primary key,
  instance_id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  expires_at timestamptz not null
);
-- Serves the removal of an instance's expired codes.
create index simulator_pairing_instance on simulator_pairing (instance_id);

-- Messages that virtual phones have received.
-- Owner: networks/simulator.
create table simulator_message (
  id text collate "C" primary key,
  seq bigint generated always as identity,
  phone_id text collate "C" not null references simulator_phone on delete cascade,
  wa_message_id text collate "C" not null,
  chat_id text collate "C" not null,
  chat_type text not null default 'direct',
  sender_phone text,
  sender_lid text,
  sender_name text,
  -- The sending instance, which receives the receipts.
  instance_id text collate "C",
  type text not null,
  content jsonb not null,
  text text,
  quoted jsonb,
  mentions jsonb not null default '[]',
  media_id text collate "C",
  created_at timestamptz not null,
  read_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  -- Held until its phone is online; then it is delivered.
  held boolean not null default false,
  pinned_until timestamptz,
  -- The phones that have starred their copy of the message, or what they wrote themselves.
  starred_by text[] not null default '{}',
  kept boolean not null default false,
  unique (phone_id, chat_id, wa_message_id)
);
-- Serves the phone's inbox.
create index simulator_message_inbox on simulator_message (phone_id, seq);
-- Serves edits and revocations by the message's id.
create index simulator_message_wa on simulator_message (wa_message_id);
-- Serves the removal of old messages.
create index simulator_message_age on simulator_message (created_at);

-- Events on their way to an instance, stored until its node has acknowledged them.
-- Owner: networks/simulator.
create table simulator_event (
  id bigint generated always as identity primary key,
  instance_id text collate "C" not null,
  due_at timestamptz not null,
  payload jsonb not null
);
-- Serves a session's queue, in order.
create index simulator_event_instance on simulator_event (instance_id, id);
-- Serves the removal of events that expired.
create index simulator_event_due on simulator_event (due_at);

-- Owner: networks/simulator.
create table simulator_group (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  subject text not null,
  description text,
  owner_phone text collate "C" not null,
  created_at timestamptz not null,
  -- Null for the settings of a new group.
  settings jsonb,
  -- Code of the invitation link; null until someone reads it.
  invite_code text,
  picture bytea,
  community jsonb
);

-- Owner: networks/simulator.
create table simulator_member (
  group_id text collate "C" not null references simulator_group on delete cascade,
  phone text collate "C" not null,
  role text not null check (role in ('member', 'admin', 'superadmin')),
  primary key (group_id, phone)
);
-- Serves the list of a phone's groups.
create index simulator_member_phone on simulator_member (phone);

-- Requests to join groups whose admins approve new members.
-- Owner: networks/simulator.
create table simulator_join_request (
  group_id text collate "C" not null references simulator_group on delete cascade,
  phone text not null,
  at timestamptz not null,
  primary key (group_id, phone)
);

-- Labels of business phones.
-- Owner: networks/simulator.
create table simulator_label (
  id text collate "C" primary key,
  phone_id text collate "C" not null references simulator_phone on delete cascade,
  name text not null,
  color text not null
);
-- Serves the list of a phone's labels.
create index simulator_label_phone on simulator_label (phone_id);

-- Owner: networks/simulator.
create table simulator_call (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  from_phone text collate "C" not null,
  to_phone text collate "C" not null,
  video boolean not null,
  status text not null check (status in ('ringing', 'rejected', 'missed', 'accepted')),
  at timestamptz not null
);

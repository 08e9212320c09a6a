-- What people on the simulated network do beside writing: be away, be banned, group, label and call.
alter table simulator_phone add column online boolean not null default true;
alter table simulator_phone add column banned boolean not null default false;

-- A message to a phone that is away waits; then it is there, and delivered.
alter table simulator_message add column chat_type text not null default 'direct';
alter table simulator_message add column held boolean not null default false;
alter table simulator_message add column edited_at timestamptz;
create index simulator_message_wa on simulator_message (wa_message_id);

create table simulator_group (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null,
  subject text not null,
  description text,
  owner_phone text collate "C" not null,
  created_at timestamptz not null
);

create table simulator_member (
  group_id text collate "C" not null references simulator_group on delete cascade,
  phone text collate "C" not null,
  role text not null check (role in ('member', 'admin', 'superadmin')),
  primary key (group_id, phone)
);
create index simulator_member_phone on simulator_member (phone);

create table simulator_label (
  id text collate "C" primary key,
  phone_id text collate "C" not null references simulator_phone on delete cascade,
  name text not null,
  color text not null
);
create index simulator_label_phone on simulator_label (phone_id);

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

-- Schema of src/messaging: conversations, messages, contacts, groups, labels and calls.

-- Owner: messaging/conversations. messaging/messages creates conversations and updates their last message and unread
-- count in the statements that accept and store messages; operations/privacy deletes.
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
  -- Set when two chats turn out to be one person's. The row remains, so its id and its chat still resolve.
  merged_into text collate "C" references conversation,
  search_text text generated always as (fold_text(coalesce(name, '') || ' ' || coalesce(phone, ''))) stored,
  -- Lists sort by the hour first: a conversation with several messages within an hour keeps its index entries.
  last_message_hour timestamptz,
  unique (instance_id, chat_id)
) with (fillfactor = 70);
-- Serve the lists of conversations, all and unread.
create index conversation_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null;
create index conversation_unread_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null and unread_count > 0;
-- Serves the foreign key when a conversation is deleted.
create index conversation_merged on conversation (merged_into) where merged_into is not null;

create function set_conversation_hour() returns trigger language plpgsql as $$
begin
  new.last_message_hour := date_bin('1 hour', new.last_message_at, '2000-01-01 00:00:00+00');
  return new;
end $$;
create trigger conversation_hour before insert or update on conversation
  for each row when (new.last_message_hour is distinct from
    date_bin('1 hour', new.last_message_at, '2000-01-01 00:00:00+00'))
  execute function set_conversation_hour();

-- Owner: messaging/messages. messaging/conversations moves messages when conversations merge; operations/privacy deletes.
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
  -- Fields of the message's kind, defined in src/model/kinds.
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
  media_id text collate "C",
  -- Credits charged and not refunded.
  cost smallint not null default 0,
  error jsonb,
  attempts smallint not null default 0,
  -- When it may be sent (queued), or when the network's acknowledgment is overdue (sending).
  due_at timestamptz not null,
  first_sent_at timestamptz,
  created_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  -- Search vector of the text, set when the message leaves the queue, so that accepting a send does not wait for it.
  words tsvector
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
-- No query plan uses the distribution of these columns; sampling them took a sixth of a core under load.
alter table message alter words set statistics 0, alter text set statistics 0, alter content set statistics 0;
-- Deduplicates messages, and finds them by the network's id.
create unique index message_wa on message (instance_id, wa_message_id, chat_id);
-- Serve the lists of messages, by instance and by conversation. Late arrivals sort by their own time.
create index message_list on message (instance_id, created_at desc, seq desc);
create index message_conversation on message (conversation_id, created_at desc, seq desc);
-- Serves the filter by clientReference.
create index message_reference on message (instance_id, client_reference) where client_reference is not null;
-- Serves the filter by failure.
create index message_failed on message (instance_id, created_at desc, seq desc) where status = 'failed';
-- Serves the outbound worker, in order.
create index message_queue on message (instance_id, seq) where status in ('queued', 'sending');
-- Serves read receipts of a whole conversation.
create index message_unread on message (conversation_id) where direction = 'inbound' and read_at is null;
-- Serves the search, beyond the newest messages.
create index message_by_words on message using gin (instance_id, words)
  with (fastupdate = on, gin_pending_list_limit = 1024) where words is not null;
-- Serves the lookup of a file's messages.
create index message_media on message (media_id) where media_id is not null;
-- Serves an instance's daily limit for campaigns.
create index message_campaign_day on message (instance_id, created_at) where campaign_id is not null;
-- Finds the campaign that an inbound message replies to.
create index message_campaign_conversation on message (conversation_id, created_at desc)
  where campaign_id is not null;

create function set_message_words() returns trigger language plpgsql as $$
begin
  new.words := text_words(new.text);
  return new;
end $$;
create trigger message_words_on_insert before insert on message
  for each row when (new.status <> 'queued' and new.text is not null) execute function set_message_words();
create trigger message_words_on_update before update of status, text on message
  for each row when (new.status <> 'queued'
    and (new.text is distinct from old.text or (new.words is null and new.text is not null)))
  execute function set_message_words();

-- Every status of a message; in a group, by participant.
-- Owner: messaging/messages. operations/privacy deletes.
create table message_history (
  seq bigint generated always as identity,
  message_id text collate "C" not null,
  status text not null,
  at timestamptz not null,
  party_phone text,
  party_lid text,
  party_name text
);
-- Serves a message's history.
create index message_history_message on message_history (message_id, seq);

-- Votes by poll and voter; a later vote replaces the earlier one.
-- Owner: messaging/messages. operations/privacy deletes.
create table poll_vote (
  instance_id text collate "C" not null,
  poll_message_id text collate "C" not null,
  voter text collate "C" not null,
  options text[] not null,
  at timestamptz not null,
  primary key (poll_message_id, voter)
);

-- Edits, revocations and receipts that arrived before their message. They are applied when it does, if authorized.
-- Owner: messaging/messages.
create table pending_change (
  id bigint generated always as identity primary key,
  instance_id text collate "C" not null references instance,
  wa_message_id text collate "C" not null,
  change jsonb not null,
  created_at timestamptz not null
);
-- Serves the arrival of the message.
create index pending_change_message on pending_change (instance_id, wa_message_id);
-- Serves the removal of old changes.
create index pending_change_age on pending_change (created_at);

-- Deduplication table: events that a network reported, by the network's own id.
-- Owner: messaging/inbound.
create table processed_event (
  instance_id text collate "C" not null references instance,
  id text collate "C" not null,
  at timestamptz not null,
  primary key (instance_id, id)
);
-- Serves the removal of old rows.
create index processed_event_age on processed_event (at);

-- Owner: messaging/contacts. operations/privacy deletes.
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
  search_text text generated always as (fold_text(coalesce(name, '') || ' ' || coalesce(phone, ''))) stored,
  check (phone is not null or lid is not null)
) with (fillfactor = 80);
-- Resolve a contact by either address.
create unique index contact_phone on contact (instance_id, phone) where phone is not null;
create unique index contact_lid on contact (instance_id, lid) where lid is not null;
-- Serves the list of contacts.
create index contact_list on contact (instance_id, id);

-- Cached results of number checks.
-- Owner: messaging/contacts.
create table number_check (
  project_id text collate "C" not null,
  mode text not null,
  input text collate "C" not null,
  phone text collate "C",
  lid text collate "C",
  checked_at timestamptz not null,
  primary key (project_id, mode, input)
);

-- Owner: messaging/groups.
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
  search_text text generated always as (fold_text(subject)) stored,
  primary key (instance_id, id)
);

-- Owner: messaging/groups.
create table group_participant (
  instance_id text collate "C" not null,
  group_id text collate "C" not null,
  -- The phone, or the LID if the phone is unknown.
  key text collate "C" not null,
  phone text,
  lid text,
  name text,
  role text not null check (role in ('member', 'admin', 'superadmin')),
  primary key (instance_id, group_id, key),
  foreign key (instance_id, group_id) references chat_group on delete cascade
);

-- Owner: messaging/labels.
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

-- Owner: messaging/labels. messaging/conversations moves rows when conversations merge; operations/privacy deletes.
create table label_conversation (
  label_id text collate "C" not null references label on delete cascade,
  conversation_id text collate "C" not null references conversation,
  primary key (label_id, conversation_id)
);
-- Serves the labels of a list of conversations.
create index label_conversation_conversation on label_conversation (conversation_id);

-- Calls. CALL is a reserved word.
-- Owner: messaging/calls.
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
-- Serves the list of calls.
create index call_log_list on call_log (instance_id, seq);

-- Authorization of inbound changes: one rule for edits, revocations, receipts, votes and reactions.

-- The phone and the LID in the id of a direct chat; null for a group.
create function chat_phone(chat text) returns text language sql immutable parallel safe
return case when chat like '%@s.whatsapp.net' then split_part(chat, '@', 1) end;
create function chat_lid(chat text) returns text language sql immutable parallel safe
return case when chat like '%@lid' then chat end;

-- Whether two addresses belong to one person: the same phone, the same LID, or a contact that has both.
create function same_person(instance text, phone_a text, lid_a text, phone_b text, lid_b text) returns boolean
language sql stable parallel safe
return coalesce(phone_a = phone_b, false) or coalesce(lid_a = lid_b, false)
  or exists (select from contact k where k.instance_id = instance and k.phone = phone_a and k.lid = lid_b)
  or exists (select from contact k where k.instance_id = instance and k.phone = phone_b and k.lid = lid_a);

-- Whether two ids name the same chat: a direct chat may be addressed by phone or by LID.
create function same_chat(instance text, chat_a text, chat_b text) returns boolean
language sql stable parallel safe
return chat_a = chat_b or same_person(instance, chat_phone(chat_a), chat_lid(chat_a),
  chat_phone(chat_b), chat_lid(chat_b));

-- Whether a party is a participant of a chat with one of these roles. A group whose participants are not loaded yet
-- (it has no subject) accepts any member, because only its server could have forwarded their stanza.
create function is_participant(instance text, chat text, by_phone text, by_lid text, roles text[]) returns boolean
language sql stable parallel safe
return case when chat not like '%@g.us' then same_person(instance, chat_phone(chat), chat_lid(chat), by_phone, by_lid)
  else ('member' = any(roles) and not exists (select from chat_group g
      where g.instance_id = instance and g.id = chat and g.subject <> ''))
    or exists (select from group_participant p
      where p.instance_id = instance and p.group_id = chat and p.role = any(roles)
        and (p.key in (by_phone, by_lid) or p.lid = by_lid
          or p.key = (select k.phone from contact k where k.instance_id = instance and k.lid = by_lid)
          or p.key = (select k.lid from contact k where k.instance_id = instance and k.phone = by_phone)
          or p.lid = (select k.lid from contact k where k.instance_id = instance and k.phone = by_phone)))
  end;

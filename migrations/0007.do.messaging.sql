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
  -- Whether a member of the team still has to answer. messaging/messages reopens a conversation when a message arrives.
  status text not null default 'open',
  -- A member of the Project's account; a removed member no longer counts.
  assignee_id text collate "C",
  -- Set by messaging/messages: when the contact of a direct chat wrote first after the last message to it.
  waiting_since timestamptz,
  -- Set by messaging/messages: the advertisement or post of the first message that came from one.
  referral jsonb,
  unique (instance_id, chat_id)
) with (fillfactor = 70);
-- Serve the lists of an instance's conversations: all, unread, and those that a person has to answer.
create index conversation_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null;
create index conversation_unread_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null and unread_count > 0;
create index conversation_by_assignee
  on conversation (instance_id, assignee_id, last_message_hour desc nulls last)
  where merged_into is null and assignee_id is not null;
-- Serve the lists of all instances of a Project: all, unread, and pinned. Few are pinned.
create index conversation_of_project
  on conversation (project_id, mode, last_message_hour desc nulls last) where merged_into is null;
create index conversation_unread_of_project
  on conversation (project_id, mode, last_message_hour desc nulls last)
  where merged_into is null and unread_count > 0;
create index conversation_pinned
  on conversation (project_id, mode, last_message_hour desc nulls last) where merged_into is null and pinned;
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

-- What a member of a team has not read yet, though another has. Without a row, the conversation's unread_count holds.
-- Owner: messaging/messages; messaging/conversations reads and moves rows. operations/privacy deletes.
create table conversation_behind (
  user_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- Time and seq of the first message that the member has not read: times of messages have a resolution of a second.
  since timestamptz not null,
  first_seq bigint not null,
  primary key (conversation_id, user_id)
);
-- Serves the unread conversations of a member.
create index conversation_behind_user on conversation_behind (user_id);

-- One row per wait of a contact that ended with a message to them, other than one of a campaign.
-- Owner: messaging/messages; messaging/conversations reads and removes old rows. operations/privacy deletes.
create table response_time (
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
-- Serves the report of a Project.
create index response_time_answered on response_time (project_id, mode, answered_at);
-- Serves the removal of what no report covers any more.
create index response_time_age on response_time (answered_at);

-- Notes of the team on a conversation, which its contact never sees. Notes of conversations that were merged stay where
-- they are, and are read through the conversation that is left.
-- Owner: messaging/notes. operations/privacy deletes.
create table conversation_note (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  instance_id text collate "C" not null references instance,
  conversation_id text collate "C" not null references conversation,
  -- The user or the API key that wrote it.
  author_id text collate "C" not null,
  text text not null,
  created_at timestamptz not null
);
-- Serve the notes of a conversation, and the erasure of an instance.
create index conversation_note_list on conversation_note (conversation_id, id);
create index conversation_note_instance on conversation_note (instance_id, id);

-- Members who are mentioned in a note.
-- Owner: messaging/notes. Deleted with the note.
create table note_mention (
  note_id text collate "C" not null references conversation_note on delete cascade,
  user_id text collate "C" not null,
  -- When the member opened the conversation; null until then.
  read_at timestamptz,
  primary key (note_id, user_id)
);
-- Serves the list of what a member has not read.
create index note_mention_unread on note_mention (user_id) where read_at is null;

-- Ready-made replies of a Project.
-- Owner: messaging/quick-replies. operations/privacy deletes.
create table quick_reply (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  shortcut text not null,
  text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (project_id, mode, shortcut)
);

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
  -- A message that is being sent is 'queued' until the network has acknowledged it; see outbox.
  status text not null check (status in ('queued', 'sent', 'delivered', 'read', 'played', 'failed', 'received')),
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
  created_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  -- Search vector of the text, set when the message leaves the queue, so that accepting a send does not wait for it.
  words tsvector,
  -- A message of the past that the phone has shared, until the network delivers the same message, which is news then.
  historic boolean not null default false,
  -- Until when it is pinned, whether the account has starred it, and whether a participant keeps it although messages of
  -- the chat disappear. The times are those of the latest changes: an older one that arrives late changes nothing.
  pinned_until timestamptz,
  pinned_at timestamptz,
  starred boolean,
  starred_at timestamptz,
  kept boolean,
  kept_at timestamptz
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
-- Serve the pinned messages of a conversation, and the starred ones of an instance.
create index message_pinned on message (conversation_id) where pinned_until is not null;
create index message_starred on message (instance_id, created_at, seq) where starred;

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

-- Messages that are queued or being sent, of which message.status says 'queued'. A row is deleted with the first status
-- that its message has on the network.
-- Owner: messaging/messages. operations/privacy deletes.
create table outbox (
  instance_id text collate "C" not null,
  -- The message's seq.
  seq bigint not null,
  message_id text collate "C" not null,
  created_at timestamptz not null,
  -- When it may be sent; while it is being sent, when the network's acknowledgment is overdue.
  due_at timestamptz not null,
  first_sent_at timestamptz,
  sending boolean not null default false,
  -- Whether it is shown as typed before it is sent.
  typed boolean not null default false,
  -- Starts a chat and waits for the instance's turn; the messages of other chats do not wait with it.
  waits boolean not null default false,
  -- Has taken a turn: the network may have it.
  admitted boolean not null default false,
  primary key (instance_id, seq)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
-- Serves the waiting messages of an instance, and those that have taken a turn.
create index outbox_paced on outbox (instance_id, seq) where waits or admitted;

-- When an instance may start its next chat, and how many it has started on a day (São Paulo).
-- Owner: messaging/messages. operations/privacy deletes.
create table pace (
  instance_id text collate "C" primary key,
  free_at timestamptz not null,
  day date not null,
  started int not null
);

-- Messages to be sent at a given time.
-- Owner: messaging/schedules. operations/privacy deletes.
create table scheduled_message (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  instance_id text collate "C" not null references instance,
  -- The key that scheduled it, checked again when it is sent. Null for the panel.
  key_id text collate "C",
  -- The body of the send; its file is in the media store.
  message jsonb not null,
  media_id text collate "C",
  send_at timestamptz not null,
  status text not null default 'scheduled' check (status in ('scheduled', 'sent', 'failed', 'canceled')),
  -- When the worker tries next; after a fault of the server, later than send_at. Infinity once it has ended.
  due_at timestamptz not null,
  -- The message that it became.
  message_id text collate "C",
  -- Why it failed: a code, and a sentence for the caller.
  error_code text,
  error_message text,
  created_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 70);
-- Serves the list of an instance.
create index scheduled_message_list on scheduled_message (instance_id, send_at, id);
-- Serve the worker: what is due, and the first of each Project when those of one Project fill what it reads of all.
create index scheduled_message_due on scheduled_message (due_at, id) where status = 'scheduled';
create index scheduled_message_turn on scheduled_message (project_id, due_at, id) where status = 'scheduled';
-- Serves the limit of a Project.
create index scheduled_message_open on scheduled_message (project_id, mode) where status = 'scheduled';
-- Serves the clean-up.
create index scheduled_message_ended on scheduled_message (ended_at) where status <> 'scheduled';

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
  -- The name and the fields (names to texts) that the team has entered; `name` is what the network reports.
  custom_name text,
  fields jsonb not null default '{}',
  -- When the network last reported that the person uses another phone, or has installed the app again.
  identity_changed_at timestamptz,
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

-- What people, groups and numbers show about themselves, as read from the network and kept for a while.
-- Owner: messaging/profiles. operations/privacy deletes.
create table profile (
  instance_id text collate "C" not null references instance on delete cascade,
  -- The number that was paired: another one may see something else.
  number text collate "C" not null,
  -- A chat, or that of the number itself.
  chat_id text collate "C" not null,
  part text not null check (part in ('details', 'preview', 'full')),
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  -- JSON for the details and a JPEG for the pictures; null if nothing is shown.
  value bytea,
  fetched_at timestamptz not null,
  primary key (instance_id, number, chat_id, part)
);
-- Serves the removal of old rows.
create index profile_age on profile (fetched_at);

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
  -- The settings as the network reports them; null until it has.
  settings jsonb,
  -- The community and the group's part in it, as in GroupCommunity; null outside of communities.
  community jsonb,
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

-- Who may change what: one rule for edits, revocations, receipts, votes and reactions that networks report.

-- The phone and the LID that the id of a direct chat names; null for a group.
create function chat_phone(chat text) returns text language sql immutable parallel safe
return case when chat like '%@s.whatsapp.net' then split_part(chat, '@', 1) end;
create function chat_lid(chat text) returns text language sql immutable parallel safe
return case when chat like '%@lid' then chat end;

-- Whether two addresses belong to one person: the same phone, the same LID, or a contact that joins them.
create function same_person(instance text, phone_a text, lid_a text, phone_b text, lid_b text) returns boolean
language sql stable parallel safe
return coalesce(phone_a = phone_b, false) or coalesce(lid_a = lid_b, false)
  or exists (select from contact k where k.instance_id = instance and k.phone = phone_a and k.lid = lid_b)
  or exists (select from contact k where k.instance_id = instance and k.phone = phone_b and k.lid = lid_a);

-- Whether two chat ids name one chat: a direct chat may be addressed by phone or by LID.
create function same_chat(instance text, chat_a text, chat_b text) returns boolean
language sql stable parallel safe
return chat_a = chat_b or same_person(instance, chat_phone(chat_a), chat_lid(chat_a),
  chat_phone(chat_b), chat_lid(chat_b));

-- Whether somebody is a participant of a chat, at least with this role. A group whose participants are not loaded yet
-- (it has no subject) accepts any member, because only its server could have forwarded their stanza.
create function takes_part(instance text, chat text, by_phone text, by_lid text, roles text[]) returns boolean
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

-- Changes that arrived before their message; applied, if they are authorized, when it does.
create table pending_change (
  id bigint generated always as identity primary key,
  instance_id text collate "C" not null references instance,
  wa_message_id text collate "C" not null,
  change jsonb not null,
  created_at timestamptz not null
);
create index pending_change_message on pending_change (instance_id, wa_message_id);
create index pending_change_age on pending_change (created_at);

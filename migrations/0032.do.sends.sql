-- A send touches its conversation. Listed by the hour first, a conversation that is spoken in again within the hour keeps
-- its place in every index, and PostgreSQL writes none of them anew.
alter table conversation add column last_message_hour timestamptz
  generated always as (date_bin('1 hour', last_message_at, '2000-01-01 00:00:00+00')) stored;
drop index conversation_list;
drop index conversation_unread;
create index conversation_list on conversation (instance_id, last_message_hour desc nulls last)
  where merged_into is null;
create index conversation_unread on conversation (instance_id, last_message_hour desc nulls last)
  where merged_into is null and unread_count > 0;
analyze conversation;

-- The words of a message are taken apart when it leaves the queue, not while its sender waits.
create function words_of(value text) returns tsvector
language sql immutable parallel safe strict
return strip(to_tsvector('simple'::regconfig, only_words(value)));
alter table message alter column words drop expression;
create function note_words() returns trigger language plpgsql as $$
begin
  new.words := words_of(new.text);
  return new;
end $$;
create trigger message_arrived before insert on message
  for each row when (new.status <> 'queued' and new.text is not null) execute function note_words();
create trigger message_left before update of status, text on message
  for each row when (new.status <> 'queued'
    and (new.text is distinct from old.text or (new.words is null and new.text is not null)))
  execute function note_words();
drop index message_words;
create index message_words on message using gin (instance_id, words)
  with (fastupdate = on, gin_pending_list_limit = 1024) where words is not null;
-- No plan asks how these are spread, and finding it out took a sixth of a core while messages came in.
alter table message alter words set statistics 0, alter text set statistics 0, alter content set statistics 0;

-- Whatever is booked moves a balance, which names its Project; the check read and locked the Project again for each row.
alter table ledger drop constraint ledger_project_id_fkey;

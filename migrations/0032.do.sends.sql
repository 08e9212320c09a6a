-- The hour of a conversation's last message: filled, kept and indexed by migration 36.
alter table conversation add column last_message_hour timestamptz;

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
-- No plan asks how these are spread, and finding it out took a sixth of a core while messages came in.
alter table message alter words set statistics 0, alter text set statistics 0, alter content set statistics 0;

-- Whatever is booked moves a balance, which names its Project; the check read and locked the Project again for each row.
alter table ledger drop constraint ledger_project_id_fkey;

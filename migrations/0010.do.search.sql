-- What is looked for is compared without accents and case, in any locale of the database.
create extension if not exists unaccent;
create function folded(value text) returns text
language sql immutable parallel safe strict
return lower(unaccent('unaccent'::regdictionary, value));

-- The words of a text, with a blank for each run of blanks and punctuation between them.
create function only_words(value text) returns text
language sql immutable parallel safe strict
return regexp_replace(folded(value), '[\x01-\x2f:-@[-`{-\x7f\u00a0-\u00bf\u2000-\u206f]+', ' ', 'g');

-- Texts that have every word of `value`; of its last, the beginning is enough. Null without any word, which finds nothing.
create function text_query(value text) returns tsquery
language sql immutable parallel safe strict
return ('''' || replace(nullif(trim(only_words(value)), ''), ' ', ''' & ''') || ''':*')::tsquery;

drop index message_text;
drop extension pg_trgm;
-- Stored, so that the newest messages are read through without taking their texts apart again.
alter table message add column words tsvector
  generated always as (strip(to_tsvector('simple'::regconfig, only_words(text)))) stored;
create index message_words on message using gin (instance_id, words)
  with (fastupdate = on, gin_pending_list_limit = 1024);

alter table conversation add column found_by text
  generated always as (folded(coalesce(name, '') || ' ' || coalesce(phone, ''))) stored;
alter table contact add column found_by text
  generated always as (folded(coalesce(name, '') || ' ' || coalesce(phone, ''))) stored;
alter table chat_group add column found_by text generated always as (folded(subject)) stored;

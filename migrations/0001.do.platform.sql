-- Schema of src/platform: what every module builds on.
-- Each table's comment names the folder that owns it, any other writers and why, and what each index serves.

-- Search compares text without accents and case, in any locale of the database.
create extension if not exists unaccent;
create extension if not exists btree_gin;

create function fold_text(value text) returns text
language sql immutable parallel safe strict
return lower(unaccent('unaccent'::regdictionary, value));

-- The words of a text, with one blank for each run of blanks and punctuation.
create function only_words(value text) returns text
language sql immutable parallel safe strict
return regexp_replace(fold_text(value), '[\x01-\x2f:-@[-`{-\x7f\u00a0-\u00bf\u2000-\u206f]+', ' ', 'g');

-- The search vector of a text.
create function text_words(value text) returns tsvector
language sql immutable parallel safe strict
return strip(to_tsvector('simple'::regconfig, only_words(value)));

-- Matches texts that contain every word of `value`, the last one as a prefix. Null for a value without words, which
-- matches nothing.
create function text_query(value text) returns tsquery
language sql immutable parallel safe strict
return ('''' || replace(nullif(trim(only_words(value)), ''), ' ', ''' & ''') || ''':*')::tsquery;

-- The lowest migration that a program must know to work with this schema. A migration that removes something the
-- previous version uses sets its own number here.
-- Owner: platform/db; written by migrations only.
create table schema_compatibility (
  one boolean primary key default true check (one),
  needs int not null
);
insert into schema_compatibility (needs) values (1);

-- A known value, sealed with each master key that has sealed values. If one cannot be opened, that key is missing.
-- Owner: platform/db.
create table seal_probe (
  -- The first bytes of every value sealed with the key.
  header bytea primary key,
  sealed bytea not null
);

-- One row per server process that shares this database.
-- Owner: platform/nodes.
create sequence node_epoch;
create table node (
  id text primary key,
  -- Fencing token: drawn from node_epoch and never reused, so a restarted node differs from its previous life.
  epoch bigint not null,
  heartbeat_at timestamptz not null,
  -- How many instances the node's memory is good for.
  capacity integer not null default 1024,
  -- A draining node hands over its instances and claims none.
  draining boolean not null default false,
  started_at timestamptz,
  -- Where the node stores files; all nodes must use the same place.
  media_store text
) with (fillfactor = 50);

-- The latest time that any node has seen. If the database's clock is set back, time continues from here.
-- Owner: platform/nodes.
create table clock_floor (
  one boolean primary key default true check (one),
  at timestamptz not null
);

-- Responses stored for Idempotency-Key, for 24 hours.
-- Owner: platform/idempotency.
create table idempotency (
  project_id text collate "C" not null,
  mode text not null,
  key text not null,
  -- Hash of method, path and body.
  fingerprint bytea not null,
  -- Null while the first request runs.
  status integer,
  body text,
  created_at timestamptz not null,
  -- Until when a request that waits for a network holds its key; null for requests that end in one transaction.
  claimed_until timestamptz,
  primary key (project_id, mode, key)
);
-- Serves the removal of expired rows.
create index idempotency_age on idempotency (created_at);

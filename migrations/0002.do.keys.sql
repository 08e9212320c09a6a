create table api_key (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  name text not null,
  key_prefix text not null,
  secret_hash bytea not null unique,
  created_by text collate "C",
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
) with (fillfactor = 80);
create index api_key_scope on api_key (project_id, mode, id);

-- The guard of every scoped statement. It names no column of the statement, so that it is evaluated once, before
-- the first row, and a revocation, a suspension or a change of usage mode by anybody counts at once. The codes
-- are read in keys/access.ts.
create function access_granted(a_key text, a_now timestamptz) returns boolean
language plpgsql stable as $$
declare
  found_key record;
begin
  if a_key is null then
    return true;
  end if;
  select k.revoked_at, k.expires_at, k.mode, p.status, p.usage_mode into found_key
    from api_key k join project p on p.id = k.project_id where k.id = a_key;
  if not found then
    raise exception 'key unknown' using errcode = 'RC401';
  elsif found_key.revoked_at is not null then
    raise exception 'key revoked' using errcode = 'RC411';
  elsif found_key.expires_at <= a_now then
    raise exception 'key expired' using errcode = 'RC412';
  elsif found_key.status <> 'ACTIVE' then
    raise exception 'project not active' using errcode = 'RC403';
  elsif found_key.mode = 'production' and found_key.usage_mode = 'CRM' then
    raise exception 'usage mode forbids the API' using errcode = 'RC402';
  end if;
  return true;
end $$;

-- Why the key may not be used, as the code that access_granted raises; null when it may. For looks at many keys.
create function access_refusal(a_key text, a_now timestamptz) returns text
language plpgsql stable as $$
begin
  perform access_granted(a_key, a_now);
  return null;
exception when others then
  if sqlstate like 'RC4%' then
    return sqlstate;
  end if;
  raise;
end $$;

create table idempotency (
  project_id text collate "C" not null,
  mode text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  body text,
  created_at timestamptz not null,
  primary key (project_id, mode, key)
);
create index idempotency_age on idempotency (created_at);

-- @steps
-- Projects that are moving to another installation.

-- @once
-- Until then only the move may change what belongs to the Project. The move renews it while it works, so that a move
-- that stops returns the Project by itself; infinity once the other installation has it. Owner: operations/move.
alter table project
  add column if not exists moving_until timestamptz,
  -- The run of the move that holds the lease, and the address of the installation that it moves to.
  add column if not exists moving_by text,
  add column if not exists moving_to text;

-- @once
create or replace function access_granted(a_key text, a_now timestamptz) returns boolean
language plpgsql stable as $$
declare
  found_key record;
begin
  if a_key is null then
    return true;
  end if;
  select k.revoked_at, k.expires_at, k.mode, p.status, p.usage_mode, p.moving_until into found_key
    from api_key k join project p on p.id = k.project_id where k.id = a_key;
  if not found then
    raise exception 'key unknown' using errcode = 'RC401';
  elsif found_key.revoked_at is not null then
    raise exception 'key revoked' using errcode = 'RC411';
  elsif found_key.expires_at <= a_now then
    raise exception 'key expired' using errcode = 'RC412';
  elsif found_key.moving_until > now() then
    raise exception 'project is moving' using errcode = 'RC413';
  elsif found_key.status <> 'ACTIVE' then
    raise exception 'project not active' using errcode = 'RC403';
  elsif found_key.mode = 'production' and found_key.usage_mode = 'CRM' then
    raise exception 'usage mode forbids the API' using errcode = 'RC402';
  end if;
  return true;
end $$;

-- @alone
-- Serves the workers, which leave moving Projects alone.
create index concurrently if not exists project_moving on project (id) where moving_until is not null;

-- @steps
-- @once
-- What colleagues call a member; null until the member or their invitation says so.
alter table app_user add column if not exists name text;

-- @steps
-- @once
-- When a pairing was ended whose secrets have not been deleted yet; a connection waits until they are.
alter table instance add column if not exists forget_at timestamptz;
-- @alone
-- Left by the 0047 that was withdrawn.
drop index concurrently if exists conversation_open_by_hour;

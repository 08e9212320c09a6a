-- @steps
-- @once
-- When a pairing was ended whose secrets have not been deleted yet; a connection waits until they are.
alter table instance add column if not exists forget_at timestamptz;

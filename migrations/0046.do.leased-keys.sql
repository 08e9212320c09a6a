-- @steps
-- @once
-- Until when a request that waits for a network holds its key; null for requests that end in one transaction.
alter table idempotency add column if not exists claimed_until timestamptz;

-- @steps
-- @once
-- The number of the query whose answer was applied last: one that was sent earlier is outdated.
alter table payment_customer add column if not exists applied bigint not null default 0;

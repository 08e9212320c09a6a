-- @steps
-- Messages of the past, which a phone has shared.

-- @once
-- True until the network delivers the same message, which is news then. Set by messaging.
alter table message add column if not exists historic boolean not null default false;

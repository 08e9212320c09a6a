-- @steps
-- @once
-- The user who made the link, if a key did not: the link ends when they leave the company or may no longer pair.
alter table pairing_link add column if not exists user_id text collate "C";

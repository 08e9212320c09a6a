-- @steps
-- Webhooks that receive only incoming or only outgoing messages.

-- @once
-- Only events about messages of these directions; null receives both.
alter table webhook add column if not exists only_directions text[];

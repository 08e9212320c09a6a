-- @steps
-- Messages that are pinned in their chat.

-- @once
-- Until when a message is pinned, and the time of the latest change: an older one that arrives late changes nothing.
alter table message add column if not exists pinned_until timestamptz, add column if not exists pinned_at timestamptz;
alter table simulator_message add column if not exists pinned_until timestamptz;

-- @alone
-- The pinned messages of a conversation.
create index concurrently if not exists message_pinned on message (conversation_id) where pinned_until is not null;

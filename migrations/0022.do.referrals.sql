-- @steps
-- The advertisements from which people open chats.

-- @once
-- Set by messaging/messages: the advertisement or post of the first message that came from one.
alter table conversation add column if not exists referral jsonb;

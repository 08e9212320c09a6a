-- @steps
-- @once
-- An account also publishes: in the chat of its status posts, and in channels. Earlier versions never write these.
alter table conversation drop constraint conversation_chat_type_check;
alter table conversation add constraint conversation_chat_type_check
  check (chat_type in ('direct', 'group', 'status', 'channel')) not valid;
-- @once
alter table conversation validate constraint conversation_chat_type_check;

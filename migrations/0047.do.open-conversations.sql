-- @steps
-- @alone
-- Serves the list of open conversations, however many are done.
create index concurrently if not exists conversation_open_by_hour
  on conversation (instance_id, last_message_hour desc nulls last) where merged_into is null and status = 'open';

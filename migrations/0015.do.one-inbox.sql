-- @steps
-- One list of conversations for all instances of a Project.

-- @alone
-- Serves the list of all instances, newest first. Sorted by the hour, like conversation_by_hour.
create index concurrently if not exists conversation_of_project
  on conversation (project_id, mode, last_message_hour desc nulls last) where merged_into is null;

-- @alone
-- Serves the count of unread conversations of all instances.
create index concurrently if not exists conversation_unread_of_project
  on conversation (project_id, mode, last_message_hour desc nulls last)
  where merged_into is null and unread_count > 0;

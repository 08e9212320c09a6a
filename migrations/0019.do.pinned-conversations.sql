-- @steps
-- The pinned conversations stand above the others in the inbox.

-- @alone
-- Serves the pinned conversations of one instance or of all, newest first. Few are pinned.
create index concurrently if not exists conversation_pinned
  on conversation (project_id, mode, last_message_hour desc nulls last)
  where merged_into is null and pinned;

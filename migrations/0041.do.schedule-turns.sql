-- @steps
-- Scheduled messages of many Projects that are due at once.

-- @alone
-- Serves the worker while the messages of one Project fill what it reads of all: it takes the first of each Project.
create index concurrently if not exists scheduled_message_turn
  on scheduled_message (project_id, due_at, id) where status = 'scheduled';

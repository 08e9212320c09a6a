-- @steps
-- How a team shares the conversations: who answers one, whether it is done, notes, and ready-made replies.

-- @once
-- `status` and `assignee_id` belong to messaging/conversations. messaging/messages reopens a conversation when a message
-- arrives. The assignee is a member of the Project's account; a removed member no longer counts.
alter table conversation
  add column if not exists status text not null default 'open',
  add column if not exists assignee_id text collate "C";

-- @once
-- Notes of the team on a conversation, which its contact never sees. Notes of conversations that were merged stay where
-- they are, and are read through the conversation that is left.
-- Owner: messaging/notes. operations/privacy deletes.
create table if not exists conversation_note (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  instance_id text collate "C" not null references instance,
  conversation_id text collate "C" not null references conversation,
  -- The user or the API key that wrote it.
  author_id text collate "C" not null,
  text text not null,
  created_at timestamptz not null
);
create index if not exists conversation_note_list on conversation_note (conversation_id, id);
create index if not exists conversation_note_instance on conversation_note (instance_id, id);

-- @once
-- Ready-made replies of a Project.
-- Owner: messaging/quick-replies. operations/privacy deletes.
create table if not exists quick_reply (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  shortcut text not null,
  text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (project_id, mode, shortcut)
);

-- @alone
-- Serves the list of what a person has to answer.
create index concurrently if not exists conversation_by_assignee
  on conversation (instance_id, assignee_id, last_message_hour desc nulls last)
  where merged_into is null and assignee_id is not null;

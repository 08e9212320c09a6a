-- @steps
-- Members who are mentioned in internal notes.

-- @once
-- Owner: messaging/notes. Deleted with the note.
create table if not exists note_mention (
  note_id text collate "C" not null references conversation_note on delete cascade,
  user_id text collate "C" not null,
  -- When the member opened the conversation; null until then.
  read_at timestamptz,
  primary key (note_id, user_id)
);
-- Serves the list of what a member has not read.
create index if not exists note_mention_unread on note_mention (user_id) where read_at is null;

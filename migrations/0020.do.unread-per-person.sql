-- @steps
-- What a member of a team has not read yet, though another has.

-- @once
-- One row per member who is behind the team in a conversation; without one, the conversation's unread_count holds.
-- Owner: messaging/messages; messaging/conversations reads and moves rows. operations/privacy deletes.
create table if not exists conversation_behind (
  user_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- Time and seq of the first message that the member has not read: times of messages have a resolution of a second.
  since timestamptz not null,
  first_seq bigint not null,
  primary key (conversation_id, user_id)
);
-- Serves the unread conversations of a member.
create index if not exists conversation_behind_user on conversation_behind (user_id);

-- The pace of an instance: when messages that start a chat may leave.
-- Until when a message waits that starts a chat; the messages behind it do not wait with it.
alter table outbox add column waits_until timestamptz;

-- How many chats an instance has started on a day (São Paulo), of those that its pace counts.
-- Owner: messaging/messages. operations/privacy deletes.
create table pace_day (
  instance_id text collate "C" not null,
  day date not null,
  started int not null,
  primary key (instance_id, day)
);

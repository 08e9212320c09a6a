-- @steps
-- The place of groups in communities.

-- @once
alter table chat_group add column if not exists community jsonb;
comment on column chat_group.community is
  'The community and the group''s part in it, as in GroupCommunity; null outside of communities';

-- @once
-- Owner: networks/simulator.
alter table simulator_group add column if not exists community jsonb;

-- @steps
-- The settings of groups, and the links by which people join them.

-- @once
-- Set by messaging/groups: the settings as the network reports them; null until it has.
alter table chat_group add column if not exists settings jsonb;

-- @once
-- Set by the simulator: the settings, null for those of a new group, and the code of the invitation, null until it is asked for.
alter table simulator_group add column if not exists settings jsonb,
  add column if not exists invite_code text;

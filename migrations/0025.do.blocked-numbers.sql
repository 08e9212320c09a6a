-- @steps
-- Numbers that virtual phones have blocked.

-- @once
-- Set by the simulator: phone numbers whose messages do not reach this phone.
alter table simulator_phone add column if not exists blocked text[] not null default '{}';

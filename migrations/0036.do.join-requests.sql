-- @steps
-- Requests to join groups of the simulated network whose admins approve new members.

-- @once
-- Owner: networks/simulator.
create table if not exists simulator_join_request (
  group_id text collate "C" not null references simulator_group on delete cascade,
  phone text not null,
  at timestamptz not null,
  primary key (group_id, phone)
);

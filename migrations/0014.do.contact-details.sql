-- @steps
-- What a team keeps about its contacts: the name it knows them by, fields of its own, and who wants no campaigns.

-- @once
-- `name` stays what the network reports, so that a node of the previous version cannot overwrite what the team entered.
-- `fields` maps names to texts.
alter table contact
  add column if not exists custom_name text,
  add column if not exists fields jsonb not null default '{}';

-- @once
-- Opt-outs of replies and of people are told apart. `added_by` is the user or key; null for a reply.
alter table opt_out add column if not exists added_by text collate "C";

-- @alone
-- Serves the list of opt-outs, newest first.
create index concurrently if not exists opt_out_list on opt_out (project_id, mode, at desc, person);

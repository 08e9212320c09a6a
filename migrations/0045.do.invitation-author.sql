-- @steps
-- @once
-- Who made the invitation: it ends when they leave the company or may no longer invite to its role. Null for those of earlier versions.
alter table invitation add column if not exists invited_by text collate "C";

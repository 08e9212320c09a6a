-- @steps
-- Users who run the installation, and may see and change the Projects of all companies in the panel.

-- @once
-- Granted and revoked with an operator command only. It counts only while the user has a second factor.
alter table app_user add column if not exists is_operator boolean not null default false;

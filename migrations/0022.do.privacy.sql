-- deleted: nobody may use it any more; erased: nothing is left of what it held.
alter table account add column deleted_at timestamptz;
alter table account add column erased_at timestamptz;
create index account_deleted on account (deleted_at) where erased_at is null and deleted_at is not null;
create index media_project on media (project_id);

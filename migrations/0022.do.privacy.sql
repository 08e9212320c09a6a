-- deleted: nobody may use it any more; erased: nothing is left of what it held.
alter table account add column deleted_at timestamptz;
alter table account add column erased_at timestamptz;
-- When erasing it is tried (again).
alter table account add column erase_at timestamptz;
create index account_erase on account (erase_at) where erased_at is null and erase_at is not null;
create index media_project on media (project_id, id);
-- Its foreign key looks for it with every conversation that is deleted.
create index conversation_merged on conversation (merged_into) where merged_into is not null;
create index audit_object on audit (object, id);
create index audit_actor on audit (actor, id);

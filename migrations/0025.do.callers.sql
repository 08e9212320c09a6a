-- From where, and in which mode, something was done; null where nobody called, as of what the operator does.
alter table audit add column address text;
alter table audit add column mode text;
-- By which browser somebody signed in, and in which time zone it was.
alter table session add column browser text;
alter table session add column time_zone text;
-- Which session ended another.
create index session_user_created on session (user_id, created_at);
-- What the audit log of an account is of: whatever did something in it, or had something done to it.
create view account_object as
  select id as account_id, id from account
  union all select account_id, id from project
  union all select account_id, id from app_user
  union all select p.account_id, k.id from api_key k join project p on p.id = k.project_id;

-- An address changes once both its old and its new owner have said so.
create table email_change (
  user_id text collate "C" primary key references app_user,
  email text not null,
  old_hash bytea not null unique,
  new_hash bytea not null unique,
  old_confirmed_at timestamptz,
  new_confirmed_at timestamptz,
  expires_at timestamptz not null
);

-- The secret is sealed; a step of 30 seconds is good for one sign-in.
alter table app_user
  add column totp_sealed bytea,
  add column totp_on boolean not null default false,
  add column totp_step bigint not null default 0;

create table recovery_code (
  user_id text collate "C" not null references app_user,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- A link of a mail is good for one thing.
alter table email_token add column purpose text not null default 'confirm' check (purpose in ('confirm', 'reset'));
alter table email_token add column created_at timestamptz not null default now();
create index email_token_user on email_token (user_id, created_at);

create table account (
  id text collate "C" primary key,
  company text not null,
  tax_id text not null,
  created_at timestamptz not null
);

create table project (
  id text collate "C" primary key,
  account_id text collate "C" not null references account,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  usage_mode text not null default 'BOTH' check (usage_mode in ('CRM', 'API', 'BOTH')),
  exempt boolean not null default false,
  subscription text not null default 'none'
    check (subscription in ('none', 'active', 'pending', 'paused', 'past_due', 'canceled')),
  addons text[] not null default '{}',
  created_at timestamptz not null
);
create index project_account on project (account_id);

-- Apart from the project because every batch of sends writes it.
create table balance (
  project_id text collate "C" primary key references project,
  credits bigint not null default 0 check (credits >= 0),
  test_day date not null default '2000-01-01',
  test_count integer not null default 0
) with (fillfactor = 50);

create table app_user (
  id text collate "C" primary key,
  account_id text collate "C" not null references account,
  email text not null,
  password_hash text not null,
  role text not null check (role in ('Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro')),
  confirmed_at timestamptz,
  created_at timestamptz not null
);
create unique index app_user_email on app_user (email);

create table email_token (
  hash bytea primary key,
  user_id text collate "C" not null references app_user,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table session (
  id text collate "C" primary key,
  user_id text collate "C" not null references app_user,
  created_at timestamptz not null,
  superseded_at timestamptz,
  ended_at timestamptz
);
create index session_user_open on session (user_id) where superseded_at is null and ended_at is null;

create table session_token (
  hash bytea primary key,
  session_id text collate "C" not null references session on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index session_token_session on session_token (session_id);

-- Failed sign-ins, by account and by address.
create table login_failure (
  subject text primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  object text not null,
  before jsonb,
  after jsonb
);

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function audit_is_append_only();

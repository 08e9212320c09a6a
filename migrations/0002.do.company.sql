-- Schema of src/company: accounts, people, Projects, keys, credits and what they did.

-- Owner: company/accounts. operations/privacy sets the erasure columns and clears the data.
create table account (
  id text collate "C" primary key,
  company text not null,
  tax_id text not null,
  created_at timestamptz not null,
  -- deleted: closed to everyone. erased: its data is gone.
  deleted_at timestamptz,
  erased_at timestamptz,
  -- When erasure is attempted (again).
  erase_at timestamptz
);
-- Serves the erasure worker.
create index account_erase on account (erase_at) where erased_at is null and erase_at is not null;

-- Owner: company/projects. operations/alerts sets credits_below; operations/move sets the columns of a move;
-- operations/privacy deletes.
create table project (
  id text collate "C" primary key,
  account_id text collate "C" not null references account,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  usage_mode text not null default 'BOTH' check (usage_mode in ('CRM', 'API', 'BOTH')),
  -- An exempt Project needs no subscription.
  exempt boolean not null default false,
  subscription text not null default 'none'
    check (subscription in ('none', 'active', 'pending', 'paused', 'past_due', 'canceled')),
  addons text[] not null default '{}',
  created_at timestamptz not null,
  -- Alerts the company when its balance falls below this many credits.
  credits_below integer not null default 100 check (credits_below >= 0),
  -- National numbers of this country are completed; null completes none.
  default_country text default 'BR',
  -- Until then only the move may change what belongs to the Project. The move renews it while it works, so that a move
  -- that stops returns the Project by itself; infinity once the other installation has it.
  moving_until timestamptz,
  -- The run of the move that holds the lease, and the address of the installation that it moves to.
  moving_by text,
  moving_to text
);
-- Serves the lookup of an account's Project.
create index project_account on project (account_id);
-- Serves the workers, which leave moving Projects alone.
create index project_moving on project (id) where moving_until is not null;

-- Credits of a Project and its use of the daily test limit. A separate table because every batch of sends writes it.
-- Owner: company/billing. company/projects inserts the row; messaging/messages charges and refunds in the statement that
-- accepts or fails a message.
create table balance (
  project_id text collate "C" primary key references project,
  credits bigint not null default 0 check (credits >= 0),
  test_day date not null default '2000-01-01',
  test_count integer not null default 0
) with (fillfactor = 50);

-- Every credit granted, bought, spent or refunded, permanently: a balance equals the sum of its Project's entries.
-- Owner: company/billing. messaging/messages adds sends and refunds in the statement that accepts or fails a message.
-- No foreign key: each entry comes with an update of the balance, which names the Project; checking it again would read
-- and lock the Project for each row.
create table ledger (
  project_id text collate "C" not null,
  id bigint generated always as identity,
  at timestamptz not null,
  -- opening: the balance when the ledger was introduced.
  cause text not null check (cause in ('opening', 'grant', 'purchase', 'send', 'refund')),
  amount bigint not null check (amount <> 0),
  -- The message, the grant or the payment.
  reference text collate "C" not null,
  primary key (project_id, id)
);
-- Refunds each message at most once.
create unique index ledger_refund on ledger (reference) where cause = 'refund';
-- Books each payment once, however often the payment service reports it.
create unique index ledger_purchase on ledger (reference) where cause = 'purchase';
-- Serves the panel's list of credits received, among very many entries of sends.
create index ledger_incoming on ledger (project_id, id) where cause in ('opening', 'grant', 'purchase');

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger ledger_append_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_append_only();

-- The payment service's customer of a Project. It outlives the account, because payments that arrive late must still be
-- ended.
-- Owner: company/payments.
create table payment_customer (
  project_id text collate "C" primary key references project,
  customer_id text collate "C" not null unique,
  created_at timestamptz not null,
  -- Number of queries sent about this customer: a response counts unless a later query was sent.
  asked bigint not null default 0,
  -- The number of the query whose response was applied last: one that was sent earlier is outdated.
  applied bigint not null default 0,
  checked_at timestamptz not null,
  -- When everything it paid for was ended, after its account was deleted.
  ended_at timestamptz
);
-- Serves the daily reconciliation.
create index payment_customer_checked on payment_customer (checked_at) where ended_at is null;

-- Messages sent and received per day in São Paulo, by instance and key; sends from the panel have an empty key.
-- Owner: company/billing, which reads it; messaging/messages counts in the statements that accept and store messages.
create table usage_day (
  project_id text collate "C" not null references project,
  mode text not null,
  day date not null,
  instance_id text collate "C" not null,
  key_id text collate "C" not null,
  sent integer not null default 0,
  received integer not null default 0,
  primary key (project_id, mode, day, instance_id, key_id)
) with (fillfactor = 70);

-- A person who signs in to the panel.
-- Owner: company/accounts. company/members adds and removes colleagues; company/sessions reads and locks at sign-in;
-- platform/db re-seals totp_sealed; operations/privacy clears.
create table app_user (
  id text collate "C" primary key,
  account_id text collate "C" not null references account,
  email text not null,
  password_hash text not null,
  role text not null check (role in ('Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro')),
  confirmed_at timestamptz,
  created_at timestamptz not null,
  -- Second factor: the sealed secret, and the last 30-second step that was used, which is not accepted twice.
  totp_sealed bytea,
  totp_on boolean not null default false,
  totp_step bigint not null default 0,
  removed_at timestamptz,
  -- Panel preferences: theme, density and language.
  appearance jsonb,
  -- Granted and revoked with an operator command only. It counts only while the user has a second factor.
  is_operator boolean not null default false,
  -- What colleagues call the member; null until the member or their invitation says so.
  name text
);
create unique index app_user_email on app_user (email);

-- One-time codes that replace the second factor.
-- Owner: company/accounts.
create table recovery_code (
  user_id text collate "C" not null references app_user,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- Links sent by mail: confirmation of a sign-up, and password reset.
-- Owner: company/accounts. company/members deletes those of a removed colleague.
create table email_token (
  hash bytea primary key,
  user_id text collate "C" not null references app_user,
  expires_at timestamptz not null,
  used_at timestamptz,
  purpose text not null default 'confirm' check (purpose in ('confirm', 'reset')),
  created_at timestamptz not null default now(),
  -- The sign-up that sent the link: it confirms these values, and no other sign-up with the same address.
  password_hash text,
  company text,
  tax_id text,
  -- The browser that signed up, in which the link also signs in.
  browser_hash bytea
);
-- Serves the limit of mails per user.
create index email_token_user on email_token (user_id, created_at);
-- Serves a browser's request for another link.
create index email_token_browser on email_token (browser_hash) where browser_hash is not null;

-- A change of address takes effect once both the old and the new address have confirmed it.
-- Owner: company/accounts. company/members deletes those of a removed colleague.
create table email_change (
  user_id text collate "C" primary key references app_user,
  email text not null,
  old_hash bytea not null unique,
  new_hash bytea not null unique,
  old_confirmed_at timestamptz,
  new_confirmed_at timestamptz,
  expires_at timestamptz not null
);

-- Owner: company/members. operations/privacy deletes.
create table invitation (
  id text collate "C" primary key,
  hash bytea not null unique,
  account_id text collate "C" not null references account,
  email text not null,
  role text not null check (role in ('Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  -- Who made it: it ends when they leave the company or may no longer invite to its role.
  invited_by text collate "C",
  unique (account_id, email)
);

-- Owner: company/sessions.
create table session (
  id text collate "C" primary key,
  user_id text collate "C" not null references app_user,
  created_at timestamptz not null,
  superseded_at timestamptz,
  ended_at timestamptz,
  browser text,
  time_zone text,
  -- The network that it was opened from: failed sign-ins from elsewhere do not lock its user out there.
  network text
);
-- Serves sign-in, which supersedes the user's open session.
create index session_user_open on session (user_id) where superseded_at is null and ended_at is null;
-- Serves the panel's list of a user's sessions, and finds the one that superseded another.
create index session_user_created on session (user_id, created_at);

-- Owner: company/sessions.
create table session_token (
  hash bytea primary key,
  session_id text collate "C" not null references session on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  expires_at timestamptz not null,
  used_at timestamptz
);
-- Serves the foreign key's cascade.
create index session_token_session on session_token (session_id);

-- Filters of panel pages that users keep under a name.
-- Owner: company/sessions. operations/privacy deletes.
create table saved_view (
  user_id text collate "C" not null references app_user,
  -- The page's address within a mode, such as requisicoes.
  page text not null,
  name text not null,
  -- The filters, as the query of the page's address.
  search text not null,
  primary key (user_id, page, name)
);

-- Owner: company/keys. operations/privacy deletes.
create table api_key (
  id text collate "C" primary key,
  project_id text collate "C" not null references project,
  mode text not null check (mode in ('test', 'production')),
  name text not null,
  key_prefix text not null,
  secret_hash bytea not null unique,
  created_by text collate "C",
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  -- What a restricted key may do (src/company/keys/restrictions.ts); null permits everything. Never changes.
  restrictions jsonb
) with (fillfactor = 80);
-- Serves the list of a Project's keys.
create index api_key_scope on api_key (project_id, mode, id);

-- Guards every statement that runs on behalf of a key. It names no column of the statement, so PostgreSQL evaluates it
-- once, before the first row, and a revocation, a suspension or a change of usage mode takes effect immediately.
-- platform/db/access-failure.ts reads the error codes.
create function access_granted(a_key text, a_now timestamptz) returns boolean
language plpgsql stable as $$
declare
  found_key record;
begin
  if a_key is null then
    return true;
  end if;
  select k.revoked_at, k.expires_at, k.mode, p.status, p.usage_mode, p.moving_until into found_key
    from api_key k join project p on p.id = k.project_id where k.id = a_key;
  if not found then
    raise exception 'key unknown' using errcode = 'RC401';
  elsif found_key.revoked_at is not null then
    raise exception 'key revoked' using errcode = 'RC411';
  elsif found_key.expires_at <= a_now then
    raise exception 'key expired' using errcode = 'RC412';
  elsif found_key.moving_until > now() then
    raise exception 'project is moving' using errcode = 'RC413';
  elsif found_key.status <> 'ACTIVE' then
    raise exception 'project not active' using errcode = 'RC403';
  elsif found_key.mode = 'production' and found_key.usage_mode = 'CRM' then
    raise exception 'usage mode forbids the API' using errcode = 'RC402';
  end if;
  return true;
end $$;

-- The error code that access_granted raises for the key, or null. For statements that check many keys.
create function access_refusal(a_key text, a_now timestamptz) returns text
language plpgsql stable as $$
begin
  perform access_granted(a_key, a_now);
  return null;
exception when others then
  if sqlstate like 'RC4%' then
    return sqlstate;
  end if;
  raise;
end $$;

-- API requests, for the panel's log: path, key and outcome. Never a body or a query. Partitioned by day.
-- Owner: company/requests.
create table api_request (
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  created_at timestamptz not null,
  key_id text collate "C" not null,
  method text not null,
  path text not null,
  status smallint not null,
  ms real not null,
  code text,
  reason text,
  message text
) partition by range (created_at);
-- Serves the log, all requests and failed ones.
create index api_request_scope on api_request (project_id, mode, id);
create index api_request_failed on api_request (project_id, mode, id) where status >= 400;
create table api_request_default partition of api_request default;

-- Owner: company/audit. Append-only.
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  object text not null,
  before jsonb,
  after jsonb,
  -- The caller's address and mode; null for actions without a caller, such as the operator's.
  address text,
  mode text
);
-- Serve the panel's audit log, which filters by what was changed and by who changed it.
create index audit_object on audit (object, id);
create index audit_actor on audit (actor, id);

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function audit_is_append_only();

-- Every object and actor that belongs to an account's audit log.
create view account_object as
  select id as account_id, id from account
  union all select account_id, id from project
  union all select account_id, id from app_user
  union all select p.account_id, k.id from api_key k join project p on p.id = k.project_id;

-- Whom a payment service knows a Project as. It outlives the account: what comes late still has to be ended.
create table payment_customer (
  project_id text collate "C" primary key references project,
  customer_id text collate "C" not null unique,
  created_at timestamptz not null,
  -- Counts the questions that were asked about it: an answer counts unless a later one was asked for.
  asked bigint not null default 0,
  checked_at timestamptz not null,
  -- When whatever it paid was ended, after its account was deleted.
  ended_at timestamptz
);
create index payment_customer_checked on payment_customer (checked_at) where ended_at is null;

alter table ledger drop constraint ledger_cause_check;
alter table ledger add constraint ledger_cause_check
  check (cause in ('opening', 'grant', 'purchase', 'send', 'refund'));
-- A payment is told as often as it takes to be heard, and counts once.
create unique index ledger_purchase on ledger (reference) where cause = 'purchase';

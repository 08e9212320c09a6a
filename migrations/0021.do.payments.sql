-- Whom a payment service knows a Project as.
create table payment_customer (
  project_id text collate "C" primary key references project,
  customer_id text collate "C" not null unique,
  created_at timestamptz not null
);

alter table ledger drop constraint ledger_cause_check;
alter table ledger add constraint ledger_cause_check
  check (cause in ('opening', 'grant', 'purchase', 'send', 'refund'));
-- A payment is told as often as it takes to be heard, and counts once.
create unique index ledger_purchase on ledger (reference) where cause = 'purchase';

-- Every credit that came or went, for good: a balance is the sum of its Project's entries.
create table ledger (
  project_id text collate "C" not null references project,
  id bigint generated always as identity,
  at timestamptz not null,
  -- opening: what a balance held when this book was begun.
  cause text not null check (cause in ('opening', 'grant', 'send', 'refund')),
  amount bigint not null check (amount <> 0),
  -- The message that it was for, or the grant.
  reference text collate "C" not null,
  primary key (project_id, id)
);
-- No message's credit comes back twice.
create unique index ledger_refund on ledger (reference) where cause = 'refund';

insert into ledger (project_id, at, cause, amount, reference)
select project_id, now(), 'opening', credits, 'opening' from balance where credits > 0;

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger ledger_append_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_append_only();

-- What came in, among very many entries of what went out.
create index ledger_incoming on ledger (project_id, id) where cause in ('opening', 'grant', 'purchase');

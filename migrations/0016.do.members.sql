alter table app_user add column removed_at timestamptz;

create table invitation (
  id text collate "C" primary key,
  hash bytea not null unique,
  account_id text collate "C" not null references account,
  email text not null,
  role text not null check (role in ('Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  unique (account_id, email)
);

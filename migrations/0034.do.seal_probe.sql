-- A known value sealed with the installation's master key: what opens it opens everything else.
create table seal_probe (
  one boolean primary key default true check (one),
  sealed bytea not null
);

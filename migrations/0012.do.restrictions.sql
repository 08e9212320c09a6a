-- Restrictions end by themselves.
create index instance_restricted on instance (id) where restriction is not null;

-- What was sent is kept for contacts that could not read it, and not for ever.
alter table instance_credential add column expires_at timestamptz;
create index instance_credential_expiry on instance_credential (expires_at) where expires_at is not null;

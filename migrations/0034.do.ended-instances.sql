-- @steps
-- Instances that are logged out or removed, for the nodes that end their pairing.

-- @alone
-- Serves the search for ended instances that still have credentials.
create index concurrently if not exists instance_ended on instance (id)
  where deleted_at is not null or status = 'LOGGED_OUT';

-- What a network told of, by the network's own name for it: told again, it is known.
create table heard (
  instance_id text collate "C" not null references instance,
  id text collate "C" not null,
  at timestamptz not null,
  primary key (instance_id, id)
);
create index heard_at on heard (at);

-- Virtual telephones forget what is old.
create index simulator_message_age on simulator_message (created_at);

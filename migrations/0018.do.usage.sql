-- What was sent and received on a day of São Paulo, by instance and key; sends of the panel have no key.
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

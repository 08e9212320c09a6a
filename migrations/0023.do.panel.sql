-- What became of attempts by the hour, for charts: the log is too long to be counted.
create table delivery_hour (
  webhook_id text collate "C" not null,
  hour timestamptz not null,
  delivered bigint not null,
  failed bigint not null,
  primary key (webhook_id, hour)
) with (fillfactor = 50);

-- Events that were not delivered at the first attempt. Their ids grow with time: it lists the newest of them, too.
-- While it is built over the log of a month deliveries wait, and nothing is lost: a minute for some ten million rows.
create index delivery_log_tried on delivery_log (webhook_id, event_id) where attempt > 1 or not success;

-- Which code of a pairing it is that waits.
alter table instance add column qr_sequence smallint not null default 0;

-- Which browser signed up: there the link of the mail signs in, too.
alter table email_token add column browser_hash bytea;

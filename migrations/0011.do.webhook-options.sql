-- Options of a webhook, chosen when it is created (src/events/webhooks/options.ts).
alter table webhook
  -- Events beyond the usual ones that it asked for.
  add column include text[] not null default '{}',
  -- Only events of these instances, kinds of chat and kinds of message; null receives all.
  add column only_instances text[],
  add column only_chat_types text[],
  add column only_kinds text[],
  -- Names and values of its own request headers, sealed as JSON.
  add column header_names text[] not null default '{}',
  add column headers_sealed bytea,
  -- The secret that was replaced, which keeps signing until then.
  add column previous_secret_sealed bytea,
  add column previous_secret_until timestamptz;

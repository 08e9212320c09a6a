-- @steps
-- Instances on the official API.

-- @once
alter table instance add column if not exists network text not null default 'whatsapp'
  check (network in ('whatsapp', 'cloud_api'));
comment on column instance.network is
  'How production connects it: a phone that scans a code, or Meta''s official API. Test mode simulates both';

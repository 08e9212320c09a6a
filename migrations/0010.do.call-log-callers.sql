-- @steps
-- @alone
-- Serves the calls of a conversation's contact.
create index concurrently if not exists call_log_phone on call_log (instance_id, from_phone, seq);
-- @alone
-- Likewise, for a contact whose number is unknown.
create index concurrently if not exists call_log_lid on call_log (instance_id, from_lid, seq);

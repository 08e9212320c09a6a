-- @steps
-- Changes of a contact's security code.

-- @once
-- When the network last reported that the person uses another phone, or has installed the app again.
alter table contact add column if not exists identity_changed_at timestamptz;

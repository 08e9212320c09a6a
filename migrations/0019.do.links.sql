-- A link confirms the sign-up that sent it, and no other to the same address.
alter table email_token
  add column password_hash text,
  add column company text,
  add column tax_id text;

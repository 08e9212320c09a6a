-- What a restricted key may do (src/company/keys/restrictions.ts); null permits everything. Never changes.
alter table api_key add column restrictions jsonb;

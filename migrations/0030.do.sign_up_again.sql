-- The browser that signed up asks for its link again.
create index email_token_browser on email_token (browser_hash) where browser_hash is not null;
-- How somebody likes the panel: theme, density and language.
alter table app_user add column appearance jsonb;

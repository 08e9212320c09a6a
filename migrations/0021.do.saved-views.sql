-- @steps
-- Filters of panel pages that users keep under a name.

-- @once
-- Owner: company/sessions. operations/privacy deletes.
create table if not exists saved_view (
  user_id text collate "C" not null references app_user,
  -- The page's address within a mode, such as requisicoes.
  page text not null,
  name text not null,
  -- The filters, as the query of the page's address.
  search text not null,
  primary key (user_id, page, name)
);

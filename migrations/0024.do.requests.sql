-- Calls of the API, for the panel: what was asked, by which key, and how it was answered. Never a body or a query.
create table api_request (
  id text collate "C" not null,
  project_id text collate "C" not null,
  mode text not null,
  created_at timestamptz not null,
  key_id text collate "C" not null,
  method text not null,
  path text not null,
  status smallint not null,
  ms real not null,
  code text,
  reason text,
  message text
) partition by range (created_at);
create index api_request_scope on api_request (project_id, mode, id);
create index api_request_failed on api_request (project_id, mode, id) where status >= 400;
create table api_request_default partition of api_request default;

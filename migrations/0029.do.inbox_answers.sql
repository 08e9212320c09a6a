-- An answer may be for the next requests alone, and may be none in time.
alter table inbox
  add column answer_times integer,
  add column answer_late boolean not null default false;

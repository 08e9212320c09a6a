-- The country whose national numbers are completed; null completes none, as before.
alter table project add column default_country text;
alter table project alter column default_country set default 'BR';

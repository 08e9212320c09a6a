-- @steps
-- @once
-- Withdrawn before a release: its index cost every message more than the list gained. 0048 removes it where it was created.
select 1;

-- Names the renewal that used a refresh token, as a hash, so that the panel can repeat one whose response was lost.
-- Null in rows of earlier versions, which end the session instead.
alter table session_token add column renewal bytea;

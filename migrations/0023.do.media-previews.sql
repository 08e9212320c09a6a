-- @steps
-- What phones show of a file before they have fetched it.

-- @once
-- Set by media: the thumbnail of a photo (JPEG), or the waveform of a voice note (64 bytes from 0 to 100).
alter table media add column if not exists preview bytea;

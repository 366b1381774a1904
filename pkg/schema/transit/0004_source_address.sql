-- +goose Up
--
-- A realtime source is known by its kind and its place in transit.yaml. When that place is given to another address, what was
-- fetched from the old one must be neither served nor compared as if it were of the new one.

ALTER TABLE transit.source ADD COLUMN address bytea;  -- SHA-256 of the URL, which may hold a key; NULL: not known yet

COMMENT ON COLUMN transit.source.address IS 'SHA-256 of the URL that the snapshots are of.';

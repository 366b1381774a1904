-- +goose Up
--
-- A realtime source is identified by its kind and its position in transit.yaml. If that position
-- gets another address, data from the old address must not be served, or be compared with new data.

ALTER TABLE transit.source ADD COLUMN address bytea;  -- SHA-256 of the URL, because the URL may contain a key; NULL if not known yet

COMMENT ON COLUMN transit.source.address IS 'SHA-256 of the URL that the snapshots are of.';

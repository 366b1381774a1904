-- +goose Up
--
-- Several pollers, of two versions of the configuration while one is rolled out, share the rows of transit.source. Each renews
-- the rows of its configuration; a row is dropped, or given to other settings, only if no poller has renewed it for a while.
-- So a row that was deleted by mistake comes back, and two configurations do not take rows from each other by turns.

ALTER TABLE transit.source ADD COLUMN named_at timestamptz NOT NULL DEFAULT now();  -- when a poller last named the row as it is; '-infinity': given up

COMMENT ON COLUMN transit.source.named_at IS 'When a poller last said that its configuration has this source with these settings.';

-- +goose Up
--
-- Several pollers share the rows of transit.source; during a roll-out they have two versions of the
-- configuration. Each poller renews the rows of its configuration. A row is dropped, or gets other
-- settings, only if no poller has renewed it for a while. So a row that was deleted by mistake
-- comes back, and two configurations do not keep taking rows from each other.

ALTER TABLE transit.source ADD COLUMN named_at timestamptz NOT NULL DEFAULT now();  -- when a poller last renewed the row with its current settings; '-infinity' means that no poller needs the row

COMMENT ON COLUMN transit.source.named_at IS 'When a poller last said that its configuration has this source with these settings.';

-- +goose Up
--
-- Versions that are held: they were read, but are not live. Their zip stays in feed_zip, and they
-- have no tables: when a held version becomes live, it is imported again, with the manual rows of
-- that day.

ALTER TABLE transit.feed_version DROP CONSTRAINT feed_version_state_check;
ALTER TABLE transit.feed_version ADD CONSTRAINT feed_version_state_check
  CHECK (state IN ('staging', 'live', 'retired', 'dropped', 'refused', 'held'));

ALTER TABLE transit.feed_version ADD COLUMN live_from timestamptz;  -- when a held version becomes live by itself; NULL if an operator must decide. reason says why it is held

CREATE UNIQUE INDEX feed_version_held ON transit.feed_version (feed_id) WHERE state = 'held';  -- the latest one replaces an earlier one

-- Which of several feeds in the zip is imported: a zip in the zip, or a folder. NULL if there is one.
ALTER TABLE transit.feed ADD COLUMN inner_name text;

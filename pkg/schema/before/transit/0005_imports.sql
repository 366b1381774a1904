-- +goose Up
--
-- The running imports, and the days on which each feed runs.

-- One row per feed on which a process works, with the state of the work. The row is also a claim,
-- so that two replicas do not fetch the same zip. The process renews its row every second. If a row
-- was not renewed for five seconds, its process has died, and another process takes the row over.
-- If the first process was only slow, its import fails in the last transaction, because the feed
-- has changed.
CREATE TABLE transit.feed_work (
  alias     text PRIMARY KEY,                      -- the feed, which may have no row yet
  claim     uuid NOT NULL,                         -- random, new for each import
  state     text NOT NULL CHECK (state IN ('waiting', 'fetching', 'importing')),
  since     timestamptz NOT NULL DEFAULT now(),    -- begin of this state
  seen_at   timestamptz NOT NULL DEFAULT now()     -- when the row was last renewed
);

-- The days on which at least one trip runs, by the calendars with trips, including exceptions. NULL
-- for versions that are older than this column. first_day and last_day are the ends of the range.
ALTER TABLE transit.feed_version ADD COLUMN runs_on datemultirange;

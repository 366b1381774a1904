-- +goose Up
--
-- What imports are under way, and on which days a feed really runs.

-- One row per feed that a process is looking at: who waits, who fetches, who imports. It is also the claim that keeps two
-- replicas from fetching the same zip. Its process renews it every second; one that has not been renewed for five
-- seconds is of a process that died, and the next one takes it over. If that process only stalled, its import fails in
-- its last transaction, because the feed has changed.
CREATE TABLE transit.feed_work (
  alias     text PRIMARY KEY,                      -- the feed; it need not have a row yet
  claim     uuid NOT NULL,                         -- drawn anew by each import
  state     text NOT NULL CHECK (state IN ('waiting', 'fetching', 'importing')),
  since     timestamptz NOT NULL DEFAULT now(),    -- in this state
  seen_at   timestamptz NOT NULL DEFAULT now()     -- renewed last
);

-- The days on which a trip runs, by calendars that have trips, exceptions included. NULL for versions that were imported before
-- this column was there. first_day and last_day are its ends.
ALTER TABLE transit.feed_version ADD COLUMN runs_on datemultirange;

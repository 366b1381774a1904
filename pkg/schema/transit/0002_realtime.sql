-- +goose Up
--
-- The live half of the transit schema: realtime sources and the snapshots fetched from them.
--
-- services/rt-poller is the only writer. The APIs read `source` to see that something is new and `snapshot` to get it.
-- A broken, empty, older or HTML answer never gets as far as a snapshot: it is counted in `source`, and the last good
-- one stays.

-- One row per realtime source of transit.yaml: the settings that readers need, and the results of polls. The row
-- is also the lock: of any number of pollers, the one that moves next_poll_at from the past into the future polls.
CREATE TABLE transit.source (
  alias            text NOT NULL,                  -- of the feed it belongs to
  source           text NOT NULL,                  -- kind and place within the feed: 'trip_updates/0'
  kind             text NOT NULL CHECK (kind IN ('trip_updates', 'vehicle_positions', 'alerts', 'mixed')),
  stale_after      interval NOT NULL,              -- the age at which a reader asks for a refresh
  min_interval     interval NOT NULL,
  next_poll_at     timestamptz NOT NULL DEFAULT '-infinity',  -- not before: min_interval, Retry-After, back-off
  polled_at        timestamptz,                    -- the last attempt, whatever came of it
  fetched_at       timestamptz,                    -- the last answer that was good, unchanged ones included: meta.last_fetched
  snapshot_id      bigint,                         -- the snapshot to serve; NULL until the first
  etag             text,
  last_modified    text,
  polls            bigint NOT NULL DEFAULT 0,      -- attempts ever; also the number of the last one
  settled          bigint NOT NULL DEFAULT 0,      -- number of the attempt that the state is of: a slow answer never overtakes a later one
  failures         integer NOT NULL DEFAULT 0,     -- in a row; 0 after a good answer
  failures_ever    bigint NOT NULL DEFAULT 0,
  error            text,                           -- what was wrong with the last answer; NULL after a good one
  PRIMARY KEY (alias, source)
);

COMMENT ON TABLE transit.source IS 'One row per realtime source: settings, state of polling, and which snapshot to serve.';

-- The last good answers, as fetched.
CREATE TABLE transit.snapshot (
  snapshot_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alias            text NOT NULL,
  source           text NOT NULL,
  fetched_at       timestamptz NOT NULL,
  header_timestamp bigint NOT NULL,                -- FeedHeader.timestamp, Unix seconds; 0 when the feed gives none
  trip_updates     integer NOT NULL,
  vehicles         integer NOT NULL,
  alerts           integer NOT NULL,
  sha256           bytea NOT NULL,
  data             bytea NOT NULL,                 -- the protobuf message
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

-- Compressing a message that is replaced in seconds costs more than it saves.
ALTER TABLE transit.snapshot ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE INDEX snapshot_source ON transit.snapshot (alias, source, snapshot_id);

COMMENT ON TABLE transit.snapshot IS 'The last good answers of each realtime source, as fetched.';

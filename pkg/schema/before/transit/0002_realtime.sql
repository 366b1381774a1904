-- +goose Up
--
-- The live half of the transit schema: realtime sources and the snapshots fetched from them.
--
-- services/rt-poller is the only writer. The APIs read `source` to notice a new snapshot, and then
-- read `snapshot`. A broken, empty, older or HTML answer never becomes a snapshot: it is counted in
-- `source`, and the last good snapshot stays.

-- One row per realtime source of transit.yaml: the settings that readers need, and the results of
-- polls. The row is also a lock: of several pollers, only the one that moves next_poll_at from the
-- past into the future polls.
CREATE TABLE transit.source (
  alias            text NOT NULL,                  -- alias of the feed that the source belongs to
  source           text NOT NULL,                  -- kind, and position in the configuration of the feed: 'trip_updates/0'
  kind             text NOT NULL CHECK (kind IN ('trip_updates', 'vehicle_positions', 'alerts', 'mixed')),
  stale_after      interval NOT NULL,              -- age from which a reader requests a refresh
  min_interval     interval NOT NULL,
  next_poll_at     timestamptz NOT NULL DEFAULT '-infinity',  -- earliest time of the next poll, after min_interval, Retry-After or back-off
  polled_at        timestamptz,                    -- time of the last attempt, good or not
  fetched_at       timestamptz,                    -- time of the last good answer, even if unchanged; meta.last_fetched in the API
  snapshot_id      bigint,                         -- the snapshot to serve; NULL if there is none yet
  etag             text,
  last_modified    text,
  polls            bigint NOT NULL DEFAULT 0,      -- number of all attempts, and so the number of the last attempt
  settled          bigint NOT NULL DEFAULT 0,      -- number of the attempt with the current result; a slow attempt never replaces the result of a later attempt
  failures         integer NOT NULL DEFAULT 0,     -- number of failures since the last good answer
  failures_ever    bigint NOT NULL DEFAULT 0,
  error            text,                           -- what was wrong with the last answer; NULL if it was good
  PRIMARY KEY (alias, source)
);

COMMENT ON TABLE transit.source IS 'One row per realtime source: settings, state of polling, and which snapshot to serve.';

-- The last good answers, as fetched.
CREATE TABLE transit.snapshot (
  snapshot_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alias            text NOT NULL,
  source           text NOT NULL,
  fetched_at       timestamptz NOT NULL,
  header_timestamp bigint NOT NULL,                -- FeedHeader.timestamp in Unix seconds; 0 if the feed has none
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

-- +goose Up
--
-- Errors in the messages of realtime sources, found by the rules of gtfs-realtime-validator.
-- services/rt-poller is the only writer; the APIs read the tables.

-- The result of the last check of each source.
CREATE TABLE transit.judgement (
  alias     text NOT NULL,
  source    text NOT NULL,
  poll      bigint NOT NULL,                       -- source.polls of the message; the result of a slow check never replaces a later result
  judged_at timestamptz NOT NULL,
  matches   jsonb,                                 -- how many ids of the message the static feed has: {"trips": {"found": 1, "of": 2}, …}; NULL without a static feed
  findings  jsonb NOT NULL,                        -- [{"code": "E003", "count": 1, "since": "…", "examples": [{"entity_id": "…", …}]}, …]
  PRIMARY KEY (alias, source),
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

COMMENT ON TABLE transit.judgement IS 'The last judgement of each realtime source.';

-- The number of messages that broke each rule, by minute. Rows are kept for a day.
CREATE TABLE transit.judgement_count (
  alias    text NOT NULL,
  source   text NOT NULL,
  minute   timestamptz NOT NULL,
  code     text NOT NULL,                          -- '' counts all checked messages
  messages integer NOT NULL,
  findings bigint NOT NULL,                        -- number of findings in these messages
  PRIMARY KEY (alias, source, minute, code),
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

COMMENT ON TABLE transit.judgement_count IS 'Messages of realtime sources by broken rule and minute.';

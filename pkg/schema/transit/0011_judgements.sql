-- +goose Up
--
-- What is wrong with the messages of realtime sources, by the rules of gtfs-realtime-validator. services/rt-poller is
-- the only writer, the APIs read.

-- The last judgement of each source.
CREATE TABLE transit.judgement (
  alias     text NOT NULL,
  source    text NOT NULL,
  poll      bigint NOT NULL,                       -- source.polls of the message: a slow judgement never replaces a later one
  judged_at timestamptz NOT NULL,
  matches   jsonb,                                 -- ids that the feed has: {"trips": {"found": 1, "of": 2}, …}; NULL without a feed
  findings  jsonb NOT NULL,                        -- [{"code": "E003", "count": 1, "since": "…", "examples": [{"entity_id": "…", …}]}, …]
  PRIMARY KEY (alias, source),
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

COMMENT ON TABLE transit.judgement IS 'The last judgement of each realtime source.';

-- How many messages broke each rule, by minute, for a day.
CREATE TABLE transit.judgement_count (
  alias    text NOT NULL,
  source   text NOT NULL,
  minute   timestamptz NOT NULL,
  code     text NOT NULL,                          -- '': all messages that were judged
  messages integer NOT NULL,
  findings bigint NOT NULL,                        -- in all these messages
  PRIMARY KEY (alias, source, minute, code),
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

COMMENT ON TABLE transit.judgement_count IS 'Messages of realtime sources by broken rule and minute.';

-- +goose Up
--
-- Data of operators: annotations for riders, and keys for clients.
--
-- The townline command is the only writer. The APIs read both tables whole and keep them in memory; one index look-up of
-- `changed` shows them that there is something new. Writers lock the table
-- (SHARE ROW EXCLUSIVE), so that a lower number never becomes visible after a higher one.

CREATE SEQUENCE transit.operator_change;

-- Messages about entities, and redirections of predictions. Entities are named as in the static feed; nothing
-- refers to its rows, so that annotations outlive every import.
CREATE TABLE transit.annotation (
  annotation_id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  annotation_type       text NOT NULL CHECK (annotation_type IN ('comment', 'override')),
  alias                 text,                      -- the feed whose entity is meant; NULL: of any feed
  entity_type           text NOT NULL CHECK (entity_type IN ('stops', 'routes', 'trips', 'agency')),
  entity_id             text NOT NULL,
  secondary_entity_type text CHECK (secondary_entity_type IN ('stops', 'routes', 'trips', 'agency')),
  secondary_entity_id   text,                      -- narrows: one route at one stop
  body                  text NOT NULL DEFAULT '' CHECK (octet_length(body) <= 16384),
  format                text NOT NULL DEFAULT 'markdown' CHECK (format IN ('markdown', 'html')),  -- of body, as it was written
  override_entity_id    text,                      -- the entity, of the same type, that takes the place of this one
  time_zone             text NOT NULL,             -- what the times below are local to
  starts_at             timestamp,                 -- NULL: always so far
  ends_at               timestamp,                 -- the first moment when it holds no more; NULL: until further notice
  hours                 int4multirange,            -- minutes of the local week, from Monday 00:00, when it holds; NULL: at any
  author                text,
  created_at            timestamptz NOT NULL DEFAULT now(),
  changed               bigint NOT NULL DEFAULT nextval('transit.operator_change'),
  CHECK ((annotation_type = 'override') = (override_entity_id IS NOT NULL)),
  CHECK ((secondary_entity_type IS NULL) = (secondary_entity_id IS NULL)),
  CHECK (starts_at < ends_at)
);

CREATE INDEX annotation_changed ON transit.annotation (changed);

COMMENT ON TABLE transit.annotation IS 'Messages about entities for riders, and redirections of predictions.';

-- Credentials of clients. A key is shown once, when it is made; only its hash is kept, which is enough because a key is
-- a random number too large to guess.
CREATE TABLE transit.api_key (
  key_id        text PRIMARY KEY,                  -- the part of the key that is no secret
  name          text NOT NULL,
  role          text NOT NULL,                     -- of transit.yaml
  hash          bytea NOT NULL CHECK (length(hash) = 32),  -- SHA-256 of the key
  requests      integer CHECK (requests > 0),      -- at most so many requests …
  per_seconds   integer CHECK (per_seconds > 0),   -- … in so many seconds; NULL: what transit.yaml says for all keys
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  changed       bigint NOT NULL DEFAULT nextval('transit.operator_change'),
  CHECK ((requests IS NULL) = (per_seconds IS NULL))
);

CREATE UNIQUE INDEX api_key_name ON transit.api_key (name) WHERE revoked_at IS NULL;
CREATE INDEX api_key_changed ON transit.api_key (changed);

COMMENT ON TABLE transit.api_key IS 'Credentials of API clients, as hashes.';

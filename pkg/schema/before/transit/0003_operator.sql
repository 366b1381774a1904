-- +goose Up
--
-- Data of operators: annotations for riders, and keys for clients.
--
-- The townline command is the only writer. The APIs read both tables completely and keep them in
-- memory; one index look-up of `changed` shows whether the tables have changed. Writers lock the
-- table (SHARE ROW EXCLUSIVE), so that a lower number never becomes visible after a higher number.

CREATE SEQUENCE transit.operator_change;

-- Messages about entities, and redirections of predictions. Entities have the ids of the static
-- feed. There are no foreign keys to the rows of the feed, so annotations survive every import.
CREATE TABLE transit.annotation (
  annotation_id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  annotation_type       text NOT NULL CHECK (annotation_type IN ('comment', 'override')),
  alias                 text,                      -- the feed of the entity; NULL means any feed
  entity_type           text NOT NULL CHECK (entity_type IN ('stops', 'routes', 'trips', 'agency')),
  entity_id             text NOT NULL,
  secondary_entity_type text CHECK (secondary_entity_type IN ('stops', 'routes', 'trips', 'agency')),
  secondary_entity_id   text,                      -- restricts the annotation, such as to one route at one stop
  body                  text NOT NULL DEFAULT '' CHECK (octet_length(body) <= 16384),
  format                text NOT NULL DEFAULT 'markdown' CHECK (format IN ('markdown', 'html')),  -- format of body
  override_entity_id    text,                      -- the entity of the same type that replaces this entity
  time_zone             text NOT NULL,             -- time zone of the times below
  starts_at             timestamp,                 -- NULL means no start
  ends_at               timestamp,                 -- the first moment at which the annotation is no longer shown; NULL means no end
  hours                 int4multirange,            -- minutes of the local week, from Monday 00:00, at which the annotation is shown; NULL means always
  author                text,
  created_at            timestamptz NOT NULL DEFAULT now(),
  changed               bigint NOT NULL DEFAULT nextval('transit.operator_change'),
  CHECK ((annotation_type = 'override') = (override_entity_id IS NOT NULL)),
  CHECK ((secondary_entity_type IS NULL) = (secondary_entity_id IS NULL)),
  CHECK (starts_at < ends_at)
);

CREATE INDEX annotation_changed ON transit.annotation (changed);

COMMENT ON TABLE transit.annotation IS 'Messages about entities for riders, and redirections of predictions.';

-- Credentials of clients. A key is shown only once, when it is made. Only its hash is stored; a
-- plain hash is enough, because a key is a random number too large to guess.
CREATE TABLE transit.api_key (
  key_id        text PRIMARY KEY,                  -- the part of the key that is not secret
  name          text NOT NULL,
  role          text NOT NULL,                     -- name of a role in transit.yaml
  hash          bytea NOT NULL CHECK (length(hash) = 32),  -- SHA-256 of the key
  requests      integer CHECK (requests > 0),      -- largest number of requests in per_seconds; NULL means the number that transit.yaml sets for all keys
  per_seconds   integer CHECK (per_seconds > 0),   -- length of the period for requests
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  changed       bigint NOT NULL DEFAULT nextval('transit.operator_change'),
  CHECK ((requests IS NULL) = (per_seconds IS NULL))
);

CREATE UNIQUE INDEX api_key_name ON transit.api_key (name) WHERE revoked_at IS NULL;
CREATE INDEX api_key_changed ON transit.api_key (changed);

COMMENT ON TABLE transit.api_key IS 'Credentials of API clients, as hashes.';

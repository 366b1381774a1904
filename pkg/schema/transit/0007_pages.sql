-- +goose Up
--
-- What pages need beside the tables of before: the feed's texts in other languages, and which screens are alive.

-- translations.txt. A translation is for one record (record_id, and record_sub_id of a call), or for each cell with a text (field_value).
CREATE TABLE transit.translation (
  version_id    integer NOT NULL,
  ord           integer NOT NULL,
  table_name    text NOT NULL,                     -- of the file without .txt: stops, routes, trips, stop_times …
  field_name    text NOT NULL,
  language      text NOT NULL,                     -- BCP 47
  translation   text NOT NULL,
  record_id     text,
  record_sub_id text,
  field_value   text
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX translation_ord ON transit.translation (version_id, ord);

COMMENT ON TABLE transit.translation IS 'Texts of a feed in other languages.';

CREATE VIEW transit.translations AS
SELECT f.alias AS feed, x.table_name, x.field_name, x.language, x.translation, x.record_id, x.record_sub_id, x.field_value
FROM transit.feed f JOIN transit.translation x USING (version_id);

-- When a named screen of transit.yaml last asked a transit API. Each API reports what it saw about once a minute, and rt-poller writes
-- it; nothing is known of who asked. A screen that asks no more keeps its row for 90 days.
CREATE TABLE transit.screen (
  name     text NOT NULL CHECK (name ~ '^[A-Za-z0-9_-]{1,64}$'),
  form     text NOT NULL CHECK (form IN ('page', 'rows', 'picture')),  -- what it asked for: the whole page, its rows, or the picture of it
  seen_at  timestamptz NOT NULL,
  build    text NOT NULL,                          -- of program and screen, that it was given
  PRIMARY KEY (name, form)
);

COMMENT ON TABLE transit.screen IS 'When each named screen last asked for what.';

-- +goose Up
--
-- Tables for pages: the feed's texts in other languages, and the screens that are in use.

-- The rows of translations.txt. A translation is for one record (record_id, and record_sub_id for a
-- call), or for all cells with the same text (field_value).
CREATE TABLE transit.translation (
  version_id    integer NOT NULL,
  ord           integer NOT NULL,
  table_name    text NOT NULL,                     -- name of the file without .txt: stops, routes, trips, stop_times …
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

-- The last request of each named screen of transit.yaml to a transit API. Each API reports the
-- requests about once a minute, and rt-poller writes them. Nothing about the client is stored. A
-- screen without requests keeps its row for 90 days.
CREATE TABLE transit.screen (
  name     text NOT NULL CHECK (name ~ '^[A-Za-z0-9_-]{1,64}$'),
  form     text NOT NULL CHECK (form IN ('page', 'rows', 'picture')),  -- what the screen requested: the whole page, only its rows, or a picture of the page
  seen_at  timestamptz NOT NULL,
  build    text NOT NULL,                          -- version of the program and of the screen in the answer
  PRIMARY KEY (name, form)
);

COMMENT ON TABLE transit.screen IS 'When each named screen last asked for what.';

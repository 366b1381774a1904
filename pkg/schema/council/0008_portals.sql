-- +goose Up
--
-- Councils move from portal to portal, and stay one stream of meetings. A source is one portal, by the name that council.yaml gives it or that
-- follows from its address ("legistar/town").
--
-- The meetings of an IQM2 portal keep its ids. Any other meeting has a number of ours, above 1,000,000,000, for good: council.meeting_key is
-- only added to. Two keys with one number are one meeting that two portals list.
CREATE SEQUENCE council.meeting_number AS bigint MINVALUE 1000000001;

CREATE TABLE council.meeting_key (
  source     text NOT NULL,
  source_id  text NOT NULL,                           -- the portal's own id
  iqm2_id    bigint NOT NULL CHECK (iqm2_id > 0),     -- no foreign key: a number is given before its meeting is read, and is never given again
  first_seen timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, source_id)
);
CREATE INDEX meeting_key_meeting ON council.meeting_key (iqm2_id);

-- What portals that answer with data said of a meeting: the answers as fetched are a council.document (a bundle, all answers of one visit), what they
-- say is its council.document_text as JSON (portal.Detail), made by a pure function. Items and recorded votes follow from it.
CREATE TABLE council.record (
  record_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  iqm2_id     bigint NOT NULL REFERENCES council.meeting ON DELETE CASCADE,
  document_id bigint NOT NULL REFERENCES council.document,
  source      text NOT NULL,
  fetched_at  timestamptz NOT NULL,
  UNIQUE (iqm2_id, document_id),
  UNIQUE (iqm2_id, record_id)
);
CREATE INDEX record_document ON council.record (document_id);

ALTER TABLE council.meeting
  ADD COLUMN source text,            -- the portal that looks after the meeting; NULL for what was loaded from a file or read before this column
  ADD COLUMN latest_record_id bigint, -- council.record: what the portal showed last
  ADD COLUMN record_id bigint,       -- council.record: what items and recorded votes come from; an older one while the latest shows less than it
  ADD FOREIGN KEY (iqm2_id, latest_record_id) REFERENCES council.record (iqm2_id, record_id),
  ADD FOREIGN KEY (iqm2_id, record_id) REFERENCES council.record (iqm2_id, record_id);

-- Which witness a vote was read from: the minutes, or the portal's record until there are minutes.
ALTER TABLE council.vote ADD COLUMN origin text NOT NULL DEFAULT 'minutes' CHECK (origin IN ('minutes', 'record'));

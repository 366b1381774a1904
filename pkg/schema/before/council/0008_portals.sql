-- +goose Up
--
-- A council that moves to another portal keeps one list of meetings. A source is the name of a
-- portal: either the name in council.yaml, or a name made from the address ("legistar/town").
--
-- The meetings of an IQM2 portal keep the portal's ids. Every other meeting gets a permanent number
-- above 1,000,000,000. Rows are only added to council.meeting_key. If two keys have the same
-- number, two portals list the same meeting.
CREATE SEQUENCE council.meeting_number AS bigint MINVALUE 1000000001;

CREATE TABLE council.meeting_key (
  source     text NOT NULL,
  source_id  text NOT NULL,                           -- the portal's own id
  iqm2_id    bigint NOT NULL CHECK (iqm2_id > 0),     -- no foreign key: a meeting gets its number before it is read, and a number is never reused
  first_seen timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, source_id)
);
CREATE INDEX meeting_key_meeting ON council.meeting_key (iqm2_id);

-- Answers of portals with a data API about a meeting. All answers of one visit, as fetched, are one
-- council.document (a bundle). A pure function turns them into JSON (portal.Detail), which is the
-- council.document_text of the document. Items and recorded votes are derived from that JSON.
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
  ADD COLUMN source text,            -- the portal that lists the meeting; NULL if the meeting was loaded from a file or is older than this column
  ADD COLUMN latest_record_id bigint, -- council.record: the portal's last answers
  ADD COLUMN record_id bigint,       -- council.record: the source of items and recorded votes; an earlier record if the latest is withheld
  ADD FOREIGN KEY (iqm2_id, latest_record_id) REFERENCES council.record (iqm2_id, record_id),
  ADD FOREIGN KEY (iqm2_id, record_id) REFERENCES council.record (iqm2_id, record_id);

-- The source of a vote: the minutes, or the portal's record if there are no minutes yet.
ALTER TABLE council.vote ADD COLUMN origin text NOT NULL DEFAULT 'minutes' CHECK (origin IN ('minutes', 'record'));

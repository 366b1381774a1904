-- +goose Up
--
-- The council schema: the archive of minutes, the votes derived from it, and what readers need to
-- find them.
--
-- Reading: every answer belongs to one `dataset.generation`, which is raised in each transaction
-- that changes something a reader can see. All rows below `meeting` refer to the meeting by
-- `iqm2_id`. Only meetings whose minutes were parsed without errors have votes. Lists show the
-- newest meeting first, and rows of a meeting in document order: (meeting_date DESC, starts_at
-- DESC, iqm2_id DESC, ord).
--
-- Writing: services/council-ingest is the only writer. `document`, `minutes` and `outline` are
-- stored as fetched. Pure functions derive items, votes, positions, attendance and anomalies from
-- them, so these tables can be deleted and derived again. Each meeting is written in one
-- transaction, which first locks the row of `dataset`; so only one writer works at a time, and the
-- tallies are exact.
--
-- Identity: the API shows the `id` of an item, vote, member or anomaly, and a re-parse keeps the
-- id. An id never moves to another vote: if two votes cannot be distinguished with certainty, the
-- new vote gets a new id, and the old id is retired (services/council-ingest/internal/merge,
-- meeting.go). A row keeps its id if these values are equal:
--   item     meeting + file number, else title and votes, among neighbours that stay
--   vote     item + motion, outcome, mover, seconder and roll, among neighbours that stay
--   member   full name, folded (case, accents, blanks), after the configured aliases
--   anomaly  meeting + item + code + message, else meeting + item + code in order
--
-- The rows below a meeting repeat its date, start and id, so that one index serves a filter and the
-- order together. Foreign keys with ON UPDATE CASCADE keep the copies equal.

CREATE SCHEMA IF NOT EXISTS council;

-- fold prepares a text for full-text search: it decomposes compatibility forms, removes accents and
-- makes typographic apostrophes plain. The extension unaccent is not installed everywhere, and its
-- function is not immutable.
-- +goose StatementBegin
CREATE FUNCTION council.fold(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(
  regexp_replace(normalize($1, NFKD), U&'[\0300-\036F]', '', 'g'),
  U&'\00D8\00F8\0141\0142\0110\0111\0126\0127\0131\2018\2019\02BC',
  'OoLlDdHhi''''''');
-- +goose StatementEnd

-- The state of the whole dataset, in one row.
CREATE TABLE council.dataset (
  one_row        boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  generation     bigint NOT NULL DEFAULT 0,           -- raised by every change that a reader can see
  updated_at     timestamptz NOT NULL DEFAULT now(),  -- when generation was last raised
  last_ingest_at timestamptz,                         -- end of the last ingest that changed anything
  checked_at     timestamptz                          -- end of the last complete ingest without a failed meeting, even if nothing changed; the API does not show it
);
INSERT INTO council.dataset DEFAULT VALUES;

-- The bytes of files as fetched. A row never changes, and stays while a meeting refers to it.
CREATE TABLE council.document (
  document_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256      bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  media_type  text NOT NULL,                          -- application/pdf, text/plain or text/html, detected from the content
  size        bigint NOT NULL,
  content     bytea                                   -- NULL if the object store has the bytes, under their hash
);
-- PDFs do not compress, and range requests read slices.
ALTER TABLE council.document ALTER COLUMN content SET STORAGE EXTERNAL;

-- The extracted text of a document, and the version of the program that read it last.
CREATE TABLE council.document_text (
  document_id    bigint PRIMARY KEY REFERENCES council.document ON DELETE CASCADE,
  text           text,                                -- UTF-8, with a form feed between pages; NULL if nothing could be read
  pages          integer NOT NULL DEFAULT 0,
  error          text,                                -- why there is no text, or why the text could not be parsed; NULL if it was parsed
  parser_version text NOT NULL,                       -- version of the program that read the document
  parsed_at      timestamptz NOT NULL,
  CHECK (text IS NOT NULL OR error IS NOT NULL)
);

CREATE TABLE council.meeting (
  iqm2_id          bigint PRIMARY KEY CHECK (iqm2_id > 0),
  body             text NOT NULL,
  meeting_type     text NOT NULL CHECK (meeting_type IN ('regular', 'special', 'closed', 'other')),
  meeting_type_raw text NOT NULL,                     -- as the portal writes it
  meeting_date     date NOT NULL,                     -- local date
  starts_at        timestamptz NOT NULL,              -- is on meeting_date in the configured time zone
  title            text NOT NULL,
  location         text,
  status           text NOT NULL CHECK (status IN ('discovered', 'agenda_only', 'minutes_pending', 'complete', 'cancelled', 'parse_error')),
  source_url       text,                              -- the portal's page of the meeting; NULL if the meeting was loaded from a file without a portal
  cancelled        boolean NOT NULL DEFAULT false,    -- the portal's last answer; status becomes 'cancelled' only if that transition is allowed
  agenda_url       text,
  minutes_url      text,                              -- the portal's address of the minutes, parsed or not
  video_url        text,
  last_fetched     timestamptz,                       -- when the stored data was fetched; a fetch without news does not change the time
  row_sha256       bytea,                             -- hash of the calendar's row at the last visit of the meeting's page; NULL requests another visit
  item_count       integer NOT NULL DEFAULT 0,
  vote_count       integer NOT NULL DEFAULT 0,
  latest_id        bigint,                            -- council.minutes: the document that the portal showed last, parsed or not
  minutes_id       bigint,                            -- council.minutes: the source of items and votes; NULL until a document was parsed without errors
  same_as          bigint REFERENCES council.meeting, -- the meeting that has the votes, if the portal lists the same minutes under two ids
  UNIQUE (iqm2_id, meeting_date, starts_at)           -- for the foreign keys that copy the order
);
CREATE INDEX meeting_order  ON council.meeting (meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX meeting_status ON council.meeting (status, meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX meeting_type   ON council.meeting (meeting_type, meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX meeting_same   ON council.meeting (same_as) WHERE same_as IS NOT NULL;

-- Every transition of a meeting's status, including the first, whose from_status is NULL.
CREATE TABLE council.status_change (
  iqm2_id     bigint NOT NULL REFERENCES council.meeting ON DELETE CASCADE,
  seq         integer NOT NULL,                       -- 1, 2, … within the meeting
  from_status text,
  to_status   text NOT NULL,
  reason      text NOT NULL,
  changed_at  timestamptz NOT NULL,
  PRIMARY KEY (iqm2_id, seq)
);

-- All documents that a portal has shown as minutes of a meeting, oldest first. It is possible that
-- the newest could not be parsed.
CREATE TABLE council.minutes (
  minutes_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  iqm2_id       bigint NOT NULL REFERENCES council.meeting ON DELETE CASCADE,
  document_id   bigint NOT NULL REFERENCES council.document,
  url           text,                                 -- address of the document; NULL if it was loaded from a file
  fetched_at    timestamptz NOT NULL,
  etag          text,
  last_modified text,
  UNIQUE (iqm2_id, document_id),
  UNIQUE (iqm2_id, minutes_id)
);
CREATE INDEX minutes_document ON council.minutes (document_id);
ALTER TABLE council.meeting
  ADD FOREIGN KEY (iqm2_id, latest_id) REFERENCES council.minutes (iqm2_id, minutes_id),
  ADD FOREIGN KEY (iqm2_id, minutes_id) REFERENCES council.minutes (iqm2_id, minutes_id);

-- The agenda outline of a meeting's page, as read. Items without a vote, addresses of agenda-item
-- pages and HTML votes are derived from it.
CREATE TABLE council.outline (
  iqm2_id    bigint PRIMARY KEY REFERENCES council.meeting ON DELETE CASCADE,
  entries    jsonb NOT NULL,                          -- array, in order; portal.Entry
  fetched_at timestamptz NOT NULL
);

CREATE TABLE council.item (
  id               bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  iqm2_id          bigint NOT NULL,
  meeting_date     date NOT NULL,
  starts_at        timestamptz NOT NULL,
  ord              integer NOT NULL,                  -- place in the meeting, from 1
  legifile_id      bigint,
  file_number      text,                              -- the city's own number of the file ("2024-925"), where printed
  item_number      text,
  section          text,
  title            text NOT NULL,
  is_consent       boolean NOT NULL,
  source_url       text,                              -- the portal's page of the item; NULL if there is none
  source_page      integer CHECK (source_page > 0),
  topic            text CHECK (topic IN ('housing', 'land-use-zoning', 'public-safety', 'budget-finance', 'utilities', 'transportation',
                                         'parks-recreation', 'economic-development', 'homelessness', 'personnel-labor',
                                         'contracts-procurement', 'governance-procedural', 'other')),
  topic_confidence double precision CHECK (topic_confidence BETWEEN 0 AND 1),
  summary          text,
  classified_at    timestamptz,
  classifier_model text,
  search           tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', council.fold(title || ' ' || coalesce(summary, '')))) STORED,
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE,
  CHECK (topic IS NULL OR classified_at IS NOT NULL AND classifier_model IS NOT NULL)
);
CREATE INDEX item_order    ON council.item (meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX item_meeting  ON council.item (iqm2_id, ord);
CREATE INDEX item_topic    ON council.item (topic, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX item_search   ON council.item USING gin (search);

CREATE TABLE council.member (
  id        bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  name_key  text NOT NULL UNIQUE,                     -- full_name folded by pkg/council
  full_name text NOT NULL,
  last_name text NOT NULL
);

CREATE TABLE council.vote (
  id           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  item_id      bigint NOT NULL REFERENCES council.item ON DELETE CASCADE,
  iqm2_id      bigint NOT NULL,
  meeting_date date NOT NULL,
  starts_at    timestamptz NOT NULL,
  ord          integer NOT NULL,                      -- place among the votes of the meeting, from 1
  motion_seq   integer NOT NULL CHECK (motion_seq > 0),
  motion_text  text NOT NULL,
  result       text NOT NULL CHECK (result IN ('adopted', 'failed', 'tabled', 'continued', 'no_action', 'other')),
  result_raw   text NOT NULL,                         -- as printed
  ayes_count   integer NOT NULL CHECK (ayes_count >= 0),
  nays_count   integer NOT NULL CHECK (nays_count >= 0),
  unanimous    boolean NOT NULL,
  via_consent  boolean NOT NULL,
  mover_id     bigint REFERENCES council.member,
  seconder_id  bigint REFERENCES council.member,
  parse_source text NOT NULL CHECK (parse_source IN ('html', 'pdf')),
  parsed_at    timestamptz NOT NULL,                  -- when the vote was first read with these values; an equal re-parse does not change the time
  source_page  integer CHECK (source_page > 0),       -- page of the roll call
  topic        text,                                  -- topic of the item, repeated for the index
  UNIQUE (item_id, motion_seq) DEFERRABLE INITIALLY IMMEDIATE,
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX vote_order     ON council.vote (meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_meeting   ON council.vote (iqm2_id, ord);
CREATE INDEX vote_result    ON council.vote (result, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_mover     ON council.vote (mover_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_seconder  ON council.vote (seconder_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_margin    ON council.vote (ayes_count, nays_count, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_unanimous ON council.vote (unanimous, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_consent   ON council.vote (via_consent, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_split     ON council.vote (topic) WHERE NOT unanimous; -- to count split votes by topic
CREATE INDEX vote_topic     ON council.vote (topic, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);

-- One row per member in the roll of a vote.
CREATE TABLE council.vote_position (
  vote_id      bigint NOT NULL REFERENCES council.vote ON DELETE CASCADE,
  member_id    bigint NOT NULL REFERENCES council.member,
  iqm2_id      bigint NOT NULL,
  meeting_date date NOT NULL,
  starts_at    timestamptz NOT NULL,
  ord          smallint NOT NULL,                     -- place in the roll as printed, from 1
  position     text NOT NULL CHECK (position IN ('aye', 'nay', 'abstain', 'absent', 'recused')),
  PRIMARY KEY (vote_id, member_id),
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX vote_position_meeting ON council.vote_position (iqm2_id);
CREATE INDEX vote_position_member  ON council.vote_position (member_id, meeting_date DESC, starts_at DESC, iqm2_id DESC);
-- Most positions are ayes; this index finds the others.
CREATE INDEX vote_position_dissent ON council.vote_position (member_id, position, meeting_date DESC, starts_at DESC, iqm2_id DESC) WHERE position <> 'aye';

-- The attendance table of the minutes, as printed, including staff. A row belongs to the member
-- with the same name_key, if there is such a member.
CREATE TABLE council.attendance (
  iqm2_id      bigint NOT NULL,
  meeting_date date NOT NULL,
  starts_at    timestamptz NOT NULL,
  ord          smallint NOT NULL,
  name         text NOT NULL,
  name_key     text NOT NULL,
  title        text NOT NULL,
  status       text NOT NULL,                         -- Present, Absent, Late, Excused, Remote … as printed
  PRIMARY KEY (iqm2_id, ord),
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX attendance_name ON council.attendance (name_key, meeting_date);

-- Errors in the sources, and parts of the sources that could not be read.
CREATE TABLE council.anomaly (
  id           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  iqm2_id      bigint NOT NULL,
  meeting_date date NOT NULL,
  starts_at    timestamptz NOT NULL,
  ord          integer NOT NULL,                      -- document order within the meeting, from 1
  item_id      bigint REFERENCES council.item ON DELETE CASCADE,
  motion_seq   integer,                               -- motion_seq of the vote; NULL if the anomaly concerns the item or the meeting
  kind         text NOT NULL CHECK (kind IN ('typo', 'missing', 'inconsistency', 'error')),
  code         text NOT NULL,
  message      text NOT NULL,
  source_page  integer CHECK (source_page > 0),
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX anomaly_order   ON council.anomaly (meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX anomaly_meeting ON council.anomaly (iqm2_id, ord);
CREATE INDEX anomaly_item    ON council.anomaly (item_id);
CREATE INDEX anomaly_kind    ON council.anomaly (kind, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX anomaly_code    ON council.anomaly (code, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);

-- The two views compute what each meeting adds to the tallies of members; the two tables below have
-- the sums over all meetings. The writer subtracts the share of a meeting before it changes the
-- meeting, and adds the new share afterwards.
CREATE VIEW council.member_share AS
SELECT p.iqm2_id, p.member_id, coalesce(v.topic, '') AS topic, p.position, count(*) AS votes,
       -- In the minority: nay on an adopted motion or aye on a failed one.
       count(*) FILTER (WHERE p.position = 'nay' AND v.result = 'adopted' OR p.position = 'aye' AND v.result = 'failed') AS dissents
FROM council.vote_position p
JOIN council.vote v ON v.id = p.vote_id
GROUP BY p.iqm2_id, p.member_id, coalesce(v.topic, ''), p.position;

CREATE VIEW council.pair_share AS
SELECT p.iqm2_id, p.member_id, o.member_id AS other_id, v.via_consent, count(*) AS shared, count(*) FILTER (WHERE p.position = o.position) AS agreed
FROM council.vote_position p
JOIN council.vote_position o ON o.vote_id = p.vote_id AND o.member_id <> p.member_id
JOIN council.vote v ON v.id = p.vote_id
WHERE p.position IN ('aye', 'nay') AND o.position IN ('aye', 'nay')
GROUP BY p.iqm2_id, p.member_id, o.member_id, v.via_consent;

CREATE TABLE council.member_tally (
  member_id bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  topic     text NOT NULL,                            -- '' for items without a topic
  position  text NOT NULL,
  votes     bigint NOT NULL,
  dissents  bigint NOT NULL,
  PRIMARY KEY (member_id, topic, position)
);

CREATE TABLE council.pair_tally (
  member_id   bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  other_id    bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  via_consent boolean NOT NULL,
  shared      bigint NOT NULL,                        -- votes on which both took aye or nay
  agreed      bigint NOT NULL,
  PRIMARY KEY (member_id, other_id, via_consent)
);

-- Files that an ingest makes at its end. A new file replaces the whole old file; the previous file
-- is kept for downloads that have begun.
CREATE TABLE council.export (
  export_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL,                           -- votes.csv
  media_type text NOT NULL,
  sha256     bytea NOT NULL,
  size       bigint NOT NULL,
  generation bigint NOT NULL,                         -- generation of the dataset in the file
  created_at timestamptz NOT NULL
);
CREATE INDEX export_name ON council.export (name, export_id DESC);

CREATE TABLE council.export_chunk (
  export_id bigint NOT NULL REFERENCES council.export ON DELETE CASCADE,
  seq       integer NOT NULL,                         -- 0, 1, …; all chunks except the last have the same length
  content   bytea NOT NULL,
  PRIMARY KEY (export_id, seq)
);

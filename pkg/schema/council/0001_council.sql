-- +goose Up
--
-- The council schema: the archive of minutes, the votes derived from it, and what readers need to find them.
--
-- Reading in one paragraph: every answer belongs to one `dataset.generation`; it moves in the transaction that
-- changes anything a reader can see, and only then. Everything below `meeting` hangs on its portal id `iqm2_id`.
-- Only meetings with a good parse have votes. Everything is listed newest meeting first and in document order
-- within a meeting: (meeting_date DESC, starts_at DESC, iqm2_id DESC, ord).
--
-- Writing in one paragraph (services/council-ingest is the only writer): `document`, `minutes` and `outline` are the
-- ground, kept as fetched. Items, votes, positions, attendance and anomalies are derived from them by pure functions
-- and can be thrown away and derived again. One transaction per meeting; each begins by locking the row of `dataset`,
-- so that there is one writer at a time and the tallies below are exact.
--
-- Identity: `id` of item, vote, member and anomaly is what the API shows, and stays over re-parses. An id never names another
-- vote: if two cannot be distinguished with certainty, the new one gets a new id and the old id is retired (services/council-ingest/internal/merge, identity.go).
--   item     meeting + file number, else title and votes, among neighbours that stay
--   vote     item + motion, outcome, mover, seconder and roll, among neighbours that stay
--   member   full name, folded (case, accents, blanks), after the configured aliases
--   anomaly  meeting + item + code + message, else meeting + item + code in order
--
-- Meeting date, start and id are repeated in the rows below a meeting so that one index serves a filter and the
-- order together. Foreign keys with ON UPDATE CASCADE keep the copies true.

CREATE SCHEMA IF NOT EXISTS council;

-- Text as full-text search sees it: compatibility forms opened, accents dropped, typographic apostrophes made plain.
-- Our own function rather than the extension unaccent, which is not installed everywhere and is not immutable.
-- +goose StatementBegin
CREATE FUNCTION council.fold(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(
  regexp_replace(normalize($1, NFKD), U&'[\0300-\036F]', '', 'g'),
  U&'\00D8\00F8\0141\0142\0110\0111\0126\0127\0131\2018\2019\02BC',
  'OoLlDdHhi''''''');
-- +goose StatementEnd

-- One row: the state of the whole dataset.
CREATE TABLE council.dataset (
  one_row        boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  generation     bigint NOT NULL DEFAULT 0,           -- moves with every change that a reader can see
  updated_at     timestamptz NOT NULL DEFAULT now(),  -- when generation moved last
  last_ingest_at timestamptz,                         -- end of the last ingest that changed anything
  checked_at     timestamptz                          -- end of the last ingest of everything that left no meeting behind, changed or not; not shown by the API
);
INSERT INTO council.dataset DEFAULT VALUES;

-- Bytes as fetched. Never changed, never deleted while a meeting names them.
CREATE TABLE council.document (
  document_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256      bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
  media_type  text NOT NULL,                          -- application/pdf, text/plain or text/html, by content rather than by what the portal says
  size        bigint NOT NULL,
  content     bytea                                   -- NULL when the bytes are in the object store, under their hash
);
-- PDFs do not compress, and range requests read slices.
ALTER TABLE council.document ALTER COLUMN content SET STORAGE EXTERNAL;

-- What the minutes parser saw of a document, and which version of extractor and parser read it last.
CREATE TABLE council.document_text (
  document_id    bigint PRIMARY KEY REFERENCES council.document ON DELETE CASCADE,
  text           text,                                -- UTF-8, a form feed between pages; NULL when nothing could be read
  pages          integer NOT NULL DEFAULT 0,
  error          text,                                -- why there is no text, or why it could not be parsed; NULL when it was
  parser_version text NOT NULL,                       -- of the program that read it
  parsed_at      timestamptz NOT NULL,
  CHECK (text IS NOT NULL OR error IS NOT NULL)
);

CREATE TABLE council.meeting (
  iqm2_id          bigint PRIMARY KEY CHECK (iqm2_id > 0),
  body             text NOT NULL,
  meeting_type     text NOT NULL CHECK (meeting_type IN ('regular', 'special', 'closed', 'other')),
  meeting_type_raw text NOT NULL,                     -- as the portal writes it
  meeting_date     date NOT NULL,                     -- local
  starts_at        timestamptz NOT NULL,              -- falls on meeting_date in the configured zone
  title            text NOT NULL,
  location         text,
  status           text NOT NULL CHECK (status IN ('discovered', 'agenda_only', 'minutes_pending', 'complete', 'cancelled', 'parse_error')),
  source_url       text,                              -- the portal's page of the meeting; NULL when it was loaded from a file without a portal
  cancelled        boolean NOT NULL DEFAULT false,    -- as the portal said last; status follows where a transition allows it
  agenda_url       text,
  minutes_url      text,                              -- the portal's address of the minutes, parsed or not
  video_url        text,
  last_fetched     timestamptz,                       -- when what is stored was fetched; a fetch that found nothing new does not move it
  row_sha256       bytea,                             -- of the calendar's row when the meeting's page was last read; NULL asks for another visit
  item_count       integer NOT NULL DEFAULT 0,
  vote_count       integer NOT NULL DEFAULT 0,
  latest_id        bigint,                            -- council.minutes: the document that the portal showed last, parsed or not
  minutes_id       bigint,                            -- council.minutes: what items and votes come from; NULL until a good parse
  same_as          bigint REFERENCES council.meeting, -- another id of the portal for the same minutes, which carries the votes
  UNIQUE (iqm2_id, meeting_date, starts_at)           -- for the foreign keys that copy the order
);
CREATE INDEX meeting_order  ON council.meeting (meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX meeting_status ON council.meeting (status, meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX meeting_type   ON council.meeting (meeting_type, meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX meeting_same   ON council.meeting (same_as) WHERE same_as IS NOT NULL;

-- Every transition of a meeting's status, the first one (from NULL) included.
CREATE TABLE council.status_change (
  iqm2_id     bigint NOT NULL REFERENCES council.meeting ON DELETE CASCADE,
  seq         integer NOT NULL,                       -- 1, 2, … within the meeting
  from_status text,
  to_status   text NOT NULL,
  reason      text NOT NULL,
  changed_at  timestamptz NOT NULL,
  PRIMARY KEY (iqm2_id, seq)
);

-- The minutes documents that a meeting has had, oldest first. The newest may be one that could not be parsed.
CREATE TABLE council.minutes (
  minutes_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  iqm2_id       bigint NOT NULL REFERENCES council.meeting ON DELETE CASCADE,
  document_id   bigint NOT NULL REFERENCES council.document,
  url           text,                                 -- where it was fetched; NULL when it was loaded from a file
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

-- The agenda outline of a meeting page, as read: the ground for items without a vote, agenda-item pages and HTML votes.
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
  source_url       text,                              -- the portal's page of the item; NULL where it has none
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
  parsed_at    timestamptz NOT NULL,                  -- when the vote was first read as it stands; an equal re-parse does not move it
  source_page  integer CHECK (source_page > 0),       -- of the roll call
  topic        text,                                  -- the item's, repeated for the index
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
CREATE INDEX vote_split     ON council.vote (topic) WHERE NOT unanimous; -- to count them by topic
CREATE INDEX vote_topic     ON council.vote (topic, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);

-- One row per member named in the roll of a vote.
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
-- Ayes are what most positions are; the other four are found through here.
CREATE INDEX vote_position_dissent ON council.vote_position (member_id, position, meeting_date DESC, starts_at DESC, iqm2_id DESC) WHERE position <> 'aye';

-- The attendance table of the minutes, as printed: council and staff alike. A row belongs to the member of the same name_key, if there is one.
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

-- What is wrong in the sources, or could not be read from them.
CREATE TABLE council.anomaly (
  id           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  iqm2_id      bigint NOT NULL,
  meeting_date date NOT NULL,
  starts_at    timestamptz NOT NULL,
  ord          integer NOT NULL,                      -- document order within the meeting, from 1
  item_id      bigint REFERENCES council.item ON DELETE CASCADE,
  motion_seq   integer,                               -- of the vote concerned; NULL when it concerns the item or the meeting
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

-- What a meeting adds to the tallies of members. The two views are the definition; the two tables below hold their
-- sums over all meetings. The writer subtracts a meeting's share before it changes the meeting and adds it afterwards.
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

-- Files made at the end of an ingest, replaced as a whole. The one before is kept, for downloads that are under way.
CREATE TABLE council.export (
  export_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL,                           -- votes.csv
  media_type text NOT NULL,
  sha256     bytea NOT NULL,
  size       bigint NOT NULL,
  generation bigint NOT NULL,                         -- of the dataset it was made from
  created_at timestamptz NOT NULL
);
CREATE INDEX export_name ON council.export (name, export_id DESC);

CREATE TABLE council.export_chunk (
  export_id bigint NOT NULL REFERENCES council.export ON DELETE CASCADE,
  seq       integer NOT NULL,                         -- 0, 1, …; every chunk but the last has the same length
  content   bytea NOT NULL,
  PRIMARY KEY (export_id, seq)
);

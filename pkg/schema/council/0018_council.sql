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
  checked_at     timestamptz,                          -- end of the last complete ingest without a failed meeting, even if nothing changed; the API does not show it
  review_id      bigint NOT NULL DEFAULT 0,            -- the last review that readers were notified of
  division       text                                  -- Open Civic Data division of the town, from council.yaml
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
  CHECK (text IS NOT NULL OR error IS NOT NULL),
  -- Notes of the extractor about single pages of a readable document: invisible text, and pages that
  -- are pictures. Notes become anomalies of the meeting. An array of {"page", "code", "message"};
  -- archive.TextNote.
  notes          jsonb NOT NULL DEFAULT '[]',
  -- How much of the document could be read, which decides the status of the meeting; error explains it
  -- to people. NULL in rows of early versions.
  verdict        text CHECK (verdict IN ('whole', 'repaired', 'partial', 'no_text', 'encrypted', 'too_large', 'unreadable'))
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
  UNIQUE (iqm2_id, meeting_date, starts_at),           -- for the foreign keys that copy the order
  source           text,                              -- the portal that lists the meeting; NULL if it was loaded from a file
  latest_record_id bigint,                            -- council.record: the portal's last answers
  record_id        bigint,                            -- council.record: the source of items and recorded votes; an earlier record if the latest is withheld
  body_id          bigint NOT NULL DEFAULT 1,
  remark           text                               -- what the portal adds to the name of the body: "THIS IS CONSIDERED A SPECIAL MEETING"
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
  CHECK (topic IS NULL OR classified_at IS NOT NULL AND classifier_model IS NOT NULL),
  answer_id        bigint,                            -- council.answer: the answer that the item shows; NULL if there is none, or only an empty one
  body_id          bigint NOT NULL DEFAULT 1
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
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE,
  origin       text NOT NULL DEFAULT 'minutes' CHECK (origin IN ('minutes', 'record')), -- the portal's record if there are no minutes yet
  body_id      bigint NOT NULL DEFAULT 1
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
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE,
  body_id      bigint NOT NULL DEFAULT 1
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
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE,
  body_id      bigint NOT NULL DEFAULT 1
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
  FOREIGN KEY (iqm2_id, meeting_date, starts_at) REFERENCES council.meeting (iqm2_id, meeting_date, starts_at) ON UPDATE CASCADE ON DELETE CASCADE,
  body_id      bigint NOT NULL DEFAULT 1
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
       count(*) FILTER (WHERE p.position = 'nay' AND v.result = 'adopted' OR p.position = 'aye' AND v.result = 'failed') AS dissents,
       p.body_id
FROM council.vote_position p
JOIN council.vote v ON v.id = p.vote_id
GROUP BY p.iqm2_id, p.member_id, coalesce(v.topic, ''), p.position, p.body_id;

CREATE VIEW council.pair_share AS
SELECT p.iqm2_id, p.member_id, o.member_id AS other_id, v.via_consent, count(*) AS shared, count(*) FILTER (WHERE p.position = o.position) AS agreed,
       p.body_id
FROM council.vote_position p
JOIN council.vote_position o ON o.vote_id = p.vote_id AND o.member_id <> p.member_id
JOIN council.vote v ON v.id = p.vote_id
WHERE p.position IN ('aye', 'nay') AND o.position IN ('aye', 'nay')
GROUP BY p.iqm2_id, p.member_id, o.member_id, v.via_consent, p.body_id;

CREATE TABLE council.member_tally (
  member_id bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  topic     text NOT NULL,                            -- '' for items without a topic
  position  text NOT NULL,
  votes     bigint NOT NULL,
  dissents  bigint NOT NULL,
  PRIMARY KEY (member_id, topic, position),
  body_id   bigint NOT NULL DEFAULT 1
);

CREATE TABLE council.pair_tally (
  member_id   bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  other_id    bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  via_consent boolean NOT NULL,
  shared      bigint NOT NULL,                        -- votes on which both took aye or nay
  agreed      bigint NOT NULL,
  PRIMARY KEY (member_id, other_id, via_consent),
  body_id     bigint NOT NULL DEFAULT 1
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
  created_at timestamptz NOT NULL,
  rows       bigint,                                  -- rows of the table, or of all tables; NULL if the file is no table
  as_of      timestamptz                              -- when the generation in the file was committed; NULL in files of early versions
);
CREATE INDEX export_name ON council.export (name, export_id DESC);

CREATE TABLE council.export_chunk (
  export_id bigint NOT NULL REFERENCES council.export ON DELETE CASCADE,
  seq       integer NOT NULL,                         -- 0, 1, …; all chunks except the last have the same length
  content   bytea NOT NULL,
  PRIMARY KEY (export_id, seq)
);

-- Answers of classifiers about agenda items (services/council-ingest/internal/classify).
--
-- Every answer is kept. Its key is the question: heading and title of the item, the model, the
-- version of the prompt, and the parameters. So the same question is never asked twice. An answer
-- stays when its item is removed, and when the model or the prompt changes. An item shows the
-- answer of the configured classifier, or else the answer that it showed before. classified_at of
-- the item is a copy of answered_at, so unchanged minutes that are read again change nothing.

CREATE TABLE council.answer (
  answer_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  question     bytea NOT NULL UNIQUE CHECK (octet_length(question) = 32), -- hash of the whole question; with one unique key the planner estimates one row
  section      text NOT NULL,                                           -- the heading; '' if there is none
  title        text NOT NULL,
  model        text NOT NULL,                                           -- as configured; townline-keywords-N for the term list
  prompt       text NOT NULL,                                           -- version of the instructions, or of the term list
  parameters   text NOT NULL,                                           -- '' for the term list
  written      text,                                                    -- the unchanged answer of the model; NULL for the term list
  declined     boolean NOT NULL DEFAULT false,                          -- the model refused to answer
  answered_by  text NOT NULL,                                           -- name of the model in the server's answer; items show this name
  tokens_in    integer NOT NULL DEFAULT 0,
  tokens_out   integer NOT NULL DEFAULT 0,
  answered_at  timestamptz NOT NULL,
  -- The part of the answer that the guards accept. It is derived again from `written` when the guards change.
  judged       text NOT NULL,                                           -- version of the guards
  topic        text CHECK (topic IN ('housing', 'land-use-zoning', 'public-safety', 'budget-finance', 'utilities', 'transportation',
                                     'parks-recreation', 'economic-development', 'homelessness', 'personnel-labor',
                                     'contracts-procurement', 'governance-procedural', 'other')),
  confidence   double precision CHECK (confidence BETWEEN 0 AND 1),     -- NULL if it was not measured
  summary      text,
  quote        text,                                                    -- words of the heading or title that decided the topic
  refused      text[] NOT NULL DEFAULT '{}'                             -- why parts of the answer are missing; classify.Reason
);
ALTER TABLE council.item ADD FOREIGN KEY (answer_id) REFERENCES council.answer;

-- The public record of changes of published data (/changes of the API): what changed, when and why.
--
-- Each change of a published vote has a row with the values before and after. The transaction that
-- makes the change also writes the row (services/council-ingest/internal/merge, change.go; for
-- meetings internal/archive). Rows are never altered, and stay when the rows that they describe are
-- removed, so there are no foreign keys. The writer holds the lock of the dataset when it takes a
-- change_id, so the ids are in the order of the commits.

CREATE TABLE council.change (
  change_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('meeting_added', 'meeting_status', 'vote_added', 'vote_changed', 'vote_removed', 'member_added', 'member_removed')),
  iqm2_id     bigint,                                  -- the meeting; for a member, the meeting whose minutes added or removed the name
  vote_id     bigint,
  member_id   bigint,
  document_id bigint,                                  -- the minutes from which "after" was read; NULL if there were none
  before      jsonb,                                   -- the published values before the change; NULL for an addition
  after       jsonb,                                   -- the published values after the change; NULL for a removal
  reason      text NOT NULL,                           -- in words
  run_id      text NOT NULL,                           -- the ingest or re-parse that made the change
  changed_at  timestamptz NOT NULL,
  correction_id bigint,                                -- the correction that made the change; NULL if a document or a reading did
  body_id     bigint NOT NULL DEFAULT 1                -- body of the meeting when the change was made
);
CREATE INDEX change_kind    ON council.change (kind, change_id DESC);
CREATE INDEX change_meeting ON council.change (iqm2_id, change_id DESC);
CREATE INDEX change_vote    ON council.change (vote_id, change_id DESC) WHERE vote_id IS NOT NULL;
CREATE INDEX change_time    ON council.change (changed_at, change_id DESC);

-- A vote as readers see it, without the topic, which a machine adds, and without ids of rows and
-- times. If both readings are equal, the vote has not changed.
CREATE VIEW council.vote_reading AS
SELECT v.id AS vote_id, v.iqm2_id, v.ord, jsonb_build_object(
         'item_id', v.item_id, 'item_number', i.item_number, 'item_title', i.title, 'motion_seq', v.motion_seq, 'motion_text', v.motion_text,
         'result', v.result, 'result_raw', v.result_raw, 'ayes_count', v.ayes_count, 'nays_count', v.nays_count, 'unanimous', v.unanimous,
         'via_consent', v.via_consent, 'mover_name', mover.full_name, 'seconder_name', seconder.full_name, 'source_page', v.source_page,
         'positions', (SELECT coalesce(jsonb_agg(jsonb_build_object('member_id', p.member_id, 'member_name', b.full_name, 'position', p.position) ORDER BY p.ord), '[]')
                       FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = v.id)) AS reading
FROM council.vote v
JOIN council.item i ON i.id = v.item_id
LEFT JOIN council.member mover ON mover.id = v.mover_id
LEFT JOIN council.member seconder ON seconder.id = v.seconder_id;

-- To count items by topic and quarter (/topics, /topics/timeline, /stats). An index stores equal
-- entries once, so this index is a tenth of the size of the table, and counts read only the index.
-- The index for the order of lists has a separate entry for each item, and is nearly as large as
-- the table.
CREATE INDEX item_day ON council.item (topic, meeting_date);

-- Contributions of people: corrections of votes, and reviews of anomalies. pkg/clerk writes and
-- reads both tables.
--
-- Both tables only grow: the database refuses to change or remove rows. A new row withdraws a
-- correction or undoes a review. The role of the clerk can add rows here and needs no permission
-- for any other table. council-ingest applies the corrections to the rows that it reads
-- (services/council-ingest/internal/merge, overlay.go), and the API shows them.

CREATE TABLE council.correction (
  correction_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind          text NOT NULL CONSTRAINT correction_kind CHECK (kind IN ('title', 'result', 'mover', 'seconder', 'ayes', 'nays', 'position', 'vote_missing', 'vote_doubled', 'person', 'withdrawn')),
  iqm2_id       bigint NOT NULL,                        -- the meeting; there are no foreign keys, so a correction stays when the corrected rows are removed
  item_id       bigint,                                 -- for a correction of a title, or a missing vote
  vote_id       bigint,                                 -- for all corrections except those of titles; a missing vote gets this id
  member        text,                                   -- name of the member, for a correction of a position, or of whether a name on a body is a person of another body
  member_key    text,                                   -- the name folded by pkg/council
  was           text,                                   -- the value that was read when the correction was made; NULL if there was no name. For a missing or doubled vote: the number of votes of the item that were read
  becomes       text,                                   -- the value that is published instead; NULL for no name. For a person: the slug of the other body, NULL if the two names are different people
  vote          jsonb,                                  -- the missing vote in the form of early versions, which a trigger keeps equal to missing
  withdraws     bigint UNIQUE REFERENCES council.correction,
  anomaly_id    bigint,                                 -- the anomaly that the correction answers, if any
  document_id   bigint,                                 -- the archived minutes that were read wrongly
  rests_on      text NOT NULL CHECK (rests_on <> ''),   -- the document that shows the correct value, in the author's words
  author        text NOT NULL CHECK (author <> ''),
  reason        text NOT NULL CHECK (reason <> ''),
  made_at       timestamptz NOT NULL,
  missing       jsonb,                                  -- the whole missing vote; clerk.MissingVote
  CONSTRAINT correction_check CHECK ((kind = 'withdrawn') = (withdraws IS NOT NULL)),
  CONSTRAINT correction_member CHECK ((kind IN ('position', 'person')) = (member IS NOT NULL) AND (member IS NULL) = (member_key IS NULL)),
  CONSTRAINT correction_check2 CHECK ((kind = 'vote_missing') = (vote IS NOT NULL)),
  CONSTRAINT correction_check3 CHECK (kind NOT IN ('title', 'vote_missing') OR item_id IS NOT NULL),
  CONSTRAINT correction_vote CHECK (kind IN ('title', 'person', 'withdrawn') OR vote_id IS NOT NULL)
);
CREATE INDEX correction_meeting ON council.correction (iqm2_id, correction_id);
CREATE INDEX correction_vote    ON council.correction (vote_id) WHERE vote_id IS NOT NULL;
CREATE INDEX correction_item    ON council.correction (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX correction_anomaly ON council.correction (anomaly_id) WHERE anomaly_id IS NOT NULL;

-- Reviews of anomalies. A review has a copy of the anomaly, because the row of council.anomaly is
-- removed when a later reading does not find the anomaly.
CREATE TABLE council.review (
  review_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  anomaly_id bigint NOT NULL,
  act        text NOT NULL CHECK (act IN ('accepted', 'rejected', 'replied', 'undone')),
  undoes     bigint UNIQUE REFERENCES council.review,
  body       text NOT NULL,                           -- the reply, or the reason; '' if there is none
  author     text NOT NULL CHECK (author <> ''),
  made_at    timestamptz NOT NULL,
  -- Copy of the anomaly.
  iqm2_id    bigint NOT NULL,
  item_id    bigint,
  motion_seq integer,
  kind       text NOT NULL CHECK (kind IN ('typo', 'missing', 'inconsistency', 'error')),
  code       text NOT NULL,
  message    text NOT NULL,
  source_page integer,
  CHECK ((act = 'undone') = (undoes IS NOT NULL)),
  CHECK (act <> 'replied' OR body <> '')
);
CREATE INDEX review_anomaly ON council.review (anomaly_id, review_id);

-- +goose StatementBegin
CREATE FUNCTION council.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'council.% only grows: add a row that takes the other back', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd
CREATE TRIGGER correction_only_grows BEFORE UPDATE OR DELETE ON council.correction FOR EACH ROW EXECUTE FUNCTION council.refuse_change();
CREATE TRIGGER review_only_grows BEFORE UPDATE OR DELETE ON council.review FOR EACH ROW EXECUTE FUNCTION council.refuse_change();

-- For each meeting with corrections: the rows that were read, without the corrections. A later
-- reading is compared with these rows, to keep ids and to find differences. council-ingest writes
-- the table.
CREATE TABLE council.laid (
  iqm2_id       bigint PRIMARY KEY,
  correction_id bigint NOT NULL,                      -- the newest correction that was applied; newer ones are waiting
  reading       jsonb NOT NULL                        -- rows of items, votes and rolls; services/council-ingest/internal/merge, rows.go
);

-- To find votes by only one number of the tally (/votes?ayes=, ?nays=).
CREATE INDEX vote_ayes ON council.vote (ayes_count, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_nays ON council.vote (nays_count, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);

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
  ADD FOREIGN KEY (iqm2_id, latest_record_id) REFERENCES council.record (iqm2_id, record_id),
  ADD FOREIGN KEY (iqm2_id, record_id) REFERENCES council.record (iqm2_id, record_id);

-- Tables for the search in printed texts: pages of minutes, motions, and the words with which the
-- search compares unknown words.
--
-- Triggers fill page and word, because the previous release writes documents while this one is
-- rolled out, and the search must find these documents too. Both tables are derived from
-- document_text, item and member.

CREATE EXTENSION IF NOT EXISTS pg_trgm; -- part of Postgres, and trusted: the owner of a database may create the extension

-- The pages of the texts of documents. Readers see only pages of the minutes from which the votes
-- of a meeting were read (meeting.minutes_id).
CREATE TABLE council.page (
  document_id bigint NOT NULL REFERENCES council.document ON DELETE CASCADE,
  page        integer NOT NULL CHECK (page > 0),
  text        text NOT NULL,
  search      tsvector NOT NULL,                      -- from the folded text
  PRIMARY KEY (document_id, page),
  body_ids    bigint[] NOT NULL DEFAULT '{1}'         -- bodies whose meetings have the document as minutes, in ascending order
);
CREATE INDEX page_search ON council.page USING gin (search);

CREATE INDEX vote_search ON council.vote USING gin (to_tsvector('english', council.fold(motion_text)));

-- Every word of at least four letters in a page, a title or a name, without accents and in lower
-- case. A word stays even if its last text is removed; a search for the word then finds nothing.
CREATE TABLE council.word (
  word text COLLATE "C" PRIMARY KEY
);
CREATE INDEX word_similar ON council.word USING gin (word gin_trgm_ops);

-- learn adds the words of folded texts, in sorted order, so that two writers do not deadlock.
-- +goose StatementBegin
CREATE FUNCTION council.learn(texts text[]) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO council.word
  SELECT DISTINCT found.word
  FROM unnest(texts) AS t (text), unnest(tsvector_to_array(to_tsvector('simple', t.text))) AS found (word)
  WHERE found.word ~ '^[[:alpha:]]{4,40}$' AND NOT EXISTS (SELECT FROM council.word w WHERE w.word = found.word)
  ORDER BY 1
  ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd

-- split_pages splits the text of a document into pages. It omits text that is too long for a
-- full-text index: no page of minutes has 100,000 characters, and no document has 20,000 pages.
-- +goose StatementBegin
CREATE FUNCTION council.split_pages() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE nothing text;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.text IS NOT DISTINCT FROM OLD.text THEN
    RETURN NULL;
  END IF;
  DELETE FROM council.page WHERE document_id = NEW.document_id;
  WITH folded AS MATERIALIZED (
    SELECT t.page, t.text, council.fold(left(t.text, 100000)) AS plain
    FROM string_to_table(NEW.text, E'\f') WITH ORDINALITY AS t (text, page)
    WHERE t.page <= 20000
  ), pages AS (
    INSERT INTO council.page (document_id, page, text, search)
    SELECT NEW.document_id, page, left(text, 100000), to_tsvector('english', plain) FROM folded
  )
  SELECT council.learn(array_agg(plain)) INTO STRICT nothing FROM folded;
  RETURN NULL;
END
$$;

CREATE FUNCTION council.learn_titles() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.learn(array_agg(council.fold(title))) FROM new_rows;
  RETURN NULL;
END
$$;

CREATE FUNCTION council.learn_names() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.learn(array_agg(council.fold(full_name))) FROM new_rows;
  RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER split_pages AFTER INSERT OR UPDATE OF text ON council.document_text
  FOR EACH ROW EXECUTE FUNCTION council.split_pages();
CREATE TRIGGER learn_titles AFTER INSERT ON council.item
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION council.learn_titles();
CREATE TRIGGER learn_new_titles AFTER UPDATE ON council.item
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION council.learn_titles();
CREATE TRIGGER learn_names AFTER INSERT ON council.member
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION council.learn_names();

-- The bodies of a town: its council, commissions, committees and boards. Body 1 is nearly
-- always the council, and the default of body_id.

-- slug returns the form of a name in addresses: "planning-commission".
-- +goose StatementBegin
CREATE FUNCTION council.slug(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN trim(BOTH '-' FROM regexp_replace(lower(council.fold($1)), '[^[:alnum:]]+', '-', 'g'));
-- +goose StatementEnd

CREATE TABLE council.body (
  body_id    bigint GENERATED BY DEFAULT AS IDENTITY (START WITH 2) PRIMARY KEY,
  slug       text NOT NULL UNIQUE,                    -- never changes, but is '' until body 1 has a meeting
  name       text NOT NULL,
  kind       text,                                    -- the portal's word for the kind, such as Committee
  first_seen timestamptz NOT NULL DEFAULT now(),
  checked_at timestamptz,                             -- when the calendar of the body was last read
  problem    text                                     -- why the last ingest could not read all meetings of the body; NULL if it could
);
INSERT INTO council.body (body_id, slug, name) VALUES (1, '', '');

-- A joint meeting ("City Council & Planning Commission") has a separate body, which consists of
-- other bodies.
CREATE TABLE council.body_part (
  body_id bigint NOT NULL REFERENCES council.body ON DELETE CASCADE,
  part_id bigint NOT NULL REFERENCES council.body ON DELETE CASCADE,
  PRIMARY KEY (body_id, part_id),
  CHECK (body_id <> part_id)
);

-- The keys of bodies in calendars: the portal's id of a body ("#138") or a folded spelling of its
-- name. Keys are permanent. body_id is NULL if the body is in the calendar but not in council.yaml.
CREATE TABLE council.body_key (
  source     text NOT NULL,                           -- as in council.meeting_key
  key        text NOT NULL,
  name       text NOT NULL,                           -- as the portal writes it
  body_id    bigint REFERENCES council.body,
  first_seen timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, key)
);

-- Each row below a meeting has the meeting's body. The foreign keys check new rows only; the
-- defaults are correct for old rows.
ALTER TABLE council.meeting
  ADD FOREIGN KEY (body_id) REFERENCES council.body NOT VALID;
CREATE UNIQUE INDEX meeting_body_copy ON council.meeting (iqm2_id, body_id);
ALTER TABLE council.item
  ADD FOREIGN KEY (iqm2_id, body_id) REFERENCES council.meeting (iqm2_id, body_id) ON UPDATE CASCADE ON DELETE CASCADE NOT VALID;
ALTER TABLE council.vote
  ADD FOREIGN KEY (iqm2_id, body_id) REFERENCES council.meeting (iqm2_id, body_id) ON UPDATE CASCADE ON DELETE CASCADE NOT VALID;
ALTER TABLE council.vote_position
  ADD FOREIGN KEY (iqm2_id, body_id) REFERENCES council.meeting (iqm2_id, body_id) ON UPDATE CASCADE ON DELETE CASCADE NOT VALID;
ALTER TABLE council.attendance
  ADD FOREIGN KEY (iqm2_id, body_id) REFERENCES council.meeting (iqm2_id, body_id) ON UPDATE CASCADE ON DELETE CASCADE NOT VALID;
ALTER TABLE council.anomaly
  ADD FOREIGN KEY (iqm2_id, body_id) REFERENCES council.meeting (iqm2_id, body_id) ON UPDATE CASCADE ON DELETE CASCADE NOT VALID;

-- The member that a name means on a body. One person can be on several bodies. Another person with
-- the same name on another body is another member; the name_key of that member is the folded name,
-- "|" and the slug of the body where the member was first seen. attendance.name_key is the member's
-- name_key.
CREATE TABLE council.member_body (
  body_id   bigint NOT NULL REFERENCES council.body,
  name_key  text NOT NULL,                            -- the folded name, without a body
  member_id bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  iqm2_id   bigint,                                   -- the first meeting with the name, which gets the anomaly if the person is uncertain; NULL if unknown
  PRIMARY KEY (body_id, name_key)
);
CREATE INDEX member_body_member ON council.member_body (member_id);
CREATE INDEX member_body_name   ON council.member_body (name_key);

-- A member that is added without a body is of body 1.
-- +goose StatementBegin
CREATE FUNCTION council.add_member_body() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO council.member_body (body_id, name_key, member_id) VALUES (1, NEW.name_key, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER add_member_body AFTER INSERT ON council.member
  FOR EACH ROW WHEN (NEW.name_key NOT LIKE '%|%') EXECUTE FUNCTION council.add_member_body();

-- The portal's ids of people. Rows are permanent.
CREATE TABLE council.person_key (
  source    text NOT NULL,
  key       text NOT NULL,
  member_id bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  PRIMARY KEY (source, key)
);
CREATE INDEX person_key_member ON council.person_key (member_id);

-- Each tally counts one body. member_tally and pair_tally have the tallies of body 1.
CREATE TABLE council.body_member_tally (
  member_id bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  topic     text NOT NULL,
  position  text NOT NULL,
  votes     bigint NOT NULL,
  dissents  bigint NOT NULL,
  body_id   bigint NOT NULL DEFAULT 1,
  UNIQUE (member_id, topic, position, body_id)
) PARTITION BY LIST (body_id);
ALTER TABLE council.body_member_tally ATTACH PARTITION council.member_tally FOR VALUES IN (1);
CREATE TABLE council.member_tally_other PARTITION OF council.body_member_tally DEFAULT;

CREATE TABLE council.body_pair_tally (
  member_id   bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  other_id    bigint NOT NULL REFERENCES council.member ON DELETE CASCADE,
  via_consent boolean NOT NULL,
  shared      bigint NOT NULL,
  agreed      bigint NOT NULL,
  body_id     bigint NOT NULL DEFAULT 1,
  UNIQUE (member_id, other_id, via_consent, body_id)
) PARTITION BY LIST (body_id);
ALTER TABLE council.body_pair_tally ATTACH PARTITION council.pair_tally FOR VALUES IN (1);
CREATE TABLE council.pair_tally_other PARTITION OF council.body_pair_tally DEFAULT;

-- Indexes for lists of one body. Lists of all bodies use the earlier indexes.
CREATE INDEX meeting_body ON council.meeting (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX item_body    ON council.item (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_body    ON council.vote (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX anomaly_body ON council.anomaly (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX change_body  ON council.change (body_id, change_id DESC);

-- Counts and searches in one body cost as much as in a database with only that body.
CREATE INDEX item_body_day   ON council.item (body_id, topic, meeting_date);
CREATE INDEX vote_body_split ON council.vote (body_id, topic) WHERE NOT unanimous;

-- A full-text index cannot begin with the body. Body 1 is nearly always the council, which has most
-- items.
CREATE INDEX item_search_council ON council.item USING gin (search) WHERE body_id = 1;
CREATE INDEX item_search_other   ON council.item USING gin (search) WHERE body_id <> 1;

-- Pages of minutes have the ids of their bodies, so that a search in one body reads only the pages
-- of that body. Triggers fill body_ids, like the rest of the table.

-- +goose StatementBegin
CREATE FUNCTION council.set_page_bodies(documents bigint[]) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
  UPDATE council.page p SET body_ids = d.body_ids
  FROM (SELECT n.document_id, array_agg(DISTINCT m.body_id ORDER BY m.body_id) AS body_ids
        FROM council.minutes n JOIN council.meeting m USING (iqm2_id)
        WHERE n.document_id = ANY (documents) GROUP BY n.document_id) d
  WHERE p.document_id = d.document_id AND p.body_ids <> d.body_ids;
END;

CREATE FUNCTION council.set_document_bodies() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.set_page_bodies(ARRAY[coalesce(NEW.document_id, OLD.document_id)]);
  RETURN NULL;
END
$$;

CREATE FUNCTION council.set_meeting_bodies() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.set_page_bodies(ARRAY(SELECT document_id FROM council.minutes WHERE iqm2_id = NEW.iqm2_id));
  RETURN NULL;
END
$$;
-- +goose StatementEnd

-- This trigger must run after split_pages; triggers of a table run in the order of their names.
CREATE TRIGGER split_pages_bodies AFTER INSERT OR UPDATE OF text ON council.document_text
  FOR EACH ROW EXECUTE FUNCTION council.set_document_bodies();
CREATE TRIGGER page_bodies AFTER INSERT OR DELETE ON council.minutes
  FOR EACH ROW EXECUTE FUNCTION council.set_document_bodies();
CREATE TRIGGER page_bodies AFTER UPDATE OF body_id ON council.meeting
  FOR EACH ROW WHEN (OLD.body_id <> NEW.body_id) EXECUTE FUNCTION council.set_meeting_bodies();

-- Searches, counts and lists of members of one body cost as much as in a database with only that
-- body.
CREATE INDEX page_search_council ON council.page USING gin (search) WHERE 1::bigint = ANY (body_ids);
CREATE INDEX page_search_other   ON council.page USING gin (search) WHERE body_ids <> '{1}';
CREATE INDEX vote_search_council ON council.vote USING gin (to_tsvector('english', council.fold(motion_text))) WHERE body_id = 1;
CREATE INDEX vote_search_other   ON council.vote USING gin (to_tsvector('english', council.fold(motion_text))) WHERE body_id <> 1;

CREATE INDEX meeting_body_counts ON council.meeting (body_id) INCLUDE (meeting_date, status, item_count, vote_count);
CREATE INDEX anomaly_body_kind   ON council.anomaly (body_id, kind, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX anomaly_body_count  ON council.anomaly (body_id, kind);

-- To count the motions of a member in one body, and to list the member's votes there.
CREATE INDEX vote_mover_body     ON council.vote (mover_id, body_id, meeting_date);
CREATE INDEX vote_seconder_body  ON council.vote (seconder_id, body_id, meeting_date);
CREATE INDEX vote_position_body  ON council.vote_position (member_id, body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC);


-- One form of a vote in JSON: that of council.Vote in Go, as `townline council parse` prints it, with
-- the roll as a list in printed order.
--
-- council.uncorrected replaces council.laid, and the column missing of council.correction replaces
-- vote. Programs of the previous version still use the old forms, so triggers keep both equal while
-- such programs run.

-- The missing vote of a correction in the new form.
CREATE FUNCTION council.missing_of(vote jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (vote - 'ayes' - 'nays' - 'roll') || jsonb_build_object('motion_seq', 0, 'ayes_count', vote->'ayes', 'nays_count', vote->'nays',
  'unanimous', false, 'positions', vote->'roll');

-- The missing vote of a correction in the form of the previous version, in which exports publish it.
CREATE FUNCTION council.published_missing(missing jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (missing - 'motion_seq' - 'ayes_count' - 'nays_count' - 'unanimous' - 'positions')
  || jsonb_build_object('ayes', missing->'ayes_count', 'nays', missing->'nays_count', 'roll', missing->'positions');

-- +goose StatementBegin
CREATE FUNCTION council.keep_missing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.missing IS NULL THEN
    new.missing := council.missing_of(new.vote);
  ELSE
    new.vote := council.published_missing(new.missing);
  END IF;
  RETURN new;
END $$;
-- +goose StatementEnd
CREATE TRIGGER correction_missing BEFORE INSERT ON council.correction FOR EACH ROW EXECUTE FUNCTION council.keep_missing();

-- For each meeting with corrections: its rows as they are without corrections. A later parse is
-- compared with these rows, to keep ids and to find differences. council-ingest writes the table.
CREATE TABLE council.uncorrected (
  iqm2_id       bigint PRIMARY KEY,
  correction_id bigint NOT NULL,                      -- the newest correction that was applied; newer ones are waiting
  meeting_rows  jsonb NOT NULL                        -- items and votes with their rolls; services/council-ingest/internal/merge, meeting.go
);

-- In the form of council.laid, people are indexes into a list of names, from 1.
CREATE FUNCTION council.uncorrected_of(reading jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN jsonb_build_object(
  'items', (SELECT coalesce(jsonb_agg(jsonb_build_object(
      'id', i->'ID', 'ord', i->'Ord', 'item_number', i->'ItemNumber', 'file_number', i->'FileNumber', 'section', i->'Section', 'title', i->'Title',
      'is_consent', i->'IsConsent', 'page', i->'SourcePage', 'votes', NULL, 'legifile_id', i->'LegifileID', 'url', i->'SourceURL') ORDER BY n), '[]')
    FROM jsonb_array_elements(nullif(reading->'Items', 'null')) WITH ORDINALITY AS items(i, n)),
  'votes', (SELECT coalesce(jsonb_agg(jsonb_build_object(
      'id', v->'ID', 'item_id', v->'ItemID', 'ord', v->'Ord', 'motion_seq', v->'MotionSeq', 'motion_text', v->'MotionText', 'result_raw', v->'ResultRaw',
      'result', v->'Result', 'ayes_count', v->'AyesCount', 'nays_count', v->'NaysCount', 'unanimous', v->'Unanimous', 'via_consent', v->'ViaConsent',
      'page', v->'SourcePage', 'mover', reading->'Names'->(nullif((v->>'MoverID')::integer, 0) - 1), 'seconder', reading->'Names'->(nullif((v->>'SeconderID')::integer, 0) - 1),
      'positions', (SELECT jsonb_agg(jsonb_build_object('member', reading->'Names'->((p->>'MemberID')::integer - 1), 'position', p->'Position') ORDER BY k)
                    FROM jsonb_array_elements(nullif(reading->'Rolls', 'null')) WITH ORDINALITY AS rolls(p, k) WHERE p->'VoteID' = v->'ID'),
      'parse_source', v->'ParseSource', 'origin', v->'Origin') ORDER BY n), '[]')
    FROM jsonb_array_elements(nullif(reading->'Votes', 'null')) WITH ORDINALITY AS votes(v, n)));

CREATE FUNCTION council.laid_of(meeting_rows jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  WITH vote AS (SELECT v, n FROM jsonb_array_elements(nullif(meeting_rows->'votes', 'null')) WITH ORDINALITY AS votes(v, n)),
       position AS (SELECT v->'id' AS vote, n, p, k FROM vote, jsonb_array_elements(nullif(v->'positions', 'null')) WITH ORDINALITY AS positions(p, k)),
       name AS (SELECT name, row_number() OVER (ORDER BY name) AS id
                FROM (SELECT v->>'mover' AS name FROM vote UNION SELECT v->>'seconder' FROM vote UNION SELECT p->>'member' FROM position) n WHERE name IS NOT NULL)
  SELECT jsonb_build_object(
    'Items', (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'ID', i->'id', 'Ord', i->'ord', 'ItemNumber', i->'item_number', 'FileNumber', i->'file_number', 'Section', i->'section', 'Title', i->'title',
        'IsConsent', i->'is_consent', 'SourcePage', i->'page', 'LegifileID', i->'legifile_id', 'SourceURL', i->'url') ORDER BY n), '[]')
      FROM jsonb_array_elements(nullif(meeting_rows->'items', 'null')) WITH ORDINALITY AS items(i, n)),
    'Votes', (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'ID', v->'id', 'ItemID', v->'item_id', 'Ord', v->'ord', 'MotionSeq', v->'motion_seq', 'MotionText', v->'motion_text', 'ResultRaw', v->'result_raw',
        'Result', v->'result', 'AyesCount', v->'ayes_count', 'NaysCount', v->'nays_count', 'Unanimous', v->'unanimous', 'ViaConsent', v->'via_consent',
        'SourcePage', v->'page', 'MoverID', coalesce((SELECT id FROM name WHERE name = v->>'mover'), 0),
        'SeconderID', coalesce((SELECT id FROM name WHERE name = v->>'seconder'), 0),
        'ParseSource', v->'parse_source', 'Origin', v->'origin') ORDER BY n), '[]') FROM vote),
    'Rolls', (SELECT coalesce(jsonb_agg(jsonb_build_object('VoteID', vote, 'MemberID', id, 'Position', p->'position') ORDER BY n, k), '[]')
              FROM position JOIN name ON name = p->>'member'),
    'Names', (SELECT coalesce(jsonb_agg(name ORDER BY id), '[]') FROM name)));

-- +goose StatementBegin
CREATE FUNCTION council.keep_uncorrected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO council.uncorrected (iqm2_id, correction_id, meeting_rows) VALUES (new.iqm2_id, new.correction_id, council.uncorrected_of(new.reading))
  ON CONFLICT (iqm2_id) DO UPDATE SET correction_id = excluded.correction_id, meeting_rows = excluded.meeting_rows;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION council.keep_laid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO council.laid (iqm2_id, correction_id, reading) VALUES (new.iqm2_id, new.correction_id, council.laid_of(new.meeting_rows))
  ON CONFLICT (iqm2_id) DO UPDATE SET correction_id = excluded.correction_id, reading = excluded.reading;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- Only the trigger of the table that a program writes runs.
CREATE TRIGGER laid_uncorrected AFTER INSERT OR UPDATE ON council.laid FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION council.keep_uncorrected();
CREATE TRIGGER uncorrected_laid AFTER INSERT OR UPDATE ON council.uncorrected FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION council.keep_laid();

-- The state of each correction. If several correct the same value, the newest that is not withdrawn
-- is in force. published says among which corrections: true for those that readers see, false for
-- all.
CREATE VIEW council.correction_state AS
SELECT c.correction_id, h.published, w.correction_id AS withdrawn_by,
       CASE WHEN w.correction_id IS NOT NULL THEN 'withdrawn'
            WHEN EXISTS (SELECT FROM council.correction n
                         WHERE n.iqm2_id = c.iqm2_id AND n.correction_id > c.correction_id AND n.correction_id <= h.newest AND n.kind = c.kind
                           AND n.item_id IS NOT DISTINCT FROM c.item_id AND n.vote_id IS NOT DISTINCT FROM c.vote_id AND n.member_key IS NOT DISTINCT FROM c.member_key
                           AND NOT EXISTS (SELECT FROM council.correction x WHERE x.withdraws = n.correction_id AND x.correction_id <= h.newest)) THEN 'superseded'
            ELSE 'in_force' END AS state
FROM council.correction c
CROSS JOIN LATERAL (
  SELECT false AS published, 9223372036854775807 AS newest
  UNION ALL
  SELECT true, l.correction_id FROM council.uncorrected l WHERE l.iqm2_id = c.iqm2_id) h
LEFT JOIN council.correction w ON w.withdraws = c.correction_id AND w.correction_id <= h.newest
WHERE c.kind <> 'withdrawn' AND c.correction_id <= h.newest;

-- The corrections in force. If several correct the same value, the newest that is not withdrawn is
-- in force; 0016_standing.sql is the present form.
CREATE VIEW council.correction_standing AS
SELECT c.correction_id, c.kind, c.iqm2_id, c.item_id, c.vote_id, c.member, c.was, c.becomes, c.vote, c.anomaly_id, c.document_id, c.rests_on, c.author, c.reason, c.made_at,
       s.withdrawn_by, s.state
FROM council.correction c
JOIN council.correction_state s USING (correction_id)
WHERE NOT s.published;

-- What corrections answer, how they read in one line, and words of a search with their endings.

-- The anomalies that corrections in force answer: those that a correction names, and those of a
-- corrected vote whose rule holds for the vote as it is published now.
CREATE VIEW council.answered AS
SELECT s.anomaly_id FROM council.correction_standing s WHERE s.state = 'in_force' AND s.anomaly_id IS NOT NULL
UNION ALL
SELECT a.id
FROM council.anomaly a
JOIN council.vote v ON v.item_id = a.item_id AND v.motion_seq = a.motion_seq
JOIN council.correction_standing s ON s.vote_id = v.id AND s.state = 'in_force'
WHERE CASE a.code
  WHEN 'tally-mismatch' THEN (v.ayes_count, v.nays_count) = (
    SELECT count(*) FILTER (WHERE p.position = 'aye'), count(*) FILTER (WHERE p.position = 'nay')
    FROM council.vote_position p WHERE p.vote_id = v.id)
  WHEN 'result-contradicts-counts' THEN NOT (v.result = 'adopted' AND v.nays_count > 0 AND v.nays_count >= v.ayes_count
    OR v.result = 'failed' AND v.ayes_count > v.nays_count)
  WHEN 'record-contradicts-itself' THEN NOT (v.result = 'adopted' AND v.nays_count >= v.ayes_count
    OR v.result = 'failed' AND v.ayes_count > v.nays_count)
  WHEN 'unanimous-mismatch' THEN v.unanimous
  WHEN 'mover-missing' THEN v.mover_id IS NOT NULL
  WHEN 'seconder-missing' THEN v.seconder_id IS NOT NULL
  WHEN 'names-missing' THEN EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id)
  WHEN 'record-without-positions' THEN EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id)
  WHEN 'roll-withheld' THEN EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id)
  WHEN 'member-uncounted' THEN s.kind = 'position' AND strpos(a.message, s.member) > 0 AND s.becomes IS NOT NULL
  WHEN 'member-twice' THEN s.kind = 'position' AND strpos(a.message, s.member) > 0
  WHEN 'unknown-vote-word' THEN s.kind = 'position' AND strpos(a.message, s.member) > 0
  ELSE false END;

-- The corrections in force of a vote as one line, for feeds and tables.
CREATE VIEW council.vote_correction AS
SELECT s.vote_id, string_agg(format('%s: %s → %s (%s, %s: %s)', coalesce(s.member, replace(s.kind, '_', ' ')),
         coalesce(s.was, '–'), coalesce(s.becomes, '–'), s.author,
         to_char(s.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), s.reason), '; ' ORDER BY s.correction_id) AS corrections
FROM council.correction_standing s
WHERE s.state = 'in_force' AND s.vote_id IS NOT NULL
GROUP BY s.vote_id;

-- widen adds to each wanted word of a search the noun that English makes of a short verb, which the
-- dictionary keeps apart: rent finds Rental, ship finds Shipment.
CREATE FUNCTION council.widen(q tsquery) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(q::text, '(?<!!)''([a-z]{3,8})''', '(''\1'' | ''\1al'' | ''\1ment'')', 'g')::tsquery;

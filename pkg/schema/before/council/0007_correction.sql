-- +goose Up
--
-- Contributions of people: corrections of votes, and reviews of anomalies. pkg/clerk writes and
-- reads both tables.
--
-- Both tables only grow: the database refuses to change or remove rows. A new row withdraws a
-- correction or undoes a review. The role of the clerk can add rows here and needs no permission
-- for any other table. council-ingest applies the corrections to the rows that it reads
-- (services/council-ingest/internal/merge, overlay.go), and the API shows them.

CREATE TABLE council.correction (
  correction_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind          text NOT NULL CHECK (kind IN ('title', 'result', 'mover', 'seconder', 'ayes', 'nays', 'position', 'vote_missing', 'vote_doubled', 'withdrawn')),
  iqm2_id       bigint NOT NULL,                        -- the meeting; there are no foreign keys, so a correction stays when the corrected rows are removed
  item_id       bigint,                                 -- for a correction of a title, or a missing vote
  vote_id       bigint,                                 -- for all corrections except those of titles; a missing vote gets this id
  member        text,                                   -- name of the member, for a correction of a position
  member_key    text,                                   -- the name folded by pkg/council
  was           text,                                   -- the value that was read when the correction was made; NULL if there was no name. For a missing or doubled vote: the number of votes of the item that were read
  becomes       text,                                   -- the value that is published instead; NULL for no name
  vote          jsonb,                                  -- the whole missing vote; clerk.NewVote
  withdraws     bigint UNIQUE REFERENCES council.correction,
  anomaly_id    bigint,                                 -- the anomaly that the correction answers, if any
  document_id   bigint,                                 -- the archived minutes that were read wrongly
  rests_on      text NOT NULL CHECK (rests_on <> ''),   -- the document that shows the correct value, in the author's words
  author        text NOT NULL CHECK (author <> ''),
  reason        text NOT NULL CHECK (reason <> ''),
  made_at       timestamptz NOT NULL,
  CHECK ((kind = 'withdrawn') = (withdraws IS NOT NULL)),
  CHECK ((kind = 'position') = (member IS NOT NULL) AND (member IS NULL) = (member_key IS NULL)),
  CHECK ((kind = 'vote_missing') = (vote IS NOT NULL)),
  CHECK (kind NOT IN ('title', 'vote_missing') OR item_id IS NOT NULL),
  CHECK (kind IN ('title', 'withdrawn') OR vote_id IS NOT NULL)
);
CREATE INDEX correction_meeting ON council.correction (iqm2_id, correction_id);
CREATE INDEX correction_vote    ON council.correction (vote_id) WHERE vote_id IS NOT NULL;
CREATE INDEX correction_item    ON council.correction (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX correction_anomaly ON council.correction (anomaly_id) WHERE anomaly_id IS NOT NULL;

-- The corrections in force. If several correct the same value, the newest that is not withdrawn is
-- in force; 0016_standing.sql is the present form.
CREATE VIEW council.correction_standing AS
SELECT c.correction_id, c.kind, c.iqm2_id, c.item_id, c.vote_id, c.member, c.was, c.becomes, c.vote, c.anomaly_id, c.document_id, c.rests_on, c.author, c.reason, c.made_at,
       w.correction_id AS withdrawn_by,
       CASE WHEN w.correction_id IS NOT NULL THEN 'withdrawn'
            WHEN EXISTS (SELECT FROM council.correction n
                         WHERE n.iqm2_id = c.iqm2_id AND n.correction_id > c.correction_id AND n.kind = c.kind AND n.item_id IS NOT DISTINCT FROM c.item_id
                           AND n.vote_id IS NOT DISTINCT FROM c.vote_id AND n.member_key IS NOT DISTINCT FROM c.member_key
                           AND NOT EXISTS (SELECT FROM council.correction x WHERE x.withdraws = n.correction_id)) THEN 'superseded'
            ELSE 'in_force' END AS state
FROM council.correction c
LEFT JOIN council.correction w ON w.withdraws = c.correction_id
WHERE c.kind <> 'withdrawn';

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

-- The last review that readers were notified of.
ALTER TABLE council.dataset ADD COLUMN review_id bigint NOT NULL DEFAULT 0;

-- The correction that made a change; NULL when a document or a reading did.
ALTER TABLE council.change ADD COLUMN correction_id bigint;

-- To find votes by only one number of the tally (/votes?ayes=, ?nays=).
CREATE INDEX vote_ayes ON council.vote (ayes_count, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_nays ON council.vote (nays_count, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);

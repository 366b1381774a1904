-- +goose Up
--
-- What changed, when and why: a public record of every correction (the API's /changes).
--
-- A published vote that reads differently now has a row here with the values before and after. Rows are written by the merge in
-- the transaction that makes the change (services/council-ingest/internal/merge, change.go; meetings by internal/archive), are never altered, and
-- stay when the rows that they describe are removed, so there are no foreign keys. The writer holds the lock of the dataset when it draws change_id: its order is that of the commits.

CREATE TABLE council.change (
  change_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('meeting_added', 'meeting_status', 'vote_added', 'vote_changed', 'vote_removed', 'member_added', 'member_removed')),
  iqm2_id     bigint,                                  -- the meeting; of a member, the one whose minutes made or unmade the name
  vote_id     bigint,
  member_id   bigint,
  document_id bigint,                                  -- the minutes that "after" was read from; NULL when none were
  before      jsonb,                                   -- what a reader saw; NULL for what was added
  after       jsonb,                                   -- what a reader sees since; NULL for what was removed
  reason      text NOT NULL,                           -- in words
  run_id      text NOT NULL,                           -- the ingest or re-parse that made the change
  changed_at  timestamptz NOT NULL
);
CREATE INDEX change_kind    ON council.change (kind, change_id DESC);
CREATE INDEX change_meeting ON council.change (iqm2_id, change_id DESC);
CREATE INDEX change_vote    ON council.change (vote_id, change_id DESC) WHERE vote_id IS NOT NULL;
CREATE INDEX change_time    ON council.change (changed_at, change_id DESC);

-- A vote as readers see it, without what a machine adds (topic) and what moves by itself (ids of rows, times). Two equal readings are no change.
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

-- The history of meetings has been kept since the first day.
INSERT INTO council.change (kind, iqm2_id, before, after, reason, run_id, changed_at)
SELECT CASE WHEN from_status IS NULL THEN 'meeting_added' ELSE 'meeting_status' END, iqm2_id,
       CASE WHEN from_status IS NOT NULL THEN jsonb_build_object('status', from_status) END, jsonb_build_object('status', to_status),
       reason, 'before-changes-were-kept', changed_at
FROM council.status_change
ORDER BY changed_at, iqm2_id, seq;

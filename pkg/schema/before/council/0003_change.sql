-- +goose Up
--
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
  changed_at  timestamptz NOT NULL
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

-- Meetings have had their history from the beginning, in council.status_change.
INSERT INTO council.change (kind, iqm2_id, before, after, reason, run_id, changed_at)
SELECT CASE WHEN from_status IS NULL THEN 'meeting_added' ELSE 'meeting_status' END, iqm2_id,
       CASE WHEN from_status IS NOT NULL THEN jsonb_build_object('status', from_status) END, jsonb_build_object('status', to_status),
       reason, 'before-changes-were-kept', changed_at
FROM council.status_change
ORDER BY changed_at, iqm2_id, seq;

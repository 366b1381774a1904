-- +goose Up
--
-- Searches, counts and lists of members of one body cost as much as in a database with only that
-- body.
UPDATE council.page p SET body_ids = d.body_ids
FROM (SELECT n.document_id, array_agg(DISTINCT m.body_id ORDER BY m.body_id) AS body_ids
      FROM council.minutes n JOIN council.meeting m USING (iqm2_id) GROUP BY n.document_id) d
WHERE p.document_id = d.document_id AND p.body_ids <> d.body_ids;

-- Body 1 is nearly always the council; see 0012.
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

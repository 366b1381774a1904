-- +goose Up
--
-- One definition of which correction is in force.

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
  SELECT true, l.correction_id FROM council.laid l WHERE l.iqm2_id = c.iqm2_id) h
LEFT JOIN council.correction w ON w.withdraws = c.correction_id AND w.correction_id <= h.newest
WHERE c.kind <> 'withdrawn' AND c.correction_id <= h.newest;

CREATE OR REPLACE VIEW council.correction_standing AS
SELECT c.correction_id, c.kind, c.iqm2_id, c.item_id, c.vote_id, c.member, c.was, c.becomes, c.vote, c.anomaly_id, c.document_id, c.rests_on, c.author, c.reason, c.made_at,
       s.withdrawn_by, s.state
FROM council.correction c
JOIN council.correction_state s USING (correction_id)
WHERE NOT s.published;

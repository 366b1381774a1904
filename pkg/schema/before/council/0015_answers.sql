-- +goose Up
--
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

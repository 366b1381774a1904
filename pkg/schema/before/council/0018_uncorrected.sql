-- +goose Up
--
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

ALTER TABLE council.correction ADD COLUMN missing jsonb; -- the whole missing vote; clerk.MissingVote

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

-- What people stated stays the same; only its form changes.
ALTER TABLE council.correction DISABLE TRIGGER correction_only_grows;
UPDATE council.correction SET missing = council.missing_of(vote) WHERE vote IS NOT NULL;
ALTER TABLE council.correction ENABLE TRIGGER correction_only_grows;

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

INSERT INTO council.uncorrected (iqm2_id, correction_id, meeting_rows)
SELECT iqm2_id, correction_id, council.uncorrected_of(reading) FROM council.laid;

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

CREATE OR REPLACE VIEW council.correction_state AS
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

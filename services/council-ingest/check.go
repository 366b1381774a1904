package councilingest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
)

// A rule finds stored rows that contradict each other or the API. It states in SQL what parser and
// merge ensure. It does not use their code, so that it can find errors there.
type rule struct {
	name string
	sql  string // selects the meeting and a description of each contradiction
}

// checkedVotes selects every vote and counts its roll call. noted has the codes of the anomalies of
// the vote and of its item. For a consent vote it has the codes of all items of the block, because
// a block is checked once. A voice vote names only members who abstain. A corrected vote may
// contradict the attendance.
const checkedVotes = `
	WITH v AS (
		SELECT v.*, EXISTS (SELECT FROM council.correction_standing s WHERE s.vote_id = v.id
		       AND s.state = 'in_force') AS corrected, i.item_number, r.ayes, r.nays, r.abstained,
		         r.ayes + r.nays + r.abstained AS named
		FROM council.vote v
		JOIN council.item i ON i.id = v.item_id
		CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE p.position = 'aye') AS ayes, count(*) FILTER (WHERE p.position = 'nay') AS nays,
			       count(*) FILTER (WHERE p.position = 'abstain') AS abstained
			FROM council.vote_position p WHERE p.vote_id = v.id) r),
	noted AS (
		SELECT v.id AS vote_id, a.code
		FROM council.vote v
		JOIN council.anomaly a ON a.iqm2_id = v.iqm2_id
		LEFT JOIN council.vote o ON o.item_id = a.item_id AND o.motion_seq = a.motion_seq
		WHERE a.item_id = v.item_id AND (a.motion_seq = v.motion_seq OR a.motion_seq IS NULL)
		   OR v.via_consent AND o.via_consent AND o.result_raw = v.result_raw AND o.source_page
		     IS NOT DISTINCT FROM v.source_page)`

const describeVote = `v.iqm2_id AS meeting,
	format('item %s, motion %s, %s: ', coalesce(v.item_number, '-'), v.motion_seq, v.result_raw)`

var rules = []rule{
	{"roll against tally", checkedVotes + `
		SELECT ` + describeVote + ` || format('%s ayes and %s nays named, %s and %s counted', v.ayes, v.nays, v.ayes_count,
			v.nays_count) AS what
		FROM v WHERE v.ayes + v.nays > 0 AND (v.ayes, v.nays) <> (v.ayes_count, v.nays_count)
		AND NOT EXISTS (SELECT FROM noted n WHERE n.vote_id = v.id AND n.code IN ('tally-mismatch', 'member-twice',
		  'correction-contradicts'))`},
	{"unanimous against roll", checkedVotes + `
		SELECT ` + describeVote + ` || format('unanimous is %s with %s ayes, %s nays, %s abstentions', v.unanimous, v.ayes,
			v.nays, v.abstained) AS what
		FROM v WHERE v.named > 0 AND v.unanimous <> (v.ayes > 0 AND v.nays = 0 AND v.abstained = 0)`},
	{"result against counts", checkedVotes + `
		SELECT ` + describeVote + ` || format('%s with %s ayes and %s nays', v.result, v.ayes_count, v.nays_count) AS what
		FROM v WHERE (v.result = 'adopted' AND v.nays_count > 0 AND v.nays_count >= v.ayes_count OR v.result = 'failed'
		  AND v.ayes_count > v.nays_count)
		AND NOT EXISTS (SELECT FROM noted n WHERE n.vote_id = v.id
		  AND n.code IN ('result-contradicts-counts', 'correction-contradicts', 'record-contradicts-itself'))`},
	{"mover and seconder", checkedVotes + `
		SELECT ` + describeVote + ` || CASE WHEN v.mover_id IS NULL THEN 'no mover' ELSE 'no seconder' END AS what
		FROM v WHERE (v.mover_id IS NULL AND (v.seconder_id IS NOT NULL OR v.named > 0
		  AND EXISTS (SELECT FROM council.vote o WHERE o.iqm2_id = v.iqm2_id AND o.mover_id IS NOT NULL))
		              OR v.mover_id IS NOT NULL AND v.seconder_id IS NULL)
		AND NOT EXISTS (SELECT FROM noted n WHERE n.vote_id = v.id AND n.code IN ('mover-missing', 'seconder-missing',
		  'mover-multiple', 'layout-unclear')) AND NOT v.corrected`},
	{"mover or seconder absent", checkedVotes + `
		SELECT ` + describeVote + ` || b.full_name || ' moved or seconded, and is absent' AS what
		FROM v
		JOIN council.vote_position p ON p.vote_id = v.id AND p.position = 'absent'
		  AND p.member_id IN (v.mover_id, v.seconder_id)
		JOIN council.member b ON b.id = p.member_id AND NOT v.corrected`},
	{"names on the roster", checkedVotes + `
		SELECT ` + describeVote + ` || b.full_name || ' votes and is not in the attendance' AS what
		FROM v
		JOIN council.vote_position p ON p.vote_id = v.id
		JOIN council.member b ON b.id = p.member_id
		WHERE EXISTS (SELECT FROM council.attendance a WHERE a.iqm2_id = v.iqm2_id)
		  AND NOT EXISTS (SELECT FROM council.attendance a WHERE a.iqm2_id = v.iqm2_id AND a.name_key = b.name_key)
		  AND NOT EXISTS (SELECT FROM noted n WHERE n.vote_id = v.id AND n.code IN ('member-unknown', 'member-ambiguous',
		    'name-misspelt', 'attendance-row-incomplete')) AND NOT v.corrected`},
	{"absent for the whole meeting", checkedVotes + `
		SELECT ` + describeVote + ` || b.full_name || ' votes and is absent by the attendance' AS what
		FROM v
		JOIN council.vote_position p ON p.vote_id = v.id AND p.position IN ('aye', 'nay', 'abstain')
		JOIN council.member b ON b.id = p.member_id
		JOIN council.attendance a ON a.iqm2_id = v.iqm2_id AND a.name_key = b.name_key AND a.status = 'Absent'
		WHERE NOT EXISTS (SELECT FROM noted n WHERE n.vote_id = v.id AND n.code IN ('attendance-mismatch', 'member-twice'))
		  AND NOT v.corrected`},
	{"sum against attendance", checkedVotes + `
		SELECT ` + describeVote + ` || a.name || ' is present and in no row' AS what
		FROM v
		JOIN council.attendance a ON a.iqm2_id = v.iqm2_id AND a.status = 'Present'
		JOIN council.member b ON b.name_key = a.name_key
		WHERE v.ayes + v.nays > 0
		  AND EXISTS (SELECT FROM council.vote_position p JOIN council.vote o ON o.id = p.vote_id WHERE p.member_id = b.id
		    AND o.iqm2_id = v.iqm2_id)
		  AND NOT EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id AND p.member_id = b.id)
		  AND NOT EXISTS (SELECT FROM noted n WHERE n.vote_id = v.id AND n.code IN ('member-uncounted', 'tally-mismatch',
		    'member-unknown', 'member-ambiguous')) AND NOT v.corrected`},
	{"unreadable documents", `
		SELECT m.iqm2_id AS meeting, 'parse_error without an anomaly that says why' AS what
		FROM council.meeting m WHERE m.status = 'parse_error'
		AND NOT EXISTS (SELECT FROM council.anomaly a WHERE a.iqm2_id = m.iqm2_id AND (a.kind = 'error' OR a.code = 'votes-unread'))`},
	{"complete means archived", `
		SELECT m.iqm2_id AS meeting, 'status ' || m.status || ' and minutes do not agree' AS what
		FROM council.meeting m
		LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
		LEFT JOIN council.document_text t ON t.document_id = n.document_id
		WHERE (m.status = 'complete') <> (t.text IS NOT NULL AND t.error IS NULL AND m.minutes_id = m.latest_id
		    AND NOT (m.vote_count = 0 AND EXISTS (SELECT FROM council.anomaly a WHERE a.iqm2_id = m.iqm2_id
		      AND a.code = 'votes-unread')))
		  AND m.status <> 'cancelled'
		   OR m.vote_count > 0 AND t.text IS NULL AND m.record_id IS NULL`},
	{"status and history", `
		SELECT m.iqm2_id AS meeting, 'status ' || m.status || ' is not the last of its history' AS what
		FROM council.meeting m
		WHERE m.status IS DISTINCT FROM (SELECT to_status FROM council.status_change c WHERE c.iqm2_id = m.iqm2_id
		  ORDER BY seq DESC LIMIT 1)`},
	{"counts of meetings", `
		SELECT m.iqm2_id AS meeting, 'item_count or vote_count is not the number of rows' AS what
		FROM council.meeting m
		WHERE m.item_count <> (SELECT count(*) FROM council.item i WHERE i.iqm2_id = m.iqm2_id)
		   OR m.vote_count <> (SELECT count(*) FROM council.vote v WHERE v.iqm2_id = m.iqm2_id)`},
	{"topics of votes", `
		SELECT v.iqm2_id AS meeting, format('vote %s and its item %s have different topics', v.id, v.item_id) AS what
		FROM council.vote v JOIN council.item i ON i.id = v.item_id
		WHERE v.topic IS DISTINCT FROM i.topic OR v.iqm2_id <> i.iqm2_id`},
	{"tallies of members", `
		WITH sums AS (SELECT member_id, topic, position, sum(votes)::bigint, sum(dissents)::bigint, body_id
		  FROM council.member_share GROUP BY member_id, topic, position, body_id)
		SELECT 0::bigint AS meeting, 'member ' || member_id || ': the kept tally is not the sum over votes' AS what
		FROM ((TABLE sums EXCEPT TABLE council.body_member_tally)
		  UNION ALL (TABLE council.body_member_tally EXCEPT TABLE sums)) x`},
	{"tallies of pairs", `
		WITH sums AS (SELECT member_id, other_id, via_consent, sum(shared)::bigint, sum(agreed)::bigint, body_id
		  FROM council.pair_share GROUP BY member_id, other_id, via_consent, body_id)
		SELECT 0::bigint AS meeting, format('members %s and %s: the kept tally is not the sum over votes', member_id,
		       other_id) AS what
		FROM ((TABLE sums EXCEPT TABLE council.body_pair_tally)
		  UNION ALL (TABLE council.body_pair_tally EXCEPT TABLE sums)) x`},
}

type contradiction struct {
	Meeting int64
	What    string
}

// Check finds contradictions in the stored votes for which there is no anomaly. wrong has a line
// for each and is never nil. votes is the number of all votes.
func Check(ctx context.Context, deps run.Deps) (wrong []string, votes int, err error) {
	wrong = []string{}
	err = pgx.BeginTxFunc(ctx, deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			for _, r := range rules {
				found, err := pg.List[contradiction](ctx, tx, r.sql+" ORDER BY meeting, what")
				if err != nil {
					return fmt.Errorf("check %s: %w", r.name, err)
				}
				for _, c := range found {
					wrong = append(wrong, fmt.Sprintf("%s: meeting %d: %s", r.name, c.Meeting, c.What))
				}
			}
			return tx.QueryRow(ctx, `SELECT count(*) FROM council.vote`).Scan(&votes)
		})
	return wrong, votes, err
}

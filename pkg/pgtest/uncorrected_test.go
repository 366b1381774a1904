package pgtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
)

// The votes that clerks added, and the rows without corrections, are rewritten once to the new form.
// Before and after, programs of the version before find the form that they wrote.
func TestStoredVotesAreRewritten(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool := open(t, url)
	migrateTo(t, pool, schema.Council, 17)
	const (
		missing = `{"motion_text": "to amend", "result": "failed", "result_raw": "FAILED [1 TO 2]", "ayes": 1, "nays": 2,
			"via_consent": false, "mover": "Ann Archer", "seconder": null, "page": 4,
			"roll": [{"member": "Ben Baker", "position": "nay"}, {"member": "Ann Archer", "position": "aye"}],
			"item": {"title": "Pier", "number": "7.", "file_number": null, "section": null, "consent": false, "after": 3}}`
		correct = `INSERT INTO council.correction (kind, iqm2_id, item_id, vote_id, vote, rests_on, author, reason, made_at)
			VALUES ('vote_missing', 7, 3, 9, '` + missing + `', 'page 4', 'Ann Clerk', 'not scanned', now())`
		lay = `INSERT INTO council.laid VALUES (7, 1, '{"Items": [{"ID": 3, "Ord": 1, "Title": "Pier"}], "Names": ["Ann"],
			"Votes": [{"ID": 9, "ItemID": 3, "Ord": 1, "MotionSeq": 1, "AyesCount": 1, "MoverID": 1}],
			"Rolls": [{"VoteID": 9, "MemberID": 1, "Position": "aye"}]}')`
	)
	execAll(t, pool, correct, lay)
	if err := schema.Migrate(t.Context(), url, schema.Council); err != nil {
		t.Fatal(err)
	}
	execAll(t, pool, correct) // by a program of the version before
	got, err := texts(t.Context(), pool, `
		SELECT concat_ws(' ', vote = '`+missing+`', missing->>'ayes_count', missing->>'nays_count',
		       missing->'positions'->0->>'member', missing->'item'->>'title', missing->>'page',
			missing ? 'roll') FROM council.correction
		UNION ALL
		SELECT concat_ws(' ', correction_id, meeting_rows->'items'->0->>'title', meeting_rows->'votes'->0->>'mover',
		       meeting_rows->'votes'->0->'positions'->0->>'position') FROM council.uncorrected`)
	want := []string{"t 1 2 Ben Baker Pier 4 f", "t 1 2 Ben Baker Pier 4 f", "1 Pier Ann aye"}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%s %v", d, err)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE council.correction SET reason = 'another'`); err == nil {
		t.Error("after the migration, corrections can be changed")
	}
}

package councilapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
)

// A wChange is an entry in the list of changes.
type wChange struct {
	id            int64
	kind          review.ChangeKind
	meeting       int64
	vote, member  int64 // 0 means none
	at            time.Time
	before, after *review.Reading
	fields        []string
}

// changes returns a possible history of the world: every vote was added, some votes were corrected,
// and some were removed.
func (w *world) changes() []wChange {
	var all []wChange
	add := func(c wChange) {
		c.id = int64(len(all) + 1)
		c.at = time.Date(2026, 1, 1+len(all)/7, len(all)%24, 0, 0, 0, time.UTC)
		all = append(all, c)
	}
	for _, m := range w.meetings {
		found := council.StatusDiscovered
		add(wChange{kind: "meeting_added", meeting: m.id, after: &review.Reading{Status: &found}})
	}
	for _, m := range w.members {
		add(wChange{kind: "member_added", meeting: w.meetings[0].id, member: m.id,
			after: &review.Reading{FullName: &m.name}})
	}
	for i := range w.votes {
		v := &w.votes[i]
		text, other := "RAW", "other text"
		seq := v.seq
		now := &review.Reading{ResultRaw: &text, MotionSeq: &seq, Result: &v.result, Positions: []civic.VotePosition{}}
		for _, p := range v.roll {
			now.Positions = append(now.Positions, civic.VotePosition{MemberID: p.member, MemberName: w.name(p.member),
				Position: p.position})
		}
		was := *now
		was.ResultRaw, was.MoverName = &other, &w.members[0].name
		if v.id%3 != 0 {
			add(wChange{kind: "vote_added", meeting: v.item.meeting.id, vote: v.id, after: now})
			continue
		}
		add(wChange{kind: "vote_added", meeting: v.item.meeting.id, vote: v.id, after: &was})
		add(wChange{kind: "vote_removed", meeting: v.item.meeting.id, vote: 1_000_000 + v.id, before: now})
		add(wChange{kind: "vote_changed", meeting: v.item.meeting.id, vote: v.id, before: &was, after: now,
			fields: []string{"mover_name", "result_raw"}})
	}
	return all
}

func (w *world) storeChanges(t testing.TB, db *pgxpool.Pool) {
	t.Helper()
	for _, c := range w.changes() {
		var texts [2]any
		for i, r := range []*review.Reading{c.before, c.after} {
			if r != nil {
				b, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				texts[i] = string(b)
			}
		}
		_, err := db.Exec(context.Background(), `
			INSERT INTO council.change (kind, iqm2_id, vote_id, member_id, document_id, before, after, reason, run_id,
			  changed_at)
			SELECT $1, $2, $3, $4, (SELECT n.document_id FROM council.minutes n WHERE n.iqm2_id = $2
			       AND $3::bigint IS NOT NULL), $5, $6, 'minutes replaced', 'run', $7`,
			c.kind, c.meeting, orNull(c.vote), orNull(c.member), texts[0], texts[1], c.at)
		if err != nil {
			t.Fatalf("store change %d: %v", c.id, err)
		}
	}
}

// Every filter of /changes, alone and combined with others, equals the same filter in Go.
func TestChangesFilters(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 7, 30)
	api := documented(t, testServer(t, reader))
	all := w.changes()
	filters := words("kind", kinds(), func(c wChange, k review.ChangeKind) bool { return c.kind == k })
	for _, day := range []int{1, 3, 9, 200} {
		since := time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
		filters = append(filters, filter[wChange]{"since", since.Format(time.DateOnly), func(c wChange) bool {
			return !c.at.Before(since)
		}})
	}
	for _, m := range w.meetings[:8] {
		filters = append(filters, filter[wChange]{"meeting_id", fmt.Sprint(m.id), func(c wChange) bool {
			return c.meeting == m.id
		}})
	}
	for _, v := range w.votes[:12] {
		filters = append(filters, filter[wChange]{"vote_id", fmt.Sprint(v.id), func(c wChange) bool {
			return c.vote == v.id
		}})
	}
	compare(t, api, rand.New(rand.NewPCG(1, 7)), "/v1/changes", "id", all, func(c wChange) int64 {
		return c.id
	}, func(a, b wChange) int { return cmp.Compare(b.id, a.id) }, filters)
}

func kinds() []review.ChangeKind {
	var list []review.ChangeKind
	for _, k := range review.ChangeKind("").Values() {
		list = append(list, review.ChangeKind(k))
	}
	return list
}

// A change has the values before and after. The proof of a vote has the history of the vote.
func TestCorrectedVoteHasItsHistory(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 7, 30)
	api := documented(t, testServer(t, reader))
	all := w.changes()
	corrected := 0
	for i := range w.votes {
		v := &w.votes[i]
		var page struct{ Data []review.Change }
		var vote struct {
			Proof struct {
				History    []review.VoteChange
				ChangesURL string `json:"changes_url"`
			}
		}
		api.Get(t, fmt.Sprintf("/v1/votes/%d", v.id)).JSON(t, &vote)
		if want := fmt.Sprintf("https://votes.example/v1/changes?vote_id=%d", v.id); vote.Proof.ChangesURL != want {
			t.Fatalf("changes_url %s, want %s", vote.Proof.ChangesURL, want)
		}
		api.Get(t, fmt.Sprintf("/v1/changes?vote_id=%d", v.id)).JSON(t, &page)
		want := slices.DeleteFunc(slices.Clone(all), func(c wChange) bool { return c.vote != v.id })
		slices.Reverse(want)
		if len(page.Data) != len(want) || len(vote.Proof.History) != len(want) {
			t.Fatalf("vote %d: %d changes, %d in its proof, want %d", v.id, len(page.Data), len(vote.Proof.History), len(want))
		}
		for j, c := range want {
			got, brief := page.Data[j], vote.Proof.History[j]
			if d := gocmp.Diff([]any{c.before, c.after}, []any{got.Before, got.After}); d != "" ||
				got.Reason != "minutes replaced" || got.MinutesSHA256 == nil || *got.MeetingID != c.meeting {
				t.Errorf("change %d: %+v\n%s", c.id, got, d)
			}
			if d := gocmp.Diff(brief, review.VoteChange{ID: c.id, Kind: c.kind, ChangedAt: got.ChangedAt,
				Reason: "minutes replaced", Fields: got.Fields}); d != "" || !slices.Equal(got.Fields, c.fields) {
				t.Errorf("change %d in the proof, fields %v: %s", c.id, got.Fields, d)
			}
		}
		if len(want) > 1 {
			corrected++
		}
	}
	if corrected < 5 {
		t.Errorf("only %d votes were corrected", corrected)
	}
}

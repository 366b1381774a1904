package merge

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

func randomMeeting(r *rand.Rand) rows {
	var out rows
	for i := range 2 + r.IntN(3) {
		it := itemRow{ID: int64(i + 1), Ord: i + 1, Item: record.Item{Title: fmt.Sprint("Item ", i)}}
		out.items = append(out.items, it)
		for s := range r.IntN(4) {
			v := council.StoredVote{ID: int64(len(out.votes) + 1), ItemID: it.ID, Ord: len(out.votes) + 1, ParseSource: "pdf",
				Vote: council.Vote{MotionSeq: s + 1, Result: pickOne(r, council.Results())}}
			for _, m := range r.Perm(5)[:r.IntN(6)] {
				v.Roll = append(v.Roll, council.RollEntry{Member: memberNames[m], Position: pickOne(r, council.Positions())})
			}
			v.AyesCount, v.NaysCount = v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
			if r.IntN(3) == 0 {
				v.AyesCount++ // the tally now differs from the roll
			}
			v.Unanimous = v.Roll.IsUnanimous(v.AyesCount, v.NaysCount)
			out.votes = append(out.votes, v)
		}
	}
	return out
}

func applied(read rows, all []clerk.Correction) (rows, []conflict) {
	o := applyCorrections(read, withStates(slices.Clone(all)))
	return o.rows, o.conflicts
}

func pickOne[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// randomCorrections returns valid and invalid corrections. Some of them are withdrawn.
func randomCorrections(r *rand.Rand, read rows) []clerk.Correction {
	var all []clerk.Correction
	added := int64(1000)
	for n := range 1 + r.IntN(12) {
		c := clerk.Correction{ID: int64(n + 1), Kind: pickOne(r, clerk.Kinds()[:len(clerk.Kinds())-1]), Meeting: 7}
		if r.IntN(2) == 0 {
			c.Was = council.Some(fmt.Sprint(r.IntN(4)))
		}
		item, vote := int64(1+r.IntN(6)), int64(1+r.IntN(len(read.votes)+3))
		if r.IntN(5) == 0 { // adds an item
			item = 3000 + r.Int64N(3)
		}
		if r.IntN(4) == 0 && c.Kind != clerk.Doubled { // adds a vote that is withdrawn again
			vote = 1000 + r.Int64N(3)
		}
		switch c.Kind {
		case clerk.Title:
			c.ItemID, c.Becomes = &item, council.Some(fmt.Sprint("Title ", r.IntN(3)))
		case clerk.Missing:
			added++
			id := added - 1
			c.ItemID, c.VoteID = &item, &id
			c.Missing = &clerk.MissingVote{Vote: council.Vote{Result: council.Adopted, ResultRaw: "ADOPTED", AyesCount: 1,
				Mover: &memberNames[0], Roll: council.Roll{{Member: memberNames[r.IntN(7)], Position: council.Aye}}}}
			if r.IntN(3) == 0 { // together with its item
				c.Missing.Item = &clerk.NewItem{Title: fmt.Sprint("Item ", r.IntN(9))}
				if r.IntN(2) == 0 {
					after := item
					c.Missing.Item.After = &after
				}
				its := 2000 + id
				c.ItemID = &its
			}
		default:
			c.VoteID = &vote
			switch c.Kind {
			case clerk.Position:
				c.Member = &memberNames[r.IntN(7)]
				if r.IntN(5) > 0 {
					c.Becomes = council.Some(pickOne(r, council.Position("").Values()))
				}
			case clerk.Mover, clerk.Seconder:
				if r.IntN(4) > 0 {
					c.Becomes = &memberNames[r.IntN(7)]
				}
			case clerk.Result:
				c.Becomes = council.Some(pickOne(r, council.Result("").Values()))
			case clerk.Ayes, clerk.Nays:
				c.Becomes = council.Some(fmt.Sprint(r.IntN(9)))
			}
		}
		all = append(all, c)
		if r.IntN(5) == 0 {
			of := all[r.IntN(len(all))]
			all = append(all, clerk.Correction{ID: int64(100 + n), Kind: clerk.Withdrawn, Meeting: 7, Withdraws: &of.ID})
		}
	}
	return withStates(all)
}

// withStates sets the states that the database would give.
func withStates(all []clerk.Correction) []clerk.Correction {
	withdrawn, newest := map[int64]bool{}, map[string]int64{}
	for _, c := range all {
		withdrawn[council.OrZero(c.Withdraws)] = true
	}
	subject := func(c clerk.Correction) string {
		return fmt.Sprint(c.Kind, council.OrZero(c.ItemID), council.OrZero(c.VoteID), council.Text(c.Member))
	}
	for _, c := range all {
		if !withdrawn[c.ID] {
			newest[subject(c)] = max(newest[subject(c)], c.ID)
		}
	}
	for i, c := range all {
		if c.Kind != clerk.Withdrawn && newest[subject(c)] == c.ID {
			all[i].State = "in_force"
		}
	}
	return all
}

func same(a, b rows) string {
	if reflect.DeepEqual(a.items, b.items) && reflect.DeepEqual(a.votes, b.votes) {
		return ""
	}
	return cmp.Diff(a.items, b.items) + cmp.Diff(a.votes, b.votes)
}

// Corrections are idempotent and independent of their order, and leave the parsed rows unchanged.
// Each correction is in effect, or is reported as a conflict.
func TestCorrectionsAreIdempotentAndUnordered(t *testing.T) {
	t.Parallel()
	lost, kept, conflicted := 0, 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 4))
		read := randomMeeting(r)
		corrections := randomCorrections(r, read)
		before := read.clone()
		once, conflicts := applied(read, corrections)
		if d := same(before, read); d != "" {
			t.Fatalf("seed %d: the parsed rows have changed\n%s", seed, d)
		}
		twice, _ := applied(once, corrections)
		if d := same(once, twice); d != "" {
			t.Fatalf("seed %d: the rows differ when corrections are applied twice (-once +twice)\n%s\n%+v", seed, d, corrections)
		}
		shuffled := slices.Clone(corrections)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		other, otherConflicts := applied(read, shuffled)
		if d := same(once, other); d != "" || !reflect.DeepEqual(conflicts, otherConflicts) {
			t.Fatalf("seed %d: the rows differ in another order\n%s%v\n%v", seed, d, conflicts, otherConflicts)
		}
		conflicted += len(conflicts)
		for i := range once.votes {
			if once.votes[i].Ord != i+1 {
				t.Fatalf("seed %d: vote %d is at index %d", seed, i, once.votes[i].Ord)
			}
		}
		for _, c := range corrections {
			if !c.InForce() {
				continue
			}
			reported := slices.ContainsFunc(conflicts, func(n conflict) bool { return n.correction == c.ID })
			holds, exists := inEffect(once, &c)
			switch {
			case !exists && c.Kind == clerk.Doubled, exists && holds:
				kept++
			case reported:
				lost++
			case isRemoved(corrections, c.VoteID):
			default:
				t.Fatalf("seed %d: correction %d (%s) is not in effect and not reported: %+v", seed, c.ID,
					describeCorrection(&c), c)
			}
		}
	}
	if kept < 500 || lost < 500 || conflicted < 500 {
		t.Errorf("%d corrections in effect, %d reported, %d conflicts: the test lacks cases", kept, lost, conflicted)
	}
}

// isRemoved reports whether another correction removes the vote.
func isRemoved(corrections []clerk.Correction, vote *int64) bool {
	return slices.ContainsFunc(corrections, func(c clerk.Correction) bool {
		return c.InForce() && c.Kind == clerk.Doubled && vote != nil && *c.VoteID == *vote
	})
}

// inEffect reports whether the rows have the value of a correction, and whether the correction's
// row exists.
func inEffect(r rows, c *clerk.Correction) (holds, exists bool) {
	if c.Kind == clerk.Title {
		at := r.itemAt(c.ItemID)
		return at >= 0 && r.items[at].Title == *c.Becomes, at >= 0
	}
	at := r.voteAt(c.VoteID)
	if at < 0 {
		return false, false
	}
	if c.Kind == clerk.Missing || c.Kind == clerk.Doubled {
		return c.Kind == clerk.Missing, true
	}
	is := c.Value(&r.votes[at].Vote)
	return (is == nil) == (c.Becomes == nil) && council.Text(is) == council.Text(c.Becomes), true
}

func TestCorrectedPositionUpdatesTallyAndUnanimity(t *testing.T) {
	t.Parallel()
	roll := []council.RollEntry{{Member: memberNames[0], Position: "aye"}, {Member: memberNames[1], Position: "aye"},
		{Member: memberNames[2], Position: "aye"}}
	vote := int64(1)
	nay := clerk.Correction{ID: 1, Kind: clerk.Position, VoteID: &vote, Member: &memberNames[1], Was: council.Some("aye"),
		Becomes: council.Some("nay")}
	for _, test := range []struct {
		name             string
		printed          int
		more             []clerk.Correction
		ayes, nays, rows int
		unanimous        bool
		conflicts        int
	}{
		{"the tally follows the roll", 3, nil, 2, 1, 3, false, 0},
		{"a printed tally that differs stays", 4, nil, 4, 0, 3, false, 1},
		{"a tally that somebody corrected stays", 3,
			[]clerk.Correction{{ID: 2, Kind: clerk.Nays, VoteID: &vote, Was: council.Some("0"), Becomes: council.Some("2")}}, 3,
			2, 3, false, 1},
		{"a member whom the roll does not name", 3,
			[]clerk.Correction{{ID: 2, Kind: clerk.Position, VoteID: &vote, Member: &memberNames[1], Was: council.Some("aye")}}, 2,
			0, 2, true, 0},
		{"the newest holds", 3, []clerk.Correction{{ID: 2, Kind: clerk.Position, VoteID: &vote, Member: &memberNames[1],
			Was: council.Some("aye"), Becomes: council.Some("abstain")}}, 2, 0, 3, false, 0},
		{"withdrawn", 3, []clerk.Correction{{ID: 2, Kind: clerk.Withdrawn, Withdraws: &nay.ID}}, 3, 0, 3, true, 0},
		{"read otherwise since", 3, []clerk.Correction{{ID: 2, Kind: clerk.Mover, VoteID: &vote, Was: &memberNames[2],
			Becomes: &memberNames[3]}}, 2, 1, 3, false, 1},
	} {
		read := rows{items: []itemRow{{ID: 1}}, votes: []council.StoredVote{{ID: 1, ItemID: 1,
			Vote: council.Vote{MotionSeq: 1, AyesCount: test.printed, Unanimous: true, Roll: roll}}}}
		out, conflicts := applied(read, append(test.more, nay))
		v := out.votes[0]
		if v.AyesCount != test.ayes || v.NaysCount != test.nays || v.Unanimous != test.unanimous ||
			len(v.Roll) != test.rows || len(conflicts) != test.conflicts {
			t.Errorf("%s: %d to %d, unanimous %v, %v, %v", test.name, v.AyesCount, v.NaysCount, v.Unanimous, v.Roll, conflicts)
		}
	}
}

// If the tally and the roll of an added vote agreed in the correction, a corrected position changes
// both.
func TestCorrectedPositionOfAnAddedVote(t *testing.T) {
	t.Parallel()
	item, vote := int64(1), int64(1000)
	read := rows{items: []itemRow{{ID: item}}}
	nay := clerk.Correction{ID: 2, Kind: clerk.Position, VoteID: &vote, Member: &memberNames[1], Was: council.Some("aye"),
		Becomes: council.Some("nay")}
	for _, test := range []struct{ said, ayes, nays int }{{2, 1, 1}, {5, 5, 0}} {
		missing := clerk.Correction{ID: 1, Kind: clerk.Missing, ItemID: &item, VoteID: &vote, Was: council.Some("0"),
			Missing: &clerk.MissingVote{Vote: council.Vote{Result: council.Adopted, ResultRaw: "ADOPTED",
				AyesCount: test.said, Roll: council.Roll{{Member: memberNames[0], Position: council.Aye},
					{Member: memberNames[1], Position: council.Aye}}}}}
		once, _ := applied(read, []clerk.Correction{missing, nay})
		twice, _ := applied(once, []clerk.Correction{missing, nay})
		for _, out := range []rows{once, twice} {
			if v := out.votes[0]; v.AyesCount != test.ayes || v.NaysCount != test.nays || v.Unanimous {
				t.Errorf("added with %d ayes: tally %d to %d, unanimous %v", test.said, v.AyesCount, v.NaysCount, v.Unanimous)
			}
		}
	}
}

package merge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// A hiddenItem or a hiddenVote has an identity. Package match only sees their documents.
type hiddenItem struct {
	title, section, file string
	votes                []*hiddenVote
}

type hiddenVote struct {
	id      int
	parts   [5]int // motion, outcome, mover, seconder, roll
	changed bool   // in this round
}

var (
	memberNames = []string{"Member Number0", "Member Number1", "Member Number2", "Member Number3", "Member Number4",
		"Member Number5", "Member Number6"}
	motions = []string{"", "Motion to approve the staff recommendation", "Motion to amend section four",
		"Motion to continue the hearing to a date certain", "Motion to reconsider"}
)

func (v *hiddenVote) vote(seq int) record.Vote {
	out := record.Vote{MotionSeq: seq, MotionText: motions[v.parts[0]], ResultRaw: fmt.Sprint("RESULT ", v.parts[1]),
		AyesCount: v.parts[1], Mover: council.Some(memberNames[v.parts[2]]), Seconder: council.Some(memberNames[v.parts[3]])}
	for i, name := range memberNames {
		position := council.Nay
		if v.parts[4]>>i&1 == 1 {
			position = council.Aye
		}
		out.Roll = append(out.Roll, council.RollEntry{Member: name, Position: position})
	}
	return out
}

// An agenda is a document that a clerk edits.
type agenda struct {
	r       *rand.Rand
	poor    bool // its votes name few people and are often identical
	items   []*hiddenItem
	next    int
	removed [][5]int // votes that were removed in this round
	born    [][5]int // votes that were added in this round
}

func (a *agenda) fresh() *hiddenVote {
	for {
		v := &hiddenVote{id: a.next, parts: [5]int{a.r.IntN(5), a.r.IntN(4), a.r.IntN(7), a.r.IntN(7), a.r.IntN(128)}}
		if a.poor {
			v.parts = [5]int{0, a.r.IntN(2), a.r.IntN(2), a.r.IntN(2), 127}
		}
		if a.poor || !resembles(v.parts, a.removed) {
			a.next++
			a.born = append(a.born, v.parts)
			return v
		}
	}
}

// resembles reports whether a vote equals another in more than one of its five parts. If a vote
// were removed and a similar one added, that would look like a correction, so the clerks in this
// test do not do that.
func resembles(parts [5]int, others [][5]int) bool {
	return slices.ContainsFunc(others, func(o [5]int) bool {
		same := 0
		for i := range o {
			if o[i] == parts[i] {
				same++
			}
		}
		return same > 1
	})
}

// remove removes votes unless they resemble new votes, and reports whether it did.
func (a *agenda) remove(votes ...*hiddenVote) bool {
	for _, v := range votes {
		if !a.poor && resembles(v.parts, a.born) {
			return false
		}
	}
	for _, v := range votes {
		a.removed = append(a.removed, v.parts)
	}
	return true
}

func (a *agenda) insert(easy bool) {
	it := &hiddenItem{title: fmt.Sprint("Resolution on matter ", a.r.IntN(3)),
		section: fmt.Sprint("Section ", a.r.IntN(2))}
	if easy || a.r.IntN(3) == 0 {
		it.title = fmt.Sprintf("Matter %x about %x and %x", a.r.Uint32(), a.r.Uint32(), a.r.Uint32())
	}
	if a.r.IntN(4) == 0 {
		it.file = fmt.Sprint("2026-", a.next, "-", a.r.Uint32())
	}
	for range 1 + a.r.IntN(3)*a.r.IntN(2) {
		it.votes = append(it.votes, a.fresh())
	}
	a.items = slices.Insert(a.items, a.r.IntN(len(a.items)+1), it)
}

// edit makes one change that is typical of a clerk.
func (a *agenda) edit() {
	if len(a.items) == 0 {
		a.insert(false)
		return
	}
	at := a.r.IntN(len(a.items))
	it := a.items[at]
	switch a.r.IntN(8) {
	case 0, 1:
		a.insert(false)
	case 2:
		if a.remove(it.votes...) {
			a.items = slices.Delete(a.items, at, at+1)
		}
	case 3:
		a.items = slices.Delete(a.items, at, at+1)
		a.items = slices.Insert(a.items, a.r.IntN(len(a.items)+1), it)
	case 4:
		it.votes = slices.Insert(it.votes, a.r.IntN(len(it.votes)+1), a.fresh())
	case 5:
		if n := len(it.votes); n > 1 {
			if k := a.r.IntN(n); a.remove(it.votes[k]) {
				it.votes = slices.Delete(it.votes, k, k+1)
			}
		}
	case 6:
		it.title += " corrected"
	case 7:
		if v := it.votes[a.r.IntN(len(it.votes))]; !v.changed {
			v.changed = true
			v.parts[1+a.r.IntN(4)] = a.r.IntN(4)
		}
	}
}

func (a *agenda) state(reread bool) (State, []*hiddenVote) {
	s := State{Source: council.SourcePDF, Reread: reread}
	var votes []*hiddenVote
	for i, it := range a.items {
		item := record.Item{ItemNumber: council.Some(fmt.Sprint(i+1, ".")), FileNumber: council.Some(it.file),
			Section: &it.section, Title: it.title}
		for j, v := range it.votes {
			item.Votes = append(item.Votes, v.vote(j+1))
			votes = append(votes, v)
		}
		s.Items = append(s.Items, item)
	}
	return s, votes
}

// store allocates ids as Apply does, and returns the ids of the votes in order.
func store(w rows, next *int64) []int64 {
	items, ids := map[int64]int64{}, []int64(nil)
	for i := range w.items {
		if id := w.items[i].ID; id < 0 {
			*next++
			items[id], w.items[i].ID = *next, *next
		}
	}
	for i := range w.votes {
		v := &w.votes[i]
		if is := items[v.ItemID]; is != 0 {
			v.ItemID = is
		}
		if v.ID < 0 {
			*next++
			v.ID = *next
		}
		ids = append(ids, v.ID)
	}
	return ids
}

// A clerk edits agendas full of equal items and motions. An id never comes to identify another
// vote, unless the two votes are identical. Nearly all remaining votes keep their ids.
func TestAnIDNeverNamesAnotherVote(t *testing.T) {
	t.Parallel()
	seeds := uint64(300)
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		seeds = 6000
	}
	for poor, least := range map[bool]float64{false: 0.99, true: 0.98} {
		stayed, kept := 0, 0
		for seed := range seeds {
			s, k := years(t, seed, poor)
			stayed, kept = stayed+s, kept+k
		}
		share := float64(kept) / float64(stayed)
		if t.Logf("poor %t: %d of %d remaining votes kept their ids: %.2f %%", poor, kept, stayed,
			100*share); share < least {
			t.Error("too many ids are retired")
		}
	}
}

// years edits an agenda for some rounds. It returns the number of remaining votes, and how many of
// them kept their ids.
func years(t *testing.T, seed uint64, poor bool) (stayed, kept int) {
	a := &agenda{r: rand.New(rand.NewPCG(seed, 1)), poor: poor}
	for range 1 + a.r.IntN(12) {
		a.insert(false)
	}
	var stored rows
	next := int64(0)
	who, said := map[int64]int{}, map[int64]string{}
	var history []string
	for round := range 8 {
		s, votes := a.state(false)
		w := rowsOf(s, stored)
		ids := store(w, &next)
		before := map[int]int64{}
		for id, hidden := range who {
			before[hidden] = id
		}
		now := map[int64]int{}
		for i, v := range votes {
			id, reading := ids[i], ""
			for _, it := range w.items {
				if it.ID == w.votes[i].ItemID {
					reading = fmt.Sprint(it.Title, v.parts)
				}
			}
			if hidden, is := who[id]; is && hidden != v.id && said[id] != reading {
				t.Fatalf("seed %d, round %d: id %d of vote %d (%s) now identifies vote %d (%s)\n%s\n%s", seed, round, id, hidden,
					said[id], v.id, reading, strings.Join(history[max(0, len(history)-1):], "\n"), a)
			}
			now[id], said[id] = v.id, reading
			if id, was := before[v.id]; was {
				if stayed++; ids[i] == id {
					kept++
				}
			}
		}
		who, stored, history = now, w, append(history, fmt.Sprint(a))
		a.removed, a.born = nil, nil
		for _, v := range votes {
			v.changed = false
		}
		edits := 1
		if !poor {
			edits += a.r.IntN(3)
		}
		for range edits {
			a.edit()
		}
	}
	return stayed, kept
}

func (a *agenda) String() string {
	var b strings.Builder
	for _, it := range a.items {
		fmt.Fprintf(&b, "%s|%s|%s:", it.title, it.section, it.file)
		for _, v := range it.votes {
			fmt.Fprintf(&b, " %d%v", v.id, v.parts)
		}
		b.WriteString("; ")
	}
	return b.String()
}

// The portal's record may change while the minutes remain the same document. So votes from the
// record are never treated as reread.
func TestPortalRecordIsNotReread(t *testing.T) {
	t.Parallel()
	state := func(recorded bool, outcome, mover string) State {
		origin := council.FromMinutes
		if recorded {
			origin = council.FromRecord
		}
		v := record.Vote{MotionSeq: 1, ResultRaw: outcome, Mover: council.Some(mover),
			Roll: council.NewRoll([]string{mover})}
		return State{Reread: true, Origin: origin, Source: council.SourceHTML,
			Items: []record.Item{{Title: "Claims", Votes: []record.Vote{v}}}}
	}
	for name, test := range map[string]struct {
		before, now bool // the votes come from the portal's record
		stays       bool
	}{"record": {true, true, false}, "minutes for the first time": {true, false, false},
		"record for the last time": {false, true, false}, "minutes": {false, false, true}} {
		next := int64(0)
		stored := rowsOf(state(test.before, "ADOPTED", memberNames[0]), rows{})
		store(stored, &next)
		now := rowsOf(state(test.now, "FAILED", memberNames[1]), stored)
		if stays := now.votes[0].ID == stored.votes[0].ID; stays != test.stays {
			t.Errorf("%s: vote %d became %d", name, stored.votes[0].ID, now.votes[0].ID)
		}
	}
}

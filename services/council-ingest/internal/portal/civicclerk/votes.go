package civicclerk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// rollWords are the lists that every vote has, in the order of a roll. Others are read by the word that they begin with.
var rollWords = []string{"yes", "no", "abstain"}

// votes reads the votes on an item: their order is the only key that they have.
func (r *agendaReader) votes(it portal.Item, value []byte) {
	var rows []json.RawMessage
	if json.Unmarshal(value, &rows) != nil {
		r.note(council.CodeUnreadable, it.ID, 0, "the portal's votes on the item are no list")
		return
	}
	for i, row := range rows {
		if i == maxVotes {
			r.note(council.CodeTextCut, it.ID, 0, "the portal has %d votes on the item; those after the first %d are left out", len(rows), maxVotes)
			return
		}
		v := portal.Vote{ItemID: it.ID, FileNumber: it.FileNumber, Seq: i + 1}
		if err := r.vote(&v, row); err != nil {
			r.note(council.CodeUnreadable, it.ID, v.Seq, "vote %d on the item is not readable: %v", v.Seq, err)
			continue
		}
		r.Votes = append(r.Votes, v)
	}
}

// AddVotes reads the answer of Meetings/GetMeetingItemMinutesVotes for an item of the agenda: the votes on it, where
// the agenda itself has no place for them.
func (a *Agenda) AddVotes(body []byte, item int64, words portal.Words) error {
	var raw struct {
		Value *json.RawMessage `json:"value"`
	}
	err := decode(body, &raw)
	at := slices.IndexFunc(a.Items, func(it portal.Item) bool { return it.ID == reading.ID(item).String() })
	switch {
	case err == nil && raw.Value == nil:
		err = fmt.Errorf("%w: it has no list", portal.ErrNotPortal)
	case err == nil && at < 0:
		err = fmt.Errorf("%w: the agenda has no such item", portal.ErrNotPortal)
	}
	if err != nil {
		return fmt.Errorf("read the votes on item %d: %w", item, err)
	}
	r := agendaReader{Agenda: *a, words: words}
	r.votes(a.Items[at], *raw.Value)
	*a = r.Agenda
	return nil
}

func (r *agendaReader) vote(v *portal.Vote, row []byte) error {
	var fields map[string]json.RawMessage
	var raw struct {
		Motion   reading.Text `json:"motionName"`
		Mover    reading.Text `json:"initiatedBy"`
		Seconder reading.Text `json:"secondedBy"`
		Passed   reading.Flag `json:"passFail"`
	}
	if json.Unmarshal(row, &fields) != nil || json.Unmarshal(row, &raw) != nil {
		return fmt.Errorf("%w: it is no object", portal.ErrNotPortal)
	}
	v.Motion, v.Mover, v.Seconder = raw.Motion.Plain(maxText), raw.Mover.Plain(maxName), raw.Seconder.Plain(maxName)
	v.Passed = raw.Passed.Is
	if v.Passed != nil {
		v.PassedWord = map[bool]string{true: "Pass", false: "Fail"}[*v.Passed]
	}
	var others []string
	for key := range fields {
		if word, is := strings.CutSuffix(key, "Votes"); is && word != "" && !slices.Contains(rollWords, word) {
			others = append(others, word)
		}
	}
	slices.Sort(others)
	seen := map[string]bool{}
	for _, word := range slices.Concat(rollWords, others) {
		value, there := fields[word+"Votes"]
		if !there || string(value) == "null" {
			continue
		}
		var names []string
		if json.Unmarshal(value, &names) != nil || len(names) > maxNames {
			return fmt.Errorf("%w: %q is no list of names, or has more than %d", portal.ErrNotPortal, council.Clip(word, maxName), maxNames)
		}
		r.row(v, council.Clip(word, maxName), names, seen)
	}
	return nil
}

// row adds the positions of one list. What a word means, the council's own words say, or those that all share; a word
// that nobody knows is kept and reported.
func (r *agendaReader) row(v *portal.Vote, word string, names []string, seen map[string]bool) {
	position, known := r.words.Of(word)
	for _, name := range names {
		name = reading.Text(name).Plain(maxName)
		if name == "" {
			continue
		}
		key := council.FoldName(name)
		if seen[key] {
			r.note(council.CodeMemberTwice, v.ItemID, v.Seq, "the portal names %s twice; the first list counts, not %q", name, word)
			continue
		}
		seen[key] = true
		v.Positions = append(v.Positions, portal.Position{Name: name, Word: word, Position: position})
		if !known {
			known = true
			r.note(council.CodeUnknownVoteWord, v.ItemID, v.Seq, "nobody knows what position %q is", word)
		}
	}
}

package civicclerk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// An Agenda has the items of a meeting and the recorded votes.
type Agenda struct {
	ID    portal.ID
	Items []portal.Item // in order; parents come first
	Votes []portal.Vote
	Notes []portal.Note
	// Unrecorded lists the items whose votes are not part of the answer.
	Unrecorded []portal.ID
}

type rawItem struct {
	ID          portal.ID         `json:"id"`
	Outline     string            `json:"agendaObjectItemOutlineNumber"`
	Full        string            `json:"agendaObjectItemOutlineNumberFull"`
	Number      string            `json:"agendaObjectItemNumber"`
	Resolution  string            `json:"resolutionFormattedNumber"`
	Ordinance   string            `json:"ordinanceFormattedNumber"`
	Name        string            `json:"agendaObjectItemName"`
	Section     portal.Flag       `json:"isSection"`
	Deleted     portal.Flag       `json:"isDeleted"`
	Attachments []json.RawMessage `json:"attachmentsList"`
	Votes       json.RawMessage   `json:"minutesItemVotes"` // nil or null if the answer does not include the votes
	Children    []json.RawMessage `json:"childItems"`
}

// DecodeAgenda decodes the answer to Meetings/{agendaId}.
func DecodeAgenda(body []byte, agendaID portal.ID, words portal.Words, api *url.URL) (Agenda, error) {
	var raw struct {
		ID    portal.ID   `json:"id"`
		Items portal.List `json:"items"`
	}
	err := decode(body, &raw)
	if err == nil {
		err = raw.Items.Check()
	}
	if err == nil && raw.ID != 0 && raw.ID != agendaID {
		err = fmt.Errorf("%w: it says that it is agenda %d", portal.ErrNotPortal, raw.ID)
	}
	if err != nil {
		return Agenda{}, fmt.Errorf("read agenda %d: %w", agendaID, err)
	}
	r := agendaReader{words: words, api: api, seen: map[portal.ID]bool{}}
	r.items(raw.Items, 0, "")
	return r.Agenda, nil
}

type agendaReader struct {
	Agenda
	words portal.Words
	api   *url.URL
	seen  map[portal.ID]bool
}

func (r *agendaReader) note(code council.AnomalyCode, item string, seq int, format string, args ...any) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, portal.Note{Code: code, ItemID: item, Seq: seq, Message: fmt.Sprintf(format, args...)})
	}
}

func (r *agendaReader) items(rows []json.RawMessage, level int, above string) {
	if len(rows) > 0 && level == maxDepth {
		r.note(council.CodeTextCut, "", 0, "items are nested deeper than %d levels; those below %q are left out", maxDepth,
			above)
		return
	}
	for _, row := range rows {
		if len(r.Items) == maxItems {
			r.note(council.CodeTextCut, "", 0, "the agenda has more than %d items; the others are left out", maxItems)
			return
		}
		var raw rawItem
		if portal.DecodeRow(row, &raw) != nil || raw.ID == 0 && raw.Name == "" {
			r.note(council.CodeUnreadable, "", 0, "a row of the portal's agenda below %q is not readable", above)
			continue
		}
		if raw.Deleted.Set() || raw.ID != 0 && r.seen[raw.ID] {
			continue
		}
		r.seen[raw.ID] = true
		it := portal.Item{
			ID: raw.ID.String(), Level: level, Section: raw.Section.Set(), Title: portal.Plain(raw.Name, maxText),
			Number: outlineNumber(above, portal.Line(raw.Outline, maxName), portal.Line(raw.Full, maxName)),
			// One of three fields has the number.
			FileNumber: cmp.Or(portal.Line(raw.Number, maxName), portal.Line(raw.Resolution, maxName),
				portal.Line(raw.Ordinance, maxName)),
			Attachments: r.attachments(raw.Attachments),
		}
		if raw.ID == 0 {
			it.ID = fmt.Sprintf("row %d", len(r.Items)+1)
		}
		r.Items = append(r.Items, it)
		if raw.Votes != nil && string(raw.Votes) != "null" {
			r.votes(it, raw.Votes)
		} else if !it.Section && raw.ID != 0 {
			r.Unrecorded = append(r.Unrecorded, raw.ID)
		}
		r.items(raw.Children, level+1, it.Number)
	}
}

// outlineNumber returns the full number of an item. Each level prints only its own part ("2.",
// "a.").
func outlineNumber(above, own, full string) string {
	if full == "" && own != "" && above != "" && len(above) <= maxName {
		full = council.Clip(strings.TrimRight(above, ". )")+"."+own, maxName)
	}
	return cmp.Or(full, own)
}

func (r *agendaReader) attachments(rows []json.RawMessage) []portal.Document {
	var out []portal.Document
	for _, row := range rows[:min(len(rows), maxFiles)] {
		var f struct {
			ID        portal.ID   `json:"id"`
			Name      string      `json:"fileName"`
			Media     string      `json:"mediaFileName"`
			Type      string      `json:"contentType"`
			Published portal.Flag `json:"isPublished"`
			Deleted   portal.Flag `json:"isDeleted"`
		}
		if portal.DecodeRow(row, &f) != nil || f.ID == 0 || f.Deleted.Set() || f.Published.Unset() {
			continue
		}
		doc := portal.Document{ID: f.ID.String(), Kind: portal.KindAttachment,
			Name: cmp.Or(portal.Line(f.Name, maxText), portal.Line(f.Media, maxText)),
			URL:  fmt.Sprintf("%sMeetings/GetAttachmentFile(fileId=%d)", r.api, f.ID)}
		if strings.EqualFold(f.Type, "application/pdf") {
			doc.Format = portal.PDF
		}
		out = append(out, doc)
	}
	return out
}

// rollWords name the lists that every vote has. Other lists are named by the word before "Votes".
var rollWords = []string{"yes", "no", "abstain"}

// votes decodes the votes on an item. They have no ids, so their order identifies them.
func (r *agendaReader) votes(it portal.Item, value []byte) {
	var rows []json.RawMessage
	if json.Unmarshal(value, &rows) != nil {
		r.note(council.CodeUnreadable, it.ID, 0, "the portal's votes on the item are no list")
		return
	}
	for i, row := range rows {
		if i == maxVotes {
			r.note(council.CodeTextCut, it.ID, 0, "the portal has %d votes on the item; those after the first %d are left out",
				len(rows), maxVotes)
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

// AddVotes decodes the answer to Meetings/GetMeetingItemMinutesVotes for an item.
func (a *Agenda) AddVotes(body []byte, item portal.ID, words portal.Words) error {
	var raw struct {
		Value *json.RawMessage `json:"value"`
	}
	err := decode(body, &raw)
	at := slices.IndexFunc(a.Items, func(it portal.Item) bool { return it.ID == item.String() })
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
		Motion   string      `json:"motionName"`
		Mover    string      `json:"initiatedBy"`
		Seconder string      `json:"secondedBy"`
		Passed   portal.Flag `json:"passFail"`
	}
	if json.Unmarshal(row, &fields) != nil || portal.DecodeRow(row, &raw) != nil {
		return fmt.Errorf("%w: it is not an object", portal.ErrNotPortal)
	}
	v.Motion, v.Passed = portal.Plain(raw.Motion, maxText), raw.Passed.Is
	v.Mover, v.Seconder = portal.Plain(raw.Mover, maxName), portal.Plain(raw.Seconder, maxName)
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
			return fmt.Errorf("%w: %q is not a list of names, or has more than %d", portal.ErrNotPortal,
				council.Clip(word, maxName), maxNames)
		}
		r.row(v, council.Clip(word, maxName), names, seen)
	}
	return nil
}

// row adds the positions in one list. An unknown word is kept and reported.
func (r *agendaReader) row(v *portal.Vote, word string, names []string, seen map[string]bool) {
	position, known := r.words.Position(word)
	for _, name := range names {
		name = portal.Plain(name, maxName)
		if name == "" {
			continue
		}
		key := council.FoldName(name)
		if seen[key] {
			r.note(council.CodeMemberTwice, v.ItemID, v.Seq, "the portal names %s twice; the first list counts, not %q", name,
				word)
			continue
		}
		seen[key] = true
		v.Positions = append(v.Positions, portal.MemberPosition{Name: name, Word: word, Position: position})
		if !known {
			known = true
			r.note(council.CodeUnknownVoteWord, v.ItemID, v.Seq, "nobody knows what position %q is", word)
		}
	}
}

package civicclerk

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// An Agenda is what the portal has of a meeting beyond its event: the items, and what was recorded on them.
type Agenda struct {
	ID    int64
	Items []portal.Item // in order, each before those below it
	Votes []portal.Vote // in the order of the items
	Notes []portal.Note
	// Unrecorded are the items of whose votes the answer says nothing: it has no place for them.
	Unrecorded []int64
}

type rawItem struct {
	ID          id     `json:"id"`
	Outline     text   `json:"agendaObjectItemOutlineNumber"`
	Full        text   `json:"agendaObjectItemOutlineNumberFull"`
	Number      text   `json:"agendaObjectItemNumber"`
	Resolution  text   `json:"resolutionFormattedNumber"`
	Ordinance   text   `json:"ordinanceFormattedNumber"`
	Name        text   `json:"agendaObjectItemName"`
	Section     flag   `json:"isSection"`
	Deleted     flag   `json:"isDeleted"`
	Attachments list   `json:"attachmentsList"`
	Votes       record `json:"minutesItemVotes"`
	Children    list   `json:"childItems"`
}

// A record is the place for the votes on an item.
type record struct {
	there bool
	votes json.RawMessage
}

// UnmarshalJSON remembers that there is such a place; null is none.
func (r *record) UnmarshalJSON(b []byte) error {
	if string(b) != "null" {
		r.there, r.votes = true, append(r.votes[:0], b...)
	}
	return nil
}

type rawAttachment struct {
	ID        id   `json:"id"`
	Name      text `json:"fileName"`
	Media     text `json:"mediaFileName"`
	Type      text `json:"contentType"`
	Published flag `json:"isPublished"`
	Deleted   flag `json:"isDeleted"`
}

// DecodeAgenda reads the answer of Meetings/{agendaId}. file is the address of an attachment by its id.
func DecodeAgenda(body []byte, agendaID int64, words portal.Words, file func(id int64) string) (Agenda, error) {
	var raw struct {
		ID    id                 `json:"id"`
		Items *[]json.RawMessage `json:"items"`
	}
	err := decode(body, &raw)
	switch {
	case err == nil && raw.Items == nil:
		err = fmt.Errorf("%w: it has no items", portal.ErrNotPortal)
	case err == nil && raw.ID != 0 && int64(raw.ID) != agendaID:
		err = fmt.Errorf("%w: it says that it is agenda %d", portal.ErrNotPortal, raw.ID)
	}
	if err != nil {
		return Agenda{}, fmt.Errorf("read agenda %d: %w", agendaID, err)
	}
	r := agendaReader{Agenda: Agenda{ID: agendaID}, words: words, file: file, seen: map[id]bool{}}
	r.items(*raw.Items, 0, "")
	return r.Agenda, nil
}

type agendaReader struct {
	Agenda
	words portal.Words
	file  func(id int64) string
	seen  map[id]bool
}

// note adds a note, as long as there are not too many to be read.
func (r *agendaReader) note(code council.AnomalyCode, item string, seq int, format string, args ...any) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, portal.Note{Code: code, ItemID: item, Seq: seq, Message: fmt.Sprintf(format, args...)})
	}
}

func (r *agendaReader) items(rows []json.RawMessage, level int, above string) {
	if len(rows) > 0 && level == maxDepth {
		r.note(council.CodeTextCut, "", 0, "items are nested deeper than %d levels; those below %q are left out", maxDepth, above)
		return
	}
	for _, row := range rows {
		if len(r.Items) == maxItems {
			r.note(council.CodeTextCut, "", 0, "the agenda has more than %d items; the others are left out", maxItems)
			return
		}
		var raw rawItem
		if json.Unmarshal(row, &raw) != nil || raw.ID == 0 && raw.Name == "" {
			r.note(council.CodeUnreadable, "", 0, "a row of the portal's agenda below %q is not readable", above)
			continue
		}
		if raw.Deleted.set() || raw.ID != 0 && r.seen[raw.ID] {
			continue
		}
		r.seen[raw.ID] = true
		key := number(int64(raw.ID))
		if raw.ID == 0 {
			key = fmt.Sprintf("row %d", len(r.Items)+1)
		}
		it := portal.Item{
			ID: key, Level: level, Section: raw.Section.set(), Number: outlineNumber(above, string(raw.Outline), string(raw.Full)),
			Title: council.Clip(reading.Fragment(string(raw.Name)), maxText), FileNumber: fileNumber(raw), Attachments: r.attachments(raw),
		}
		r.Items = append(r.Items, it)
		if raw.Votes.there {
			r.votes(it, raw.Votes.votes)
		} else if !it.Section && raw.ID != 0 {
			r.Unrecorded = append(r.Unrecorded, int64(raw.ID))
		}
		r.items(raw.Children, level+1, it.Number)
	}
}

// outlineNumber is the number of an item in full. Each level prints its own part ("2." and "a."); the parts above stand before it.
func outlineNumber(above, own, full string) string {
	own, full = portal.Fold(own), portal.Fold(full)
	switch {
	case full != "":
		return council.Clip(full, maxName)
	case own == "" || above == "" || len(above) > maxName:
		return council.Clip(own, maxName)
	}
	return council.Clip(strings.TrimRight(above, ". )")+"."+own, maxName)
}

// fileNumber is the number of the legislative file, which the portal has in one of three fields.
func fileNumber(raw rawItem) string {
	for _, n := range []text{raw.Number, raw.Resolution, raw.Ordinance} {
		if s := portal.Fold(string(n)); s != "" {
			return council.Clip(s, maxName)
		}
	}
	return ""
}

func (r *agendaReader) attachments(raw rawItem) []portal.Document {
	var out []portal.Document
	for _, row := range raw.Attachments[:min(len(raw.Attachments), maxFiles)] {
		var f rawAttachment
		if json.Unmarshal(row, &f) != nil || f.ID == 0 || f.Deleted.set() || f.Published.is != nil && !*f.Published.is {
			continue
		}
		name := portal.Fold(string(f.Name))
		if name == "" {
			name = portal.Fold(string(f.Media))
		}
		doc := portal.Document{ID: number(int64(f.ID)), Kind: portal.KindAttachment, Name: council.Clip(name, maxText), URL: r.file(int64(f.ID))}
		if strings.EqualFold(string(f.Type), "application/pdf") {
			doc.Format = portal.PDF
		}
		out = append(out, doc)
	}
	return out
}

// number is an id as text.
func number(n int64) string { return strconv.FormatInt(n, 10) }

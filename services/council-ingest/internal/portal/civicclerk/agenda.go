package civicclerk

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	ID          reading.ID      `json:"id"`
	Outline     reading.Text    `json:"agendaObjectItemOutlineNumber"`
	Full        reading.Text    `json:"agendaObjectItemOutlineNumberFull"`
	Number      reading.Text    `json:"agendaObjectItemNumber"`
	Resolution  reading.Text    `json:"resolutionFormattedNumber"`
	Ordinance   reading.Text    `json:"ordinanceFormattedNumber"`
	Name        reading.Text    `json:"agendaObjectItemName"`
	Section     reading.Flag    `json:"isSection"`
	Deleted     reading.Flag    `json:"isDeleted"`
	Attachments reading.Rows    `json:"attachmentsList"`
	Votes       json.RawMessage `json:"minutesItemVotes"` // nil or null: the answer has no place for them
	Children    reading.Rows    `json:"childItems"`
}

// DecodeAgenda reads the answer of Meetings/{agendaId}. file is the address of an attachment by its id.
func DecodeAgenda(body []byte, agendaID int64, words portal.Words, file func(id int64) string) (Agenda, error) {
	var raw struct {
		ID    reading.ID  `json:"id"`
		Items portal.List `json:"items"`
	}
	err := decode(body, &raw)
	switch {
	case err == nil && raw.ID != 0 && int64(raw.ID) != agendaID:
		err = fmt.Errorf("%w: it says that it is agenda %d", portal.ErrNotPortal, raw.ID)
	case err == nil:
		err = raw.Items.Check()
	}
	if err != nil {
		return Agenda{}, fmt.Errorf("read agenda %d: %w", agendaID, err)
	}
	r := agendaReader{words: words, file: file, seen: map[reading.ID]bool{}}
	r.items(raw.Items, 0, "")
	return r.Agenda, nil
}

type agendaReader struct {
	Agenda
	words portal.Words
	file  func(id int64) string
	seen  map[reading.ID]bool
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
		if raw.Deleted.Set() || raw.ID != 0 && r.seen[raw.ID] {
			continue
		}
		r.seen[raw.ID] = true
		it := portal.Item{
			ID: raw.ID.String(), Level: level, Section: raw.Section.Set(), Title: raw.Name.Plain(maxText),
			Number: outlineNumber(above, raw.Outline.Line(maxName), raw.Full.Line(maxName)),
			// The number of the legislative file stands in one of three fields.
			FileNumber:  cmp.Or(raw.Number.Line(maxName), raw.Resolution.Line(maxName), raw.Ordinance.Line(maxName)),
			Attachments: r.attachments(raw.Attachments),
		}
		if raw.ID == 0 {
			it.ID = fmt.Sprintf("row %d", len(r.Items)+1)
		}
		r.Items = append(r.Items, it)
		if raw.Votes != nil && string(raw.Votes) != "null" {
			r.votes(it, raw.Votes)
		} else if !it.Section && raw.ID != 0 {
			r.Unrecorded = append(r.Unrecorded, int64(raw.ID))
		}
		r.items(raw.Children, level+1, it.Number)
	}
}

// outlineNumber is the number of an item in full. Each level prints its own part ("2." and "a."); the parts above
// stand before it.
func outlineNumber(above, own, full string) string {
	if full == "" && own != "" && above != "" && len(above) <= maxName {
		full = council.Clip(strings.TrimRight(above, ". )")+"."+own, maxName)
	}
	return cmp.Or(full, own)
}

func (r *agendaReader) attachments(rows reading.Rows) []portal.Document {
	var out []portal.Document
	for _, row := range rows.First(maxFiles) {
		var f struct {
			ID        reading.ID   `json:"id"`
			Name      reading.Text `json:"fileName"`
			Media     reading.Text `json:"mediaFileName"`
			Type      reading.Text `json:"contentType"`
			Published reading.Flag `json:"isPublished"`
			Deleted   reading.Flag `json:"isDeleted"`
		}
		if json.Unmarshal(row, &f) != nil || f.ID == 0 || f.Deleted.Set() || f.Published.Unset() {
			continue
		}
		doc := portal.Document{ID: f.ID.String(), Kind: portal.KindAttachment, URL: r.file(int64(f.ID)),
			Name: cmp.Or(f.Name.Line(maxText), f.Media.Line(maxText))}
		if strings.EqualFold(string(f.Type), "application/pdf") {
			doc.Format = portal.PDF
		}
		out = append(out, doc)
	}
	return out
}

package legistar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

func parse(b portal.Bundle, root *url.URL, r portal.ParseOptions) (portal.Detail, error) {
	var e event
	if err := json.Unmarshal(b.Answers[0].Body(), &e); err != nil || e.EventID == 0 {
		return portal.Detail{}, fmt.Errorf("read event: %w: %w", portal.ErrNotPortal, err)
	}
	m := e.meeting(root, r.Zone)
	d := m.Detail
	d.HasMinutes = portal.Find(m.Documents, string(portal.KindMinutes)) != nil
	items, err := itemsOf(&b, m.ID)
	if err != nil {
		return portal.Detail{}, err
	}
	inOrder(items)
	level, seen := 0, map[int64]bool{}
	for _, it := range items {
		if seen[it.EventItemID] { // pages may shift between requests
			continue
		}
		seen[it.EventItemID] = true
		cast, err := rowsOf[vote](&b, it, votes)
		if err != nil {
			return portal.Detail{}, err
		}
		called, err := rowsOf[rollCall](&b, it, rollCalls)
		if err != nil {
			return portal.Detail{}, err
		}
		rd := reader{d: &d, words: r.Words, it: it, id: portal.ID(it.EventItemID).String()}
		v, voted := rd.vote(cast)
		entry := it.entry(rd.id)
		entry.Section = !voted && !it.isDecided() && it.EventItemMatterID == nil && council.Fold(it.EventItemActionText) == ""
		if entry.Section {
			level = 1
		} else {
			entry.Level = level
		}
		if entry.Title == "" {
			continue
		}
		d.Items = append(d.Items, entry)
		if voted {
			d.Votes = append(d.Votes, v)
		}
		rd.attend(called)
	}
	return d, nil
}

// inOrder sorts items in the order of the minutes, or in the order of the agenda if they have none
// in the minutes.
func inOrder(items []item) {
	last := 1 << 30
	place := func(it item) int { return *cmp.Or(it.EventItemMinutesSequence, it.EventItemAgendaSequence, &last) }
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.EventItemID, b.EventItemID))
	})
}

// rowsOf decodes the votes or roll calls of an item. It returns nil if they were not requested or
// the portal has none.
func rowsOf[R any](b *portal.Bundle, it item, list string) ([]R, error) {
	a := b.Find(listPath(it, list))
	if a == nil || a.Status != 0 {
		return nil, nil
	}
	var rows []R
	if err := portal.Decode(a.Body(), &rows); err != nil {
		return nil, fmt.Errorf("read %s of item %d: %w", list, it.EventItemID, err)
	}
	return rows, nil
}

func (it item) entry(id string) portal.Item {
	e := portal.Item{
		ID: id, Number: council.Fold(it.EventItemAgendaNumber), FileNumber: council.Fold(it.EventItemMatterFile),
		Title:   cmp.Or(council.Fold(it.EventItemTitle), council.Fold(it.EventItemMatterName)),
		Consent: it.EventItemConsent != 0,
	}
	for _, a := range it.EventItemMatterAttachments {
		if link := portal.PublicURL(council.Fold(a.MatterAttachmentHyperlink)); link != "" {
			d := portal.Document{Kind: portal.KindAttachment, Name: council.Fold(a.MatterAttachmentName), URL: link}
			e.Attachments = append(e.Attachments, d)
		}
	}
	return e
}

type reader struct {
	d     *portal.Detail
	words portal.Words
	it    item
	id    string
}

func (r reader) note(code council.AnomalyCode, seq int, format string, args ...any) {
	r.d.Notes = append(r.d.Notes, portal.Note{Code: code, ItemID: r.id, Seq: seq, Message: fmt.Sprintf(format, args...)})
}

// vote makes the vote on an item. There is one if a row has a word, or if the item passed or
// failed.
func (r reader) vote(cast []vote) (portal.Vote, bool) {
	it := r.it
	slices.SortStableFunc(cast, func(a, b vote) int { return cmp.Compare(a.VoteSort, b.VoteSort) })
	v := portal.Vote{
		ItemID: r.id, FileNumber: council.Fold(it.EventItemMatterFile), Seq: 1, Consent: it.EventItemConsent != 0,
		Motion: council.Fold(it.EventItemActionText), Action: council.Fold(it.EventItemActionName),
		PassedWord: council.Fold(it.EventItemPassedFlagName), Tally: council.Fold(it.EventItemTally),
		Mover: council.Fold(it.EventItemMover), Seconder: council.Fold(it.EventItemSeconder),
	}
	if it.EventItemPassedFlag != nil {
		v.Passed = new(*it.EventItemPassedFlag != 0)
	}
	for _, c := range cast {
		who, word := council.Fold(c.VotePersonName), council.Fold(c.VoteValueName)
		if word == "" || who == "" {
			continue
		}
		p, known := r.words.Position(word)
		if !known {
			r.note(council.CodeUnknownVoteWord, 1, "the portal's record has %q for %s, a word that nobody has given a "+
				"meaning; the position is not counted", word, who)
		}
		v.Positions = append(v.Positions, portal.MemberPosition{PersonID: portal.ID(c.VotePersonID).String(), Name: who,
			Word:     word,
			Position: p})
	}
	if len(cast) > 0 && len(v.Positions) == 0 && v.Passed != nil {
		r.note(council.CodeRecordNoPositions, 1, "the portal's record lists %d members without a position", len(cast))
	}
	return v, len(v.Positions) > 0 || v.Passed != nil
}

// attend adds the attendance from the first roll call that has words.
func (r reader) attend(called []rollCall) {
	if len(r.d.Attendance) > 0 {
		return
	}
	slices.SortStableFunc(called, func(a, b rollCall) int { return cmp.Compare(a.RollCallSort, b.RollCallSort) })
	for _, c := range called {
		if who, word := council.Fold(c.RollCallPersonName), council.Fold(c.RollCallValueName); who != "" && word != "" {
			r.d.Attendance = append(r.d.Attendance, portal.Attendee{PersonID: portal.ID(c.RollCallPersonID).String(), Name: who,
				Status: word})
		}
	}
}

// These types have the used fields of the API's rows. A null becomes a zero value or a nil pointer.

type body struct {
	BodyID                 int64 `json:"BodyId"`
	BodyName, BodyTypeName string
}

type event struct {
	EventID                      int64 `json:"EventId"`
	EventBodyID                  int64 `json:"EventBodyId"`
	EventBodyName                string
	EventDate                    string // midnight in local time
	EventTime                    string
	EventAgendaStatusName        string
	EventMinutesStatusName       string
	EventLocation                string
	EventAgendaFile              string
	EventMinutesFile             string
	EventAgendaLastPublishedUTC  string
	EventMinutesLastPublishedUTC string
	EventComment                 string
	EventVideoPath               string
	EventInSiteURL               string
}

type item struct {
	EventItemID                int64 `json:"EventItemId"`
	EventItemLastModifiedUtc   string
	EventItemAgendaSequence    *int
	EventItemMinutesSequence   *int
	EventItemAgendaNumber      string
	EventItemActionName        string
	EventItemActionText        string
	EventItemPassedFlag        *int
	EventItemPassedFlagName    string
	EventItemRollCallFlag      int
	EventItemTitle             string
	EventItemTally             string
	EventItemConsent           int
	EventItemMover             string
	EventItemSeconder          string
	EventItemMatterID          *int64 `json:"EventItemMatterId"`
	EventItemMatterFile        string
	EventItemMatterName        string
	EventItemMatterAttachments []struct {
		MatterAttachmentName      string
		MatterAttachmentHyperlink string
	}
}

type vote struct {
	VotePersonID   int64 `json:"VotePersonId"`
	VotePersonName string
	VoteValueName  string
	VoteSort       int
}

type rollCall struct {
	RollCallPersonID   int64 `json:"RollCallPersonId"`
	RollCallPersonName string
	RollCallValueName  string
	RollCallSort       int
}

// Names of an item's lists in a bundle.
const (
	votes     = "votes"
	rollCalls = "rollcalls"
)

func (it item) isDecided() bool {
	return council.Fold(it.EventItemActionName) != "" || it.EventItemPassedFlag != nil
}

func (it item) lists() []string {
	var out []string
	called := it.EventItemRollCallFlag != 0
	if it.isDecided() || it.EventItemMatterID != nil || called {
		out = append(out, votes)
	}
	if called && !it.isDecided() { // the roll call is the attendance
		out = append(out, rollCalls)
	}
	return out
}

// These words, in a comment or a place, mean that a meeting does not take place.
var (
	cancelWords = regexp.MustCompile(
		`(?i)^\W*(?:(?:this |the )?meeting (?:has been |is |was )?)?(?:cancell?ed|postponed|deferred)\b|\bmeeting (?:has been |is |was )?(?:cancell?ed|postponed|deferred)\b`)
	cancelShouted = regexp.MustCompile(`\b(?:CANCELL?ED|POSTPONED|DEFERRED)\b`)
	deferWords    = regexp.MustCompile(`(?i)\b(?:postponed|deferred)\b`)
)

func stateOf(words ...string) portal.State {
	for _, w := range words {
		if !cancelWords.MatchString(w) && !cancelShouted.MatchString(w) {
			continue
		}
		if deferWords.MatchString(w) {
			return portal.Deferred
		}
		return portal.Cancelled
	}
	return portal.Planned
}

func statusOf(word, published string) portal.DocumentStatus {
	p := portal.DocumentStatus{Word: council.Fold(word)}
	p.Published, _ = portal.ParseLocal(published, time.UTC)
	low := strings.ToLower(p.Word)
	switch {
	case strings.Contains(low, "revis") || strings.Contains(low, "amended"):
		p.State = portal.Revised
	case strings.HasPrefix(low, "final"), strings.Contains(low, "approved"), strings.Contains(low, "published"):
		p.State = portal.Final
	case low != "":
		p.State = portal.Draft
	}
	return p
}

// typeWords matches the type of a meeting in a comment, a body's name or a file's name, because the
// API has no field for the type.
var typeWords = regexp.MustCompile(
	`(?i)\b(?:regular|special|emergency|closed|executive session|work session|study session|public hearing)\b`)

func typeOf(words ...string) string {
	for _, w := range words {
		if kind := strings.ToLower(typeWords.FindString(strings.ReplaceAll(w, "_", " "))); kind != "" {
			kind = strings.ToUpper(kind[:1]) + kind[1:]
			if strings.HasSuffix(kind, "session") || strings.HasSuffix(kind, "hearing") {
				return kind
			}
			return kind + " Meeting"
		}
	}
	return "Meeting"
}

func (e event) meeting(root *url.URL, zone *time.Location) portal.Meeting {
	comment, place := council.Fold(e.EventComment), council.Fold(e.EventLocation)
	m := portal.Meeting{ID: portal.ID(e.EventID).String(), URL: portal.Resolve(root, e.EventInSiteURL),
		Detail: portal.Detail{
			Body: council.Fold(e.EventBodyName), Location: place,
			State: stateOf(council.Fold(e.EventAgendaStatusName), comment, place), VideoURL: portal.PublicURL(e.EventVideoPath),
			Agenda:  statusOf(e.EventAgendaStatusName, e.EventAgendaLastPublishedUTC),
			Minutes: statusOf(e.EventMinutesStatusName, e.EventMinutesLastPublishedUTC),
		}}
	if e.EventBodyID != 0 {
		m.BodyID = portal.ID(e.EventBodyID).String()
	}
	m.Type = typeOf(comment, m.Body, path.Base(e.EventAgendaFile))
	m.Title = portal.TitleOf(m.Body, m.Type)
	starts, words := startOf(e.EventDate, e.EventTime, zone)
	m.Starts = starts
	if words != "" {
		m.Title += " (" + words + ")"
	}
	agenda := portal.Document{Kind: portal.KindAgenda, Name: "Agenda", Published: m.Agenda.Published}
	minutes := portal.Document{Kind: portal.KindMinutes, Name: "Minutes", Published: m.Minutes.Published}
	agenda.URL, minutes.URL = portal.PublicURL(e.EventAgendaFile), portal.PublicURL(e.EventMinutesFile)
	if m.Minutes.State == portal.Draft { // a draft is not minutes
		minutes.Kind, minutes.Name = portal.KindOther, "Draft Minutes"
	}
	for _, d := range []portal.Document{agenda, minutes} {
		if d.URL != "" {
			d.Format = portal.PDF
			m.Documents = append(m.Documents, d)
		}
	}
	return m
}

// startOf returns the start of an event. date is a local midnight. clock is a time of day, and may
// be missing or have words, such as "Immediately following the RDA"; then the start is the time
// before the words, or midnight, which means that the time is unknown.
func startOf(date, clock string, zone *time.Location) (start time.Time, words string) {
	day, ok := portal.ParseLocal(date, zone)
	if !ok {
		return time.Time{}, ""
	}
	clock = portal.Line(clock, maxClock)
	printed := clockWords.FindString(clock)
	if printed != clock {
		words = clock
	}
	folded := strings.ToUpper(strings.NewReplacer(".", "", " ", "").Replace(printed))
	for _, form := range []string{"3:04PM", "3PM", "15:04", "15:04:05"} {
		if t, err := time.Parse(form, folded); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), 0, 0, zone), words
		}
	}
	return day, clock
}

const maxClock = 120

var clockWords = regexp.MustCompile(`(?i)^\d{1,2}(?::\d\d){0,2}(?: ?[ap]\.? ?m\b\.?)?`)

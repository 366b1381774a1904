package legistar

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// The rows of the API, as far as they are read. What is null is empty, unless a pointer can say so.

type body struct {
	BodyID   int64 `json:"BodyId"`
	BodyName string
}

type event struct {
	EventID                      int64 `json:"EventId"`
	EventBodyName                string
	EventDate                    string // local midnight
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

// The lists of an item, as a bundle names them.
const (
	votes     = "votes"
	rollCalls = "rollcalls"
)

// isDecided reports whether something says that the item was acted on.
func (it item) isDecided() bool {
	return portal.Fold(it.EventItemActionName) != "" || it.EventItemPassedFlag != nil
}

// lists are what has to be asked of an item.
func (it item) lists() []string {
	var out []string
	called := it.EventItemRollCallFlag != 0
	if it.isDecided() || it.EventItemMatterID != nil || called {
		out = append(out, votes)
	}
	if called && !it.isDecided() { // the call of who is there
		out = append(out, rollCalls)
	}
	return out
}

// offWords are how a comment or a place says that a meeting does not take place.
var (
	offWords   = regexp.MustCompile(`(?i)^\W*(?:(?:this |the )?meeting (?:has been |is |was )?)?(?:cancell?ed|postponed|deferred)\b|\bmeeting (?:has been |is |was )?(?:cancell?ed|postponed|deferred)\b`)
	offShout   = regexp.MustCompile(`\b(?:CANCELL?ED|POSTPONED|DEFERRED)\b`)
	laterWords = regexp.MustCompile(`(?i)\b(?:postponed|deferred)\b`)
)

// stateOf reads whether an event takes place from the words that can say so.
func stateOf(words ...string) portal.State {
	for _, w := range words {
		if !offWords.MatchString(w) && !offShout.MatchString(w) {
			continue
		}
		if laterWords.MatchString(w) {
			return portal.Deferred
		}
		return portal.Cancelled
	}
	return portal.Planned
}

// papersOf reads how far papers are from the tenant's word for it.
func papersOf(word, published string) portal.Papers {
	p := portal.Papers{Word: portal.Fold(word), Published: utc(published)}
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

// kindWords say in a comment, a body's name or a file's name of which type a meeting is; the API has no field for it.
var kindWords = regexp.MustCompile(`(?i)\b(?:regular|special|emergency|closed|executive session|work session|study session|public hearing)\b`)

func kindOf(words ...string) string {
	for _, w := range words {
		if kind := strings.ToLower(kindWords.FindString(strings.ReplaceAll(w, "_", " "))); kind != "" {
			kind = strings.ToUpper(kind[:1]) + kind[1:]
			if strings.HasSuffix(kind, "session") || strings.HasSuffix(kind, "hearing") {
				return kind
			}
			return kind + " Meeting"
		}
	}
	return "Meeting"
}

// meeting is what an event says.
func (e event) meeting(root *url.URL, zone *time.Location) portal.Meeting {
	comment, place := portal.Fold(e.EventComment), portal.Fold(e.EventLocation)
	m := portal.Meeting{ID: strconv.FormatInt(e.EventID, 10), URL: portal.Resolve(root, e.EventInSiteURL), Detail: portal.Detail{
		Body: portal.Fold(e.EventBodyName), Location: place, Starts: startOf(e.EventDate, e.EventTime, zone),
		State: stateOf(portal.Fold(e.EventAgendaStatusName), comment, place), VideoURL: portal.Link(e.EventVideoPath),
		Agenda:  papersOf(e.EventAgendaStatusName, e.EventAgendaLastPublishedUTC),
		Minutes: papersOf(e.EventMinutesStatusName, e.EventMinutesLastPublishedUTC),
	}}
	m.Type = kindOf(comment, m.Body, path.Base(e.EventAgendaFile))
	m.Title = portal.TitleOf(m.Body, m.Type)
	agenda := portal.Document{Kind: portal.KindAgenda, Name: "Agenda", URL: portal.Link(e.EventAgendaFile), Published: m.Agenda.Published}
	minutes := portal.Document{Kind: portal.KindMinutes, Name: "Minutes", URL: portal.Link(e.EventMinutesFile), Published: m.Minutes.Published}
	if m.Minutes.State == portal.Draft { // the record is what was approved
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

// startOf is when an event starts: a local midnight, and a time as text, which may be missing.
func startOf(date, clock string, zone *time.Location) time.Time {
	day, err := time.ParseInLocation("2006-01-02T15:04:05", date, zone)
	if err != nil {
		return time.Time{}
	}
	clock = strings.ToUpper(strings.NewReplacer(".", "", " ", "").Replace(portal.Fold(clock)))
	for _, form := range []string{"3:04PM", "3PM", "15:04", "15:04:05"} {
		if t, err := time.Parse(form, clock); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), 0, 0, zone)
		}
	}
	return day
}

// utc reads a time of the API, which is UTC without a Z; zero for what is no time.
func utc(s string) time.Time {
	t, _ := time.Parse("2006-01-02T15:04:05", s) // fractions are taken, too
	return t
}

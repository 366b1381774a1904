package legistar

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// The rows of the API, under the API's names of their fields.

type body struct {
	BodyID   int `json:"BodyId"`
	BodyName string
}

type event struct {
	EventID                      int `json:"EventId"`
	EventGuid                    string
	EventLastModifiedUtc         string
	EventBodyID                  int `json:"EventBodyId"`
	EventBodyName                string
	EventDate                    string
	EventTime                    string
	EventAgendaStatusName        string
	EventMinutesStatusName       *string
	EventLocation                string
	EventAgendaFile              *string
	EventMinutesFile             *string
	EventAgendaLastPublishedUTC  *string
	EventMinutesLastPublishedUTC *string
	EventComment                 string
	EventVideoPath               *string
	EventInSiteURL               string
	EventItems                   []item
}

type item struct {
	EventItemID                int `json:"EventItemId"`
	EventItemLastModifiedUtc   string
	EventItemEventID           int `json:"EventItemEventId"`
	EventItemAgendaSequence    *int
	EventItemMinutesSequence   *int
	EventItemAgendaNumber      *string
	EventItemActionName        *string
	EventItemActionText        *string
	EventItemPassedFlag        *int
	EventItemPassedFlagName    *string
	EventItemRollCallFlag      int
	EventItemTitle             string
	EventItemTally             *string
	EventItemConsent           int
	EventItemMoverID           *int `json:"EventItemMoverId"`
	EventItemMover             *string
	EventItemSeconderID        *int `json:"EventItemSeconderId"`
	EventItemSeconder          *string
	EventItemMatterID          *int `json:"EventItemMatterId"`
	EventItemMatterFile        *string
	EventItemMatterName        *string
	EventItemMatterType        *string
	EventItemMatterAttachments []attachment
}

type attachment struct {
	MatterAttachmentID        int `json:"MatterAttachmentId"`
	MatterAttachmentName      string
	MatterAttachmentHyperlink string
}

type vote struct {
	VoteID          int `json:"VoteId"`
	VotePersonID    int `json:"VotePersonId"`
	VotePersonName  string
	VoteValueID     int     `json:"VoteValueId"`
	VoteValueName   *string // null in a roster
	VoteSort        int
	VoteResult      *int
	VoteEventItemID int `json:"VoteEventItemId"`
}

type rollCall struct {
	RollCallID          int `json:"RollCallId"`
	RollCallPersonID    int `json:"RollCallPersonId"`
	RollCallPersonName  string
	RollCallValueName   string
	RollCallSort        int
	RollCallEventItemID int `json:"RollCallEventItemId"`
}

// bodies are the city's boards.
func bodies() []body {
	return []body{{1, town.Council}, {2, town.Planning}, {3, town.Parks}}
}

func bodyOf(board string) int {
	return slices.IndexFunc(bodies(), func(b body) bool { return b.BodyName == board }) + 1
}

func some[T any](v T) *T { return &v }

// utc is a time as the API writes it: UTC without a Z.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000") }

// guid is an id of the kind that the portal's pages want; it follows from what it is of.
func guid(of string) string {
	sum := sha256.Sum256([]byte(of))
	h := strings.ToUpper(hex.EncodeToString(sum[:16]))
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// file is the address of a document.
func file(host, kind string, id int) string {
	return fmt.Sprintf("http://%s/View.ashx?M=%s&ID=%d&GUID=%s", host, kind, id, url.QueryEscape(guid(fmt.Sprint(kind, id))))
}

// row is an event as the API lists it.
func (p *Portal) row(host string, e entry) event {
	out := event{EventID: e.ID, EventGuid: guid(fmt.Sprint("event", e.ID)), EventLastModifiedUtc: utc(p.changed(e)), EventBodyID: bodyOf(e.Board), EventBodyName: e.Board,
		EventDate: e.Starts.Format("2006-01-02T00:00:00"), EventTime: e.Starts.Format("3:04 PM"), EventAgendaStatusName: "Draft", EventLocation: e.Room, EventComment: e.Type,
		EventInSiteURL: fmt.Sprintf("http://%s/MeetingDetail.aspx?LEGID=%d&GID=77&G=%s", host, e.ID, guid(Client)), EventItems: []item{}}
	switch {
	case e.Cancelled:
		out.EventAgendaStatusName = "Cancelled"
	case p.HasAgenda(e.Meeting):
		out.EventAgendaStatusName = "Final"
	}
	if p.HasAgenda(e.Meeting) {
		out.EventAgendaFile, out.EventAgendaLastPublishedUTC = some(file(host, "A", e.ID)), some(utc(e.AgendaPosted))
	}
	if p.HasMinutes(e.Meeting) {
		out.EventMinutesStatusName, out.EventMinutesFile, out.EventMinutesLastPublishedUTC = some("Final"), some(file(host, "M", e.ID)), some(utc(e.MinutesPosted))
	} else if p.entered(e) {
		out.EventMinutesStatusName = some("Draft")
	}
	return out
}

// An action is what an item of the API is made of: a heading, an item of the agenda, or one motion on it.
type action struct {
	id      int
	section *town.Section
	item    *town.Item   // nil for a heading
	motion  *town.Motion // nil where nothing was moved, or is known yet
	later   bool         // it came up on the evening only
}

// Ids of items are made of the event's and of places in it, so that they stay when votes are entered.
const (
	motionsOfItem   = 8
	itemsOfSection  = 64
	sectionsOfEvent = 32
)

// actions are the rows of an event.
func (p *Portal) actions(e entry) []action {
	var out []action
	if !p.HasAgenda(e.Meeting) {
		return nil
	}
	done := p.entered(e)
	posted := clerk.Outline(e.Meeting)
	for i, s := range e.Sections {
		later := !slices.Contains(posted, s)
		if later && !done {
			continue
		}
		id := func(nth, motion int) int {
			return ((e.ID*sectionsOfEvent+i)*itemsOfSection+nth)*motionsOfItem + motion
		}
		out = append(out, action{id: id(0, 0), section: s, later: later})
		for k, it := range s.Items {
			motions := []*town.Motion{nil}
			if moved := s.Votes(it); done && len(moved) > 0 {
				motions = moved
			}
			for n, m := range motions {
				out = append(out, action{id(k+1, n), s, it, m, later})
			}
		}
	}
	return out
}

// items are the rows of an event as the API answers them.
func (p *Portal) items(host string, e entry) []item {
	out := []item{}
	number := 0
	for n, a := range p.actions(e) {
		row := item{EventItemID: a.id, EventItemLastModifiedUtc: utc(p.changed(e)), EventItemEventID: e.ID, EventItemMatterAttachments: []attachment{}}
		if !a.later {
			row.EventItemAgendaSequence = some(n + 1)
		}
		if p.entered(e) {
			row.EventItemMinutesSequence = some(n + 1)
		}
		if a.item == nil {
			number++
			row.EventItemAgendaNumber, row.EventItemTitle = some(clerk.Roman(number)+"."), a.section.Heading
			if number == 1 {
				row.EventItemRollCallFlag = 1
			}
		} else {
			row.describe(host, a)
		}
		out = append(out, row)
	}
	return out
}

// describe fills in what the API says of an item and of the motion on it.
func (row *item) describe(host string, a action) {
	it := a.item
	row.EventItemAgendaNumber, row.EventItemTitle = some(it.Number), it.Title
	if it.LegiFile > 0 {
		row.EventItemMatterID, row.EventItemMatterFile, row.EventItemMatterName, row.EventItemMatterType = some(it.LegiFile), some(it.File), some(it.Title), some(it.Kind)
		for n, name := range it.Attachments {
			row.EventItemMatterAttachments = append(row.EventItemMatterAttachments, attachment{it.LegiFile*10 + n, name, file(host, "F", it.LegiFile*10+n)})
		}
	}
	if a.section.Consent != nil && it.Pulled == "" {
		row.EventItemConsent = 1
	}
	m := a.motion
	if m == nil {
		return
	}
	row.EventItemActionName = some(m.Word[:1] + strings.ToLower(m.Word[1:]))
	if m.Text != "" {
		row.EventItemActionText = some(m.Text)
	}
	if m.Mover != nil {
		row.EventItemMoverID, row.EventItemMover = some(m.Mover.ID()), some(m.Mover.Name)
		row.EventItemSeconderID, row.EventItemSeconder = some(m.Seconder.ID()), some(m.Seconder.Name)
	}
	switch {
	case len(m.Rolls) == 0: // nothing was voted on
	case len(m.Of(town.Aye)) > len(m.Of(town.Nay)):
		row.EventItemPassedFlag, row.EventItemPassedFlagName = some(1), some("Pass")
	default:
		row.EventItemPassedFlag, row.EventItemPassedFlagName = some(0), some("Fail")
	}
}

// find is the action of an item's id.
func (p *Portal) find(id int) (e entry, a action, ok bool) {
	if of := p.event(id / sectionsOfEvent / itemsOfSection / motionsOfItem); of != nil {
		all := p.actions(*of)
		if i := slices.IndexFunc(all, func(a action) bool { return a.id == id }); i >= 0 {
			return *of, all[i], true
		}
	}
	return entry{}, action{}, false
}

// votes are the rows of a roll, in the order of the roster; none of what passed without one. Before a meeting an item on the consent calendar has
// a roster without words.
func (p *Portal) votes(id int) []vote {
	out := []vote{}
	e, a, ok := p.find(id)
	if !ok || a.item == nil {
		return out
	}
	add := func(who *town.Person, value int, word *string) {
		out = append(out, vote{VoteID: id*16 + len(out), VotePersonID: who.ID(), VotePersonName: who.Name, VoteValueID: value, VoteValueName: word, VoteSort: len(out) + 1, VoteEventItemID: id})
	}
	switch {
	case a.motion != nil:
		for _, seat := range e.Attendance {
			for n, w := range words() {
				if slices.ContainsFunc(a.motion.Of(w.position), func(o *town.Person) bool { return o.Name == seat.Name }) {
					add(seat.Person, n+1, some(w.word))
				}
			}
		}
	case a.section.Consent != nil && a.item.Pulled == "" && !p.entered(e):
		for _, seat := range e.Attendance {
			add(seat.Person, 0, nil)
		}
	}
	return out
}

// meant is the city's word for a position.
type meant struct {
	position town.Position
	word     string
}

func words() []meant {
	return []meant{{town.Aye, "Aye"}, {town.Nay, "Nay"}, {town.Abstain, "Abstain"}, {town.Recused, "Recused"}, {town.Absent, "Absent"}, {town.Away, "Away"}, {town.Excused, "Excused"}}
}

// rollCalls are who was there.
func (p *Portal) rollCalls(id int) []rollCall {
	out := []rollCall{}
	e, a, ok := p.find(id)
	if !ok || a.item != nil || !p.entered(e) || a.section != e.Sections[0] {
		return out
	}
	for n, seat := range e.Attendance {
		out = append(out, rollCall{id*16 + n, seat.ID(), seat.Name, seat.Status, n + 1, id})
	}
	return out
}

// Package town is the city of Alder Bay, which does not exist: its council, its calendar, and every vote taken.
//
// meetings.json holds what its boards do in twenty-eight weeks; then they do it again, with other dates and file numbers. Time there is
// absolute: a demo started next month shows the same past meetings with the same ids and the same votes, and only the window
// moves: minutes get approved, agendas get posted. The meetings hold what parsers and APIs get wrong: split votes, pulled consent
// items, amendments and substitutes, recusals, late arrivals, a member who leaves and one who joins, and the slips of a human clerk.
//
// It prints nothing and serves nothing: package clerk prints the documents; packages portal and legistar put them on the web, one before the town moved and one
// since. Start with New and Meetings; town.go says what a meeting is, calendar.go when it is, bulletin.go what can be seen of it.
package town

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Names of the city and its boards, as the portal spells them.
const (
	City     = "City of Alder Bay"
	Council  = "City Council"
	Planning = "Planning Commission"
	Parks    = "Parks and Recreation Commission"
	Zone     = "America/Los_Angeles"
)

// Meeting is one gathering of one board, with everything that will ever be known of it; what the public sees at a moment depends
// on AgendaPosted and MinutesPosted.
type Meeting struct {
	// ID, AgendaID and MinutesID are three numberings of the portal; none is derived from another.
	ID, AgendaID, MinutesID int
	// Twins are further entries of the portal's calendar for the same gathering.
	Twins []Twin
	Board string
	// Type is what the portal calls it, like "Special Meeting/Closed Session".
	Type          string
	Starts        time.Time
	Room, Address string
	// Cancelled meetings stay on the calendar. Withdrawn ones too, but their page is taken down.
	Cancelled, Withdrawn bool
	// AgendaPosted and MinutesPosted are when the documents appear; the zero time means never.
	AgendaPosted, MinutesPosted time.Time
	// Scanned minutes are a picture without text. PacketOnly minutes are published with the resolutions attached only.
	Scanned, PacketOnly bool
	HasVideo            bool
	// Style is the clerk's template, counted from 0.
	Style      int
	Attendance []Attendee
	Sections   []*Section
}

// Outline is the agenda as it was posted: without what happened on the evening only.
func (m *Meeting) Outline() []*Section {
	return slices.DeleteFunc(slices.Clone(m.Sections), (*Section).Later)
}

// Roman is the number of the section at a place of the agenda.
func Roman(place int) string {
	n := place + 1
	return strings.Repeat("X", n/10) + []string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}[n%10] + "."
}

// Twin is another calendar entry for a meeting.
type Twin struct {
	ID    int
	Board string
}

// Person is a member of a board. Title may differ from meeting to meeting.
type Person struct {
	Name, Last, Title string
	// Formal is how some documents write the name, "" where it is always the same.
	Formal string
}

// people are all who ever sit on a board.
var people = []Person{
	{Name: "Eleanor Whitcombe", Last: "Whitcombe", Title: "Mayor"},
	{Name: "Daniel Okafor", Formal: "Daniel C. Okafor", Last: "Okafor", Title: "Mayor Pro Tem"},
	{Name: "Siobhan O'Rourke", Last: "O'Rourke", Title: "Councilmember"},
	{Name: "Lucia Vargas-Lindqvist", Last: "Vargas-Lindqvist", Title: "Councilmember"},
	{Name: "Pieter van der Meer", Last: "van der Meer", Title: "Councilmember"},
	{Name: "Marguerite St. John", Last: "St. John", Title: "Councilmember"},
	{Name: "Harold T. Abernathy", Last: "Abernathy", Title: "Councilmember"},
	{Name: "Tomás Ibarra", Last: "Ibarra", Title: "Councilmember"},
	{Name: "Priya Raman", Last: "Raman", Title: "Councilmember"},
	{Name: "Theodore Marsh", Last: "Marsh", Title: "Chair"},
	{Name: "Anneke Dijkstra", Last: "Dijkstra", Title: "Vice Chair"},
	{Name: "Ruben Castellanos", Last: "Castellanos", Title: "Commissioner"},
	{Name: "Joy Adeyemi", Last: "Adeyemi", Title: "Commissioner"},
	{Name: "Colin Firestone", Last: "Firestone", Title: "Commissioner"},
}

// UnmarshalJSON finds a person by name.
func (p *Person) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	i := slices.IndexFunc(people, func(p Person) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf("no person is called %q", name)
	}
	*p = people[i]
	return nil
}

// ID is the person's number in the city's systems.
func (p *Person) ID() int {
	return slices.IndexFunc(people, func(o Person) bool { return o.Name == p.Name }) + 1
}

// Addressed is how the minutes speak of a person: title and last name.
func (p *Person) Addressed() string { return p.Title + " " + p.Last }

// Attendee is one row of the attendance table.
type Attendee struct {
	*Person
	// Status is Present, Absent, Excused, Late or Remote; Arrived is a time like "6:25 PM" for those who were late.
	Status, Arrived string
}

// UnmarshalJSON reads the cells of the row: name, status, arrival.
func (a *Attendee) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[3]any{&a.Person, &a.Status, &a.Arrived})
}

// Section is a heading of the agenda with what stands under it.
type Section struct {
	Heading string
	// Text is prose that the minutes add; the agenda leaves it out.
	Text []string
	// Consent is the one motion that carries all items of the section which were not pulled; nil elsewhere.
	Consent *Motion
	// EachBlock reports whether the clerk repeats the consent block under each item instead of printing it once.
	EachBlock bool
	Items     []*Item
}

// Later reports whether the section came up on the evening only.
func (s *Section) Later() bool { return s.Heading == "ITEMS REMOVED FROM THE CONSENT CALENDAR" }

// Votes are the votes on an item of the section: its own, or the one that carried the consent calendar.
func (s *Section) Votes(it *Item) []*Motion {
	if s.Consent != nil && it.Pulled == "" {
		return []*Motion{s.Consent}
	}
	return it.Motions
}

// Item is a line of the agenda.
type Item struct {
	// Number is as printed, like "7."; File is like "2026-214", "" where the item has no file.
	Number, File string
	// LegiFile is the portal's id of the file, 0 where there is none. It is the same at each meeting that takes the file up.
	LegiFile int
	Title    string
	// Kind is Resolution, Ordinance, Report, Minutes …; Topic one of the API's thirteen topics.
	Kind, Topic string
	Attachments []string
	// Pulled names who had the item taken off the consent calendar, "" if none.
	Pulled string
	// Text is prose of the discussion.
	Text    []string
	Motions []*Motion
}

// Position is how a member stands on a motion.
type Position string

// The positions, by the labels that the clerk prints.
const (
	Aye     Position = "AYES"
	Nay     Position = "NAYS"
	Abstain Position = "ABSTAIN"
	Recused Position = "RECUSED"
	Absent  Position = "ABSENT"
	Away    Position = "AWAY"
	Excused Position = "EXCUSED"
)

// Motion is one vote.
type Motion struct {
	// Label is a line printed above the motion, like "VOTE ON THE MOTION TO AMEND"; Text is the sentence of the motion.
	Label, Text string
	// After is prose below the block.
	After []string
	// Word is the result as the clerk words it: ADOPTED, FAILED, CONTINUED … Tally reports whether figures or UNANIMOUS follow.
	Word            string
	Tally           bool
	Mover, Seconder *Person
	// Next is the date to which the item was put off, as printed; "" if it was not.
	Next  string
	Rolls []Roll
	Slip  Slip
}

// Roll is one row of a roll call: all members of a position, in the order of the roster.
type Roll struct {
	Position Position
	Members  []*Person
}

// Slip is a mistake of the clerk in one vote block.
type Slip string

// The clerk's slips. They change what is printed, never what was voted.
const (
	WrongTally  Slip = "tally-mismatch"     // the figures contradict the names
	Misspelt    Slip = "word-misspelt"      // ABSENTION
	NoMover     Slip = "mover-missing"      // the MOVER row was left out
	NoTally     Slip = "tally-missing"      // RESULT without figures
	WrongName   Slip = "member-unknown"     // somebody who is no member stands in the roll
	NoColon     Slip = "label-broken"       // a label without its colon
	TwoMovers   Slip = "mover-doubled"      // two people on the MOVER row
	BareBracket Slip = "result-word-absent" // RESULT: [UNANIMOUS]
	NoSlip      Slip = ""
)

// Of is the members who took a position.
func (m *Motion) Of(p Position) []*Person {
	i := slices.IndexFunc(m.Rolls, func(r Roll) bool { return r.Position == p })
	if i < 0 {
		return nil
	}
	return m.Rolls[i].Members
}

// Package town has the council, the boards, the calendar and every vote of the fictional city of
// Alder Bay.
//
// meetings.json has its meetings from March 2026 on. minutes/ has their minutes as PDFs, which
// `make generate` typesets from the same file. The meetings contain what parsers and APIs get
// wrong: split votes, pulled consent items, amendments and substitutes, recusals, late arrivals, a
// member who leaves and one who joins, and mistakes of a clerk.
//
// It does not serve anything: see package portal. Start with New; town.go defines a meeting, and
// calendar.go what is published at the time of a clock.
package town

import (
	"embed"
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

//go:embed meetings.json sheet.pdf minutes
var files embed.FS

// Read returns all meetings of the city, by start.
func Read() ([]*Meeting, error) {
	text, err := files.ReadFile("meetings.json")
	if err != nil {
		return nil, err
	}
	var all []*Meeting
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the demo town's meetings: %w", err)
	}
	for _, m := range all {
		m.File = fmt.Sprintf("minutes/%d.pdf", m.ID)
	}
	return all, nil
}

// Sheet returns the PDF that replaces every document except minutes.
func Sheet() ([]byte, error) { return files.ReadFile("sheet.pdf") }

// Meeting is a meeting of a board, past or future, with its outcome. AgendaPosted and MinutesPosted
// decide what the public sees.
type Meeting struct {
	ID int
	// Twins are additional calendar entries for the same meeting.
	Twins []Twin
	Board string
	// Type uses the portal's words, such as "Special Meeting/Closed Session".
	Type          string
	Starts        time.Time
	Room, Address string
	// Cancelled and Withdrawn meetings stay on the calendar. A withdrawn meeting has no page.
	Cancelled, Withdrawn bool
	// AgendaPosted and MinutesPosted are the times of publication; zero means never.
	AgendaPosted, MinutesPosted time.Time
	// Scanned minutes are pictures without text. PacketOnly minutes have the resolutions attached.
	Scanned, PacketOnly bool
	HasVideo            bool
	// Style is the number of the clerk's template, from 0.
	Style      int
	Attendance []Attendee
	Sections   []*Section
	// File is the file name of the minutes.
	File string `json:"-"`
}

// AgendaID and MinutesID return the portal's ids of the two documents.
func (m *Meeting) AgendaID() int { return m.ID - 1400 }

// MinutesID is the portal's id of the minutes.
func (m *Meeting) MinutesID() int { return m.ID - 2300 }

// Minutes returns the minutes as a PDF.
func (m *Meeting) Minutes() ([]byte, error) { return files.ReadFile(m.File) }

// Outline returns the sections of the posted agenda, without sections that were added at the
// meeting.
func (m *Meeting) Outline() []*Section {
	return slices.DeleteFunc(slices.Clone(m.Sections), (*Section).Later)
}

// Roman returns the number of the section at an index of the agenda.
func Roman(place int) string {
	n := place + 1
	return strings.Repeat("X", n/10) + []string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}[n%10] + "."
}

// Twin is another calendar entry for a meeting.
type Twin struct {
	ID    int
	Board string
}

// Person is a member of a board.
type Person struct {
	Name, Last, Title string
	// Formal is the spelling of the name in some documents, or "".
	Formal string
	// Namesake is set if the person has the same name as a member of another board.
	Namesake bool
}

// people has all members of boards. Two members of the council are also on the planning commission,
// where they have a different title.
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
	{Name: "Lucia Vargas-Lindqvist", Last: "Vargas-Lindqvist", Title: "Commissioner"},
	{Name: "Pieter van der Meer", Last: "van der Meer", Title: "Commissioner"},
	{Name: "Tomás Ibarra", Last: "Ibarra", Title: "Commissioner", Namesake: true},
}

// UnmarshalJSON parses the name of a person, or title and last name.
func (p *Person) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	i := slices.IndexFunc(people, func(p Person) bool { return p.Name == name || p.Title+" "+p.Last == name })
	if i < 0 {
		return fmt.Errorf("no person is called %q", name)
	}
	*p = people[i]
	return nil
}

// ID returns the person's number in the city's systems.
func (p *Person) ID() int {
	same := func(o Person) bool { return o.Name == p.Name && o.Namesake == p.Namesake }
	return slices.IndexFunc(people, same) + 1
}

// Attendee is one row of the attendance table.
type Attendee struct {
	*Person
	// Status is Present, Absent, Excused, Late or Remote.
	Status string
}

// UnmarshalJSON parses the cells of the printed row: name, title, status, arrival.
func (a *Attendee) UnmarshalJSON(b []byte) error {
	var name, title string
	if err := json.Unmarshal(b, &[3]any{&name, &title, &a.Status}); err != nil {
		return err
	}
	i := slices.IndexFunc(people, func(p Person) bool { return p.Title == title && (p.Name == name || p.Formal == name) })
	if i < 0 {
		return fmt.Errorf("no %s is called %q", title, name)
	}
	a.Person = &people[i]
	return nil
}

// Section is a heading of the agenda with its items.
type Section struct {
	Heading string
	// Consent is the motion that adopts all items that were not pulled; nil for other sections.
	Consent *Motion
	// EachBlock means that the consent block is printed under each item, not once.
	EachBlock bool
	Items     []*Item
}

// Later reports whether the section was added at the meeting.
func (s *Section) Later() bool { return s.Heading == "ITEMS REMOVED FROM THE CONSENT CALENDAR" }

// Votes returns the votes on an item of the section: its own votes, or the vote on the consent
// calendar.
func (s *Section) Votes(it *Item) []*Motion {
	if s.Consent != nil && it.Pulled == "" {
		return []*Motion{s.Consent}
	}
	return it.Motions
}

// Item is a line of the agenda.
type Item struct {
	// Number is printed like "7."; File is like "2026-214", or "".
	Number, File string
	// LegiFile is the portal's id of the file, which is the same at each meeting; 0 without a file.
	LegiFile int
	Title    string
	// Kind is Resolution, Ordinance, Report, Minutes …; Topic is one of the API's thirteen topics.
	Kind, Topic string
	Attachments []string
	// Pulled is the member who pulled the item from the consent calendar, or "".
	Pulled  string
	Motions []*Motion
}

// Motion is one vote.
type Motion struct {
	// Label is a line printed above the motion, such as "VOTE ON THE MOTION TO AMEND"; Text is the
	// sentence of the motion.
	Label, Text string
	// Word is the result: ADOPTED, FAILED, CONTINUED …
	Word            string
	Mover, Seconder *Person
	// Rolls has the members by position: Aye, Nay, Abstain, Recused, Absent, Away, Excused.
	Rolls map[string][]*Person
	// Rows are the labels and values of the printed block. Slip names the clerk's mistake in them;
	// the other fields have the correct vote.
	Rows [][2]string
	Slip string
}

// Position returns the position of a person; "" if the person has none.
func (m *Motion) Position(p *Person) string {
	for position, members := range m.Rolls {
		if slices.ContainsFunc(members, func(o *Person) bool { return o.Name == p.Name }) {
			return position
		}
	}
	return ""
}

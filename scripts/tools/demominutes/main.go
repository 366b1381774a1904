// Command demominutes typesets the minutes of the demo town from meetings.json, as the system of a
// MinuteTraq city would: in three styles that differ in fonts, footers and the drawing order of a
// vote's cells. `make generate` runs it; the same meetings give the same bytes.
//
//	demominutes FOLDER     reads FOLDER/meetings.json, writes FOLDER/minutes/ID.pdf and FOLDER/sheet.pdf
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// meeting has the fields of a meeting in meetings.json that minutes print.
type meeting struct {
	ID                    int
	Board, Type           string
	Starts, MinutesPosted time.Time
	Room, Address         string
	// Scanned minutes are pictures of pages; PacketOnly minutes have the resolutions attached.
	Scanned, PacketOnly bool
	Style               int
	Attendance          [][]string // name, title, status, arrival
	Sections            []section
}

type section struct {
	Heading   string
	Text      []string
	Consent   *motion
	EachBlock bool // the consent vote is printed under each item
	Items     []item
}

type item struct {
	Number, File, Title, Kind, Pulled string
	Text                              []string
	Motions                           []motion
}

type motion struct {
	Label, Text, Second, Next string
	Rows                      [][2]string // label and value
	After                     []string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: demominutes FOLDER")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "meetings.json"))
	if err != nil {
		return err
	}
	var meetings []meeting
	if err := json.Unmarshal(text, &meetings); err != nil {
		return fmt.Errorf("read meetings.json: %w", err)
	}
	minutes := filepath.Join(folder, "minutes")
	if err := os.RemoveAll(minutes); err != nil {
		return err
	}
	if err := os.Mkdir(minutes, 0o755); err != nil {
		return err
	}
	for _, m := range meetings {
		if m.MinutesPosted.IsZero() {
			continue
		}
		file := filepath.Join(minutes, strconv.Itoa(m.ID)+".pdf")
		if err := m.print().OutputFileAndClose(file); err != nil {
			return fmt.Errorf("print the minutes of meeting %d: %w", m.ID, err)
		}
	}
	sheet := newPress(styles()[0], city)
	sheet.centred("B", 5, city)
	sheet.gap(1)
	sheet.numbered(0, 0, "", "", "This town is fictional. Its agendas, packets, reports and attachments have no text of "+
		"their own: the portal shows the agenda, the minutes have the votes.", 0)
	return sheet.OutputFileAndClose(filepath.Join(folder, "sheet.pdf"))
}

func (m meeting) date() string { return m.Starts.Format("January 2, 2006") }

func (m meeting) print() *press {
	s := styles()[m.Style]
	words := strings.NewReplacer("{board}", m.Board, "{type}", m.Type, "{date}", m.date())
	s.header, s.footer = words.Replace(s.header), words.Replace(s.footer)
	if m.Scanned {
		s.header, s.footer = "", ""
	}
	p := newPress(s, m.Board+" "+m.Type+" Minutes, "+m.date())
	if m.Scanned {
		p.scan(m.ID)
		return p
	}
	p.centred("B", 5, city)
	p.gap(0.3)
	p.centred("B", 2, m.Board)
	p.centred("B", 1, m.Type+" Minutes")
	p.centred("", 0, m.Starts.Format("Monday, January 2, 2006 – 3:04 PM"))
	p.centred("", -1, m.Room+", "+m.Address)
	p.gap(1)
	for i, s := range m.Sections {
		p.gap(0.6)
		p.numbered(0, 36, "B", roman(i), s.Heading, 0.5)
		if i == 0 {
			p.attendance(m)
		}
		p.section(s)
	}
	p.gap(2)
	p.line(36, "", "Respectfully submitted,")
	p.line(36, "", "Philippa Quayle, City Clerk")
	if m.PacketOnly {
		p.resolutions(m)
	}
	return p
}

const city = "City of Alder Bay"

// attendance typesets the call to order and the attendance table.
func (p *press) attendance(m meeting) {
	chair := m.Attendance[0]
	p.numbered(36, 0, "", "", fmt.Sprintf("The meeting was called to order at %s by %s %s.",
		m.Starts.Add(2*time.Minute).Format("3:04 PM"), chair[1], chair[0]), 0.4)
	p.cells("B", []string{"Attendee Name", "Title", "Status", "Arrived"})
	for _, row := range m.Attendance {
		p.cells("", row)
	}
	p.gap(0.8)
}

func (p *press) section(s section) {
	for _, text := range s.Text {
		p.numbered(36, 0, "", "", text, 0.4)
	}
	if s.Consent != nil {
		p.motion(*s.Consent)
		if !s.EachBlock {
			p.vote(*s.Consent)
		}
	}
	for _, it := range s.Items {
		if it.Pulled != "" {
			p.numbered(36, 30, "", it.Number, fmt.Sprintf("Item %s was removed from the Consent Calendar at the request of %s.",
				strings.TrimSuffix(it.Number, "."), it.Pulled), 0.5)
			continue
		}
		title := it.Title
		if it.File != "" {
			title = it.File + "  " + title
		}
		p.numbered(36, 30, "", it.Number, title, 0.5)
		for _, text := range it.Text {
			p.numbered(p.prose, 0, "", "", text, 0.4)
		}
		if s.EachBlock {
			p.block(*s.Consent)
		}
		for _, m := range it.Motions {
			p.motion(m)
			p.vote(m)
		}
	}
}

func (p *press) motion(m motion) {
	if m.Label != "" {
		p.line(p.prose, "B", m.Label)
	}
	if m.Text != "" {
		p.numbered(p.prose, 0, "", "", p.before+m.Text+" "+m.Second, 0.4)
	}
}

// vote typesets the block of a motion and the prose below it.
func (p *press) vote(m motion) {
	p.block(m)
	for _, text := range m.After {
		p.numbered(p.prose, 0, "", "", text, 0.4)
	}
}

// resolutions typesets a page for each adopted resolution, which repeats its vote.
func (p *press) resolutions(m meeting) {
	for _, s := range m.Sections {
		for _, it := range s.Items {
			if it.File == "" || it.Pulled != "" || it.Kind != "Resolution" && it.Kind != "Ordinance" {
				continue
			}
			p.turn()
			p.centred("B", 2, city)
			p.centred("B", 0, it.Kind+" No. "+it.File)
			p.gap(1)
			p.numbered(0, 0, "", "", it.Title, 0.4)
			p.numbered(0, 0, "", "", "WHEREAS, the matter came before the "+m.Board+" of the "+city+" on "+m.date()+"; and", 0.4)
			p.numbered(0, 0, "", "", "NOW, THEREFORE, BE IT RESOLVED that the foregoing recital is true, and that the City "+
				"Manager is authorized to carry out this "+it.Kind+".", 0.4)
			p.line(0, "B", "THE VOTE")
			if s.Consent != nil {
				p.block(*s.Consent)
				continue
			}
			for _, m := range it.Motions {
				p.block(m)
			}
		}
	}
}

// roman returns the number of the section at an index of the agenda.
func roman(place int) string {
	n := place + 1
	return strings.Repeat("X", n/10) + []string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}[n%10] + "."
}

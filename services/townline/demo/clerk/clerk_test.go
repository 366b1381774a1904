package clerk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/townline/demo/town"
)

// meetings are the council meetings of eight months of which there are minutes.
func meetings(t *testing.T) []*town.Meeting {
	t.Helper()
	city, err := town.New(0)
	if err != nil {
		t.Fatal(err)
	}
	var out []*town.Meeting
	for _, m := range city.Meetings(time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)) {
		if m.Board == town.Council && !m.Cancelled && !m.Withdrawn {
			out = append(out, m)
		}
	}
	return out
}

// pagesOf reads a PDF with a reader that is not ours: the text of each page without its blanks.
func pagesOf(t *testing.T, file []byte) []string {
	t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tight(text))
	}
	return out
}

// tight takes out the blanks, so that a line break is no difference.
func tight(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// TestEverythingIsPrinted looks up each item and each word of each vote in the minutes.
func TestEverythingIsPrinted(t *testing.T) {
	t.Parallel()
	votes, split := 0, 0
	for _, m := range meetings(t) {
		if m.Scanned {
			continue
		}
		file, err := Minutes(m)
		if err != nil {
			t.Fatal(err)
		}
		whole := strings.Join(pagesOf(t, file), "")
		p := &press{template: of(m)}
		has := func(text string) {
			for _, word := range strings.Fields(p.set(text)) {
				if !strings.Contains(whole, word) {
					t.Errorf("meeting %d lacks %q of %q", m.ID, word, text)
				}
			}
		}
		blocks := 0
		for _, s := range m.Sections {
			if s.Consent != nil && !s.EachBlock {
				blocks++
			}
			for _, it := range s.Items {
				has(it.Number)
				if it.Pulled != "" {
					has(it.Pulled)
					continue
				}
				has(it.File + " " + it.Title)
				for _, v := range s.Votes(it) {
					votes++
					if len(v.Of(town.Nay)) > 0 {
						split++
					}
					if s.Consent == nil || s.EachBlock {
						blocks++
					}
					for _, row := range p.word(v).rows {
						has(row.Label + " " + row.Value)
					}
				}
			}
		}
		if printed := strings.Count(whole, "RESULT:"); blocks != printed {
			t.Errorf("meeting %d: %d results printed of %d", m.ID, printed, blocks)
		}
	}
	if votes < 200 || split < 40 {
		t.Errorf("%d votes, %d of them split", votes, split)
	}
}

func TestSameMeetingSameBytes(t *testing.T) {
	t.Parallel()
	first, second := meetings(t), meetings(t)
	for _, i := range []int{3, 4, 5, slices.IndexFunc(first, func(m *town.Meeting) bool { return m.Scanned })} {
		for name, print := range map[string]func(*town.Meeting) ([]byte, error){
			"agenda": Agenda, "agenda packet": AgendaPacket,
			"minutes": Minutes, "packet": Packet,
		} {
			a, err := print(first[i])
			if err != nil {
				t.Fatal(err)
			}
			if b, err := print(second[i]); err != nil || !bytes.Equal(a, b) {
				t.Errorf("the %s of meeting %d differs (%v)", name, first[i].ID, err)
			}
		}
	}
}

// TestTheHardPages keeps the layouts for which the clerk was made.
func TestTheHardPages(t *testing.T) {
	t.Parallel()
	has := map[string]bool{}
	for _, m := range meetings(t)[:16] {
		file, err := Minutes(m)
		if err != nil {
			t.Fatal(err)
		}
		pages := pagesOf(t, file)
		if m.Scanned {
			has["scan"] = strings.Join(pages, "") == ""
			continue
		}
		for i, page := range pages[:len(pages)-1] {
			has[fmt.Sprint("template ", m.Style)] = true
			// A block that a page end cuts: the next page begins with a label that is not RESULT.
			next := pages[i+1]
			for _, label := range []string{"MOVER:", "SECONDER:", "AYES:", "NAYS:"} {
				at, result := strings.Index(next, label), strings.Index(next, "RESULT:")
				has["block over a page end"] = has["block over a page end"] || at >= 0 && (result < 0 || at < result)
			}
			has["last names only"] = has["last names only"] || strings.Contains(page, "Okafor,O'Rourke,Vargas-Lindqvist,vanderMeer")
			has["curly apostrophe"] = has["curly apostrophe"] || strings.Contains(page, "O’Rourke")
		}
		packet, err := Packet(m)
		if err != nil {
			t.Fatal(err)
		}
		twice := strings.Count(strings.Join(pagesOf(t, packet), ""), "RESULT:")
		has["votes printed twice"] = has["votes printed twice"] || twice > strings.Count(strings.Join(pages, ""), "RESULT:")
		has["a stranger"] = has["a stranger"] || strings.Contains(strings.Join(pages, ""), Stranger)
	}
	for _, want := range []string{"scan", "template 0", "template 1", "template 2", "block over a page end", "last names only", "curly apostrophe", "votes printed twice", "a stranger"} {
		if !has[want] {
			t.Errorf("no %s", want)
		}
	}
}

// TestNamesByLength holds the rule of the printed rolls: up to four names in full, more by last name.
func TestNamesByLength(t *testing.T) {
	t.Parallel()
	people := []*town.Person{
		{Name: "Ann Lee", Last: "Lee"}, {Name: "Bo Kim", Last: "Kim"}, {Name: "Cy Day", Last: "Day"}, {Name: "Di Fox", Last: "Fox"}, {Name: "Ed Gray", Last: "Gray"},
	}
	p := &press{template: templates()[0]}
	for n, want := range map[int]string{1: "Ann Lee", 4: "Ann Lee, Bo Kim, Cy Day, Di Fox", 5: "Lee, Kim, Day, Fox, Gray"} {
		w := p.word(&town.Motion{Word: "FAILED", Tally: true, Rolls: []town.Roll{{Position: town.Nay, Members: people[:n]}}})
		if got := w.rows[len(w.rows)-1]; got.Label != "NAYS:" || got.Value != want {
			t.Errorf("%d names: %q", n, got)
		}
		if want := fmt.Sprintf("FAILED [0 TO %d]", n); w.rows[0].Value != want {
			t.Errorf("%d names: result %q", n, w.rows[0].Value)
		}
	}
}

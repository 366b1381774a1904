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

// TestTruthIsWhatIsPrinted looks up each item, vote and name of the truth on the page that it names.
func TestTruthIsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	votes, split := 0, 0
	for _, m := range meetings(t) {
		if m.Scanned {
			continue
		}
		print := Minutes
		if m.PacketOnly {
			print = Packet
		}
		file, truth, err := print(m)
		if err != nil {
			t.Fatal(err)
		}
		pages := pagesOf(t, file)
		blocks := map[string]bool{}
		for _, it := range truth.Items {
			if !strings.Contains(pages[it.Page-1], tight(it.ItemNumber)) {
				t.Errorf("meeting %d: item %s is not on page %d", m.ID, it.ItemNumber, it.Page)
			}
			for i, v := range it.Votes {
				if v.MotionSeq != i+1 {
					t.Errorf("meeting %d item %s: motion %d at place %d", m.ID, it.ItemNumber, v.MotionSeq, i+1)
				}
				votes++
				blocks[fmt.Sprint(v.Page, v.ResultRaw)] = true
				words := strings.Fields(v.ResultRaw)
				if !strings.Contains(pages[v.Page-1], tight(words[0])) || !strings.Contains(pages[v.Page-1], tight("RESULT:")) {
					t.Errorf("meeting %d item %s: no %q on page %d", m.ID, it.ItemNumber, v.ResultRaw, v.Page)
				}
				// The roll may run on to the next page.
				roll := pages[v.Page-1] + strings.Join(pages[v.Page:min(v.Page+1, len(pages))], "")
				for _, names := range v.Positions {
					for _, name := range names {
						last := tight(name[strings.LastIndexByte(strings.TrimSuffix(name, " Jr."), ' ')+1:])
						if !strings.Contains(roll, strings.TrimSuffix(last, "Jr.")) {
							t.Errorf("meeting %d item %s: %q is not in the roll", m.ID, it.ItemNumber, name)
						}
					}
				}
				if v.NaysCount > 0 {
					split++
				}
			}
		}
		whole := strings.Join(pages, "")
		if len(blocks) > strings.Count(whole, "RESULT:") {
			t.Errorf("meeting %d: %d results in the truth, %d printed", m.ID, len(blocks), strings.Count(whole, "RESULT:"))
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
			"minutes": func(m *town.Meeting) ([]byte, error) { f, _, err := Minutes(m); return f, err },
			"packet":  func(m *town.Meeting) ([]byte, error) { f, _, err := Packet(m); return f, err },
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
		file, truth, err := Minutes(m)
		if err != nil {
			t.Fatal(err)
		}
		pages := pagesOf(t, file)
		if m.Scanned {
			has["scan"] = truth == nil && strings.Join(pages, "") == ""
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
		packet, _, err := Packet(m)
		if err != nil {
			t.Fatal(err)
		}
		twice := strings.Count(strings.Join(pagesOf(t, packet), ""), "RESULT:")
		has["votes printed twice"] = has["votes printed twice"] || twice > strings.Count(strings.Join(pages, ""), "RESULT:")
		has["anomaly"] = has["anomaly"] || len(truth.Anomalies) > 0
	}
	for _, want := range []string{"scan", "template 0", "template 1", "template 2", "block over a page end", "last names only", "curly apostrophe", "votes printed twice", "anomaly"} {
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
		if w.truth.NaysCount != n || len(w.truth.Positions["nay"]) != n || !slices.Contains(w.truth.Positions["nay"], "Ann Lee") {
			t.Errorf("%d names: truth %+v", n, w.truth)
		}
	}
}

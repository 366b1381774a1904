package pdftext

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	RunChild() // the test binary is its own child
	os.Exit(m.Run())
}

// inProcess extracts the text without a child process.
func inProcess(data []byte) Extraction { return read(data, Limits{}.or(int64(len(data)))) }

func attendance(x, y float64) string {
	var b strings.Builder
	for _, row := range [][]string{
		{"Attendee Name", "Title", "Status", "Arrived"},
		{"Tim Halvard", "Supervisor", "Present", ""},
		{"Ana Rivera-Monteiro", "Council Member, District H", "Remote", "5:25 PM"},
		{"Bo Li", "", "Late", "7:10 PM"},
		{"Denise Marchbanks", "Councilwoman", "Absent", ""},
	} {
		for i, dx := range []float64{0, 101, 230, 267} { // narrow columns: some cells nearly touch
			if row[i] != "" {
				b.WriteString(at(x+dx, y, "F1", 10, row[i]))
			}
		}
		y -= 14
	}
	return b.String()
}

// layouts are pages whose expected text is in testdata.
var layouts = map[string]func(m *maker){
	"vote block": func(m *maker) {
		m.page(at(72, 700, "F1", 11, "1.   2024-901  Awards Bid for Town Hall Roof") + voteBlock(100, 680, sampleVote...))
	},
	"attendance": func(m *maker) { m.page(attendance(72, 700)) },
	"two blocks side by side": func(m *maker) {
		m.page(voteBlock(40, 700, sampleVote...) + voteBlock(330, 700, sampleVote...))
	},
	"two pages with footers": func(m *maker) {
		for i := 1; i <= 2; i++ {
			m.page(at(72, 40, "F1", 9, fmt.Sprintf("Page %d of 2", i)) + at(72, 740, "F1", 10, "Town Board") +
				at(500, 740, "F1", 10, "May 6, 2025") + at(72, 700, "F1", 10, "Prose of page "+fmt.Sprint(i)))
		}
	},
	"centred label": func(m *maker) {
		m.page(at(72, 700, "F2", 10, "MOVER:") + at(150, 700, "F1", 10, "Tim Halvard") +
			at(72, 680, "F2", 10, "AYES:") + at(150, 686, "F1", 10, "Halvard, Rosewood,") +
			at(150, 674, "F1", 10, "Kerr, Wasik"))
	},
	"letter by letter": func(m *maker) {
		x, content := 72.0, ""
		for _, r := range "RESULT: NOT ADOPTED [0 TO 5]" {
			content += at(x, 700, "F4", 10, string(r))
			x += 6
		}
		m.page(content)
	},
	"operators": func(m *maker) {
		m.page("BT /F1 10 Tf 14 TL 72 700 Td (Moved) Tj T* (by) Tj 0 -14 Td [(Ro) 20 (se) -20 (wood) -300 (and) -3000 " +
			"(Kerr)] TJ " +
			"(next line) ' 3 0.1 (words apart) \" 0 Tw 0 Tc 50 Tz (narrow) ' 100 Tz 2 Ts ( raised) Tj 0 Ts ET " +
			"q 2 0 0 2 72 200 cm BT /F1 10 Tf (twice as large) Tj ET Q " +
			"BT /F1 1 Tf 10 0 0 10 72 180 Tm (size in the matrix) Tj ET")
	},
	"bold by printing twice": func(m *maker) {
		m.page(at(72, 700, "F1", 10, "Hill, Bill") + at(72.4, 700, "F1", 10, "Hill, Bill") +
			at(72, 680, "F1", 10, "Hill, Bill"))
	},
	"superscript": func(m *maker) {
		m.page(at(72, 700, "F1", 10, "the 4") + at(95.0, 704, "F1", 6, "th") + at(103, 700, "F1", 10, "of July") +
			at(72, 688, "F1", 10, "next line"))
	},
	"forms": func(m *maker) {
		inner := m.stream("/Type /XObject /Subtype /Form /BBox [0 0 300 50] /Resources << /Font << "+m.fonts+" >> >>",
			at(0, 0, "F1", 10, "in a form in a form"))
		outer := m.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 300 50] /Matrix [1 0 0 1 0 -20] /Resources "+
			"<< /Font << %s >> /XObject << /In %d 0 R >> >>", m.fonts, inner),
			at(0, 0, "F1", 10, "in a form")+"q 1 0 0 1 0 -20 cm /In Do Q")
		m.page(at(72, 700, "F1", 10, "on the page") + fmt.Sprintf("q 1 0 0 1 72 700 cm /X%d Do Q", outer))
	},
	"inline image": func(m *maker) {
		m.page(at(72, 700, "F1", 10, "The text before the image is as long as a line.") +
			"BI /W 4 /H 4 /BPC 8 /CS /G ID \x00(EI\xff) BT ET\x80\x90 EI Q " + at(72, 680, "F1", 10, "after"))
	},
	"page turned": func(m *maker) {
		m.extra = "/Rotate 90"
		m.page("0 1 -1 0 612 0 cm " + voteBlock(100, 500, sampleVote...))
	},
	"text turned on the page": func(m *maker) {
		m.page("q 0 1 -1 0 612 0 cm " + voteBlock(100, 500, sampleVote...) + "Q " + at(40, 40, "F1", 8, "Page 1"))
	},
	"margin text turned": func(m *maker) {
		m.page("q 0 1 -1 0 30 300 cm " + at(0, 0, "F1", 8, "RECEIVED BY CLERK") + "Q " + voteBlock(100, 500, sampleVote...))
	},
	"visible part of the page": func(m *maker) {
		m.extra = "/CropBox [100 100 400 400]"
		m.page(at(120, 380, "F1", 10, "inside") + at(120, 600, "F1", 10, "above the cut") +
			at(500, 300, "F1", 10, "beside it"))
	},
	"visible and invisible text": func(m *maker) {
		m.page(at(72, 700, "F1", 10, "What the page shows, in so many words.") + "3 Tr " + at(72, 680, "F1", 10, "hidden"))
	},
	"borders part words": func(m *maker) {
		m.page("100 660 m 100 720 l S 139 660 0.5 60 re f " + at(102, 700, "F1", 10, "Remote") +
			at(141, 700, "F1", 10, "5:25 PM"))
	},
	"switched off layer": func(m *maker) {
		g := m.add("<< /Type /OCG /Name (Draft) >>")
		m.root = fmt.Sprintf("/OCProperties << /OCGs [%d 0 R] /D << /OFF [%d 0 R] >> >>", g, g)
		m.fonts += fmt.Sprintf(">> /Properties << /L %d 0 R ", g)
		m.page(at(72, 700, "F1", 10, "final") + "/OC /L BDC " + at(72, 680, "F1", 10, "DRAFT") + "EMC " +
			at(72, 660, "F1", 10, "text"))
	},
	"justified line": func(m *maker) {
		m.page("BT /F1 10 Tf 72 700 Td 9 Tw (Words of a line stretched to the margin) Tj 0 Tw 0 -14 Td (Words of an " +
			"ordinary line) Tj ET")
	},
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for name, draw := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMaker()
			draw(m)
			got, err := Extract(context.Background(), m.bytes(), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != council.VerdictWhole {
				t.Fatalf("status %s, notes %v", got.Verdict, got.Notes)
			}
			golden(t, strings.ReplaceAll(name, " ", "-"), got.Text)
			same := inProcess(m.bytes())
			if diff := cmp.Diff(same, got); diff != "" {
				t.Errorf("the results of the child and of this process differ:\n%s", diff)
			}
		})
	}
}

// golden compares a text with testdata/NAME.txt. There, a separate line marks the end of each page.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\f", "<form feed>\n")
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s:\n%s", path, diff)
	}
}

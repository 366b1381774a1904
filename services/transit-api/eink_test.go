package transitapi

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/transit-api/internal/eink"
)

func station() *eink.Board {
	return &eink.Board{Title: "Ferry Terminal · Harbour Square", Lines: 7,
		Heads: eink.Row{Line: "Line", To: "To", Platform: "Platform", Clock: "Leaves"},
		Rows: []eink.Row{
			{Line: "10", To: "University via Old Town", Clock: "12:07", WasClock: "12:04", Origin: "live", Under: "3 min late",
				Platform: "A"},
			{Line: "22", To: "Čakovec – Łódź Główna", Clock: "12:09", Origin: "live", Under: "on time", Platform: "B"},
			{Line: "X4", To: "Ηράκλειο", Clock: "12:15", Origin: "timetable", Gone: true, Under: "cancelled"},
			{Line: "10", To: "София Централна гара", Clock: "12:22", Origin: "estimated", Under: "from Harbour Square",
				Platform: "A"},
			{Line: "Night", To: "Depot", Clock: "12:31", Origin: "timetable"},
			{Line: "22", To: "Airport", Clock: "12:39", Origin: "timetable", Platform: "B"},
		},
		Notice: "Stop moved: until Friday buses leave from Quay Street, 200 m to the north, because of works at the " +
			"harbour and the bridge.",
		Quiet: []string{"Harbour Square: no departures until 17:05."},
		Foot:  []string{"Live", "If the first departure has passed, this display has no connection."}}
}

// printer is shared by all tests.
var printer = sync.OnceValues(eink.Open)

func panelOf(width, height, bits int) conf.Picture {
	return conf.Picture{Width: width, Height: height, Bits: bits}
}

func drawn(t *testing.T, b *eink.Board, panel conf.Picture) *image.Paletted {
	t.Helper()
	p, err := printer()
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Draw(b, panel)
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("TOWNLINE_SCREENSHOTS"); folder != "" {
		name := fmt.Sprintf("%s-%dx%d-%d.png", strings.ReplaceAll(t.Name(), "/", "-"), panel.Width, panel.Height, panel.Bits)
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	picture, ok := decoded.(*image.Paletted)
	if err != nil || !ok || picture.Bounds() != image.Rect(0, 0, panel.Width, panel.Height) {
		t.Fatalf("%T, %v", decoded, err)
	}
	return picture
}

// Each fact on a board changes the picture, on each type of panel.
func TestEachFactIsDrawn(t *testing.T) {
	t.Parallel()
	for _, panel := range []conf.Picture{panelOf(400, 240, 4), panelOf(300, 400, 2), panelOf(400, 300, 1)} {
		t.Run(fmt.Sprintf("%d by %d", panel.Width, panel.Height), func(t *testing.T) {
			t.Parallel()
			whole := drawn(t, station(), panel)
			if again := drawn(t, station(), panel); !differing(whole, again).Empty() {
				t.Error("an unchanged board gives another picture")
			}
			for what, change := range map[string]func(*eink.Board){
				"title":     func(b *eink.Board) { b.Title = "Ferry" },
				"head":      func(b *eink.Board) { b.Heads.Clock = "At" },
				"line":      func(b *eink.Board) { b.Rows[0].Line = "11" },
				"to":        func(b *eink.Board) { b.Rows[1].To = "Elsewhere" },
				"under":     func(b *eink.Board) { b.Rows[0].Under = "4 min late" },
				"platform":  func(b *eink.Board) { b.Rows[0].Platform = "C" },
				"clock":     func(b *eink.Board) { b.Rows[0].Clock = "12:08" },
				"was":       func(b *eink.Board) { b.Rows[0].WasClock = "12:03" },
				"origin":    func(b *eink.Board) { b.Rows[0].Origin = "estimated" },
				"cancelled": func(b *eink.Board) { b.Rows[2].Gone = false },
				"row":       func(b *eink.Board) { b.Rows = b.Rows[:5] },
				"notice":    func(b *eink.Board) { b.Notice = "Closed" },
				"no notice": func(b *eink.Board) { b.Notice = "" },
				"foot":      func(b *eink.Board) { b.Foot[0] = "Timetable" },
				"quiet":     func(b *eink.Board) { b.Rows, b.Quiet[0] = nil, "no departures" },
			} {
				b := station()
				change(b)
				if panel.Height <= 300 && what == "row" {
					continue // the panel fits fewer rows
				}
				if differing(whole, drawn(t, b, panel)).Empty() {
					t.Errorf("the picture does not change with: %s", what)
				}
			}
		})
	}
}

// differing returns the area in which two pictures differ.
func differing(a, b *image.Paletted) image.Rectangle {
	var r image.Rectangle
	for i, ink := range a.Pix {
		if x, y := i%a.Stride, i/a.Stride; ink != b.Pix[i] {
			r = r.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return r
}

// hostile has texts that could overflow their cells: long, stacked, reversed, without spaces or
// glyphs.
var hostile = []string{
	strings.Repeat("W", 3900), strings.Repeat("ﷺ", 300), "Z" + strings.Repeat("\u0335\u0489\u0310", 500),
	"\u202e\u2066Ferry\u2069", "<b>&amp;\x00\x1b[31m", strings.Repeat("長い名前", 300),
	strings.Repeat("a ", 2000), "\xff\xfe", "👨‍👩‍👧‍👦" + strings.Repeat("🏴", 400),
}

// A text from a feed changes only its own cell.
func TestHostileNamesStayInTheirCells(t *testing.T) {
	t.Parallel()
	panel := panelOf(400, 240, 4)
	plain := station()
	for _, r := range []*string{&plain.Rows[3].To, &plain.Rows[3].Under} {
		*r = ""
	}
	before := drawn(t, plain, panel)
	for i, name := range hostile {
		b := station()
		b.Rows[3].To, b.Rows[3].Under = name, name
		at := differing(before, drawn(t, b, panel))
		if at.Dy() > 26 || at.Dx() > 280 {
			t.Errorf("text %d changes %v", i, at)
		}
		for _, every := range []func(*eink.Board){
			func(b *eink.Board) {
				b.Title, b.Notice, b.Foot = name, name, []string{name, name, name}
				for i := range b.Rows {
					b.Rows[i] = eink.Row{Line: name, To: name, Under: name, Platform: name, Clock: "12:00", WasClock: name,
						Origin: name, Gone: i%2 == 0}
				}
			},
			func(b *eink.Board) { b.Rows, b.Quiet = nil, []string{name, name, name, name, name, name} },
		} {
			b := station()
			every(b)
			for _, small := range []conf.Picture{panelOf(300, 100, 1), panelOf(100, 300, 2)} {
				drawn(t, b, small)
			}
		}
	}
}

// The fonts have the letters of Latin, Greek and Cyrillic languages. Letters that a font lacks look
// alike.
func TestFontsHaveTheLetters(t *testing.T) {
	t.Parallel()
	const letters = "AZaz09ÁÉÍÑÓÚÜáéíñóúü¿¡ÀÂÇÈÊËÎÏÔŒÙÛàâçèêëîïôœùûÄÖßäöåøæČĆĐŠŽčćđšžĄĘŁŃŚŹŻąęłńśźżŐŰőűĂÎĞİŞğış" +
		"ΑΒΓΔΩάέήίόύώАБВГДЖЯабвгджяіїєґ·–—’“”…→×€"
	panel := panelOf(200, 100, 4)
	for font, boardOf := range map[string]func(letter string) *eink.Board{
		"bold":    func(letter string) *eink.Board { return &eink.Board{Quiet: []string{letter}} },
		"regular": func(letter string) *eink.Board { return &eink.Board{Foot: []string{letter}} },
	} {
		missing := drawn(t, boardOf("長"), panel)
		if !differing(missing, drawn(t, boardOf("名"), panel)).Empty() {
			t.Errorf("%s: the letters that the font lacks differ", font)
		}
		for _, r := range letters {
			if differing(missing, drawn(t, boardOf(string(r)), panel)).Empty() {
				t.Errorf("%s: no glyph for %q", font, r)
			}
		}
	}
}

func TestPanelsOfOneBit(t *testing.T) {
	t.Parallel()
	one := drawn(t, station(), panelOf(800, 480, 1))
	if len(one.Palette) != 2 || one.Palette[0] != (color.RGBA{A: 255}) {
		t.Errorf("a 1-bit picture has the colours %v", one.Palette)
	}
}

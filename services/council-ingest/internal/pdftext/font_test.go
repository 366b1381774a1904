package pdftext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// fontPages are pages with fonts that are not built in.
var fontPages = map[string]func(m *maker){
	// Browsers write such fonts: two-byte codes with ToUnicode, widths in ranges and lists.
	"two-byte font": func(m *maker) {
		uni := m.stream("", "1 begincodespacerange <0000> <ffff> endcodespacerange 6 beginbfchar <0001> <0041> <0002> "+
			"<0059> <0003> <0045> <0004> <0053> <0005> <003A> <0006> <004E> endbfchar")
		m.fonts += fmt.Sprintf("/T %d 0 R ", m.twoByte("/W [1 3 667 5 [278 722]] /DW 667", uni, "/Encoding /Identity-H"))
		m.page("BT /T 10 Tf 72 700 Td <00010002000300040005> Tj 80 0 Td <00060001000200040005> Tj ET " +
			at(190, 700, "F1", 10, "and plain text"))
	},
	// OCR programs write such fonts: the codes are Unicode, in one range from zero.
	"one range for all": func(m *maker) {
		uni := m.stream("", "1 beginbfrange <0000> <ffff> <0000> endbfrange")
		m.fonts += fmt.Sprintf("/T %d 0 R ", m.twoByte("/DW 500", uni, "/Encoding /Identity-H"))
		m.page("BT /T 10 Tf 72 700 Td <004E00FA00F10065007A> Tj ET " + at(110, 700, "F1", 10, "and plain text"))
	},
	// Two pages use the same name for different fonts. One page shows Y, the other N.
	"one name for two fonts": func(m *maker) {
		base := m.fonts
		for _, c := range []string{"Y", "N"} {
			uni := m.stream("", fmt.Sprintf("1 beginbfchar <01> <%04X> endbfchar", c[0]))
			n := m.add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Own /FirstChar 1 /LastChar 1 /Widths "+
				"[600] /ToUnicode %d 0 R >>", uni))
			m.fonts = base + fmt.Sprintf("/T %d 0 R ", n)
			m.page("BT /T 10 Tf 72 700 Td <01> Tj ET " + at(90, 700, "F1", 10, "is what this page says"))
		}
	},
	// There is no ToUnicode, but there are names of glyphs in the style of TeX and printer drivers.
	"glyph names": func(m *maker) {
		n := m.add("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 /FirstChar 1 /LastChar 12 /Widths [500 500 500 " +
			"500 556 500 500 300 300 500 300 500] " +
			"/Encoding << /Type /Encoding /Differences [1 /N /uni00FA /ntilde /e /z /hyphen /quoteright /fi 9 /f_l /Ccaron " +
			"/comma /a.sc] >> >>")
		m.fonts += fmt.Sprintf("/T %d 0 R ", n)
		m.page(`BT /T 10 Tf 72 700 Td (\001\002\003\004\005\006\007\010\011\012\013\014) Tj ET ` +
			at(160, 700, "F1", 10, "and plain text"))
	},
	// There are no widths, so the words are separated by estimates.
	"no widths": func(m *maker) {
		n := m.add("<< /Type /Font /Subtype /TrueType /BaseFont /Garamond /Encoding /WinAnsiEncoding >>")
		z := m.add("<< /Type /Font /Subtype /TrueType /BaseFont /Zero /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar " +
			"126 /Widths [" + strings.Repeat("0 ", 95) + "] >>")
		m.fonts += fmt.Sprintf("/T %d 0 R /Z %d 0 R ", n, z)
		m.page("BT /T 10 Tf 72 700 Td (Words of a line) Tj 0 -20 Td /Z 10 Tf (all of it llama) Tj ET")
	},
	// Procedures draw the letters in a coordinate space of their own.
	"drawn letters": func(m *maker) {
		p := m.stream("", "600 0 d0 0 0 500 700 re f")
		n := m.add(fmt.Sprintf("<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] "+
			"/FirstChar 65 /LastChar 67 /Widths [6 6 6] "+
			"/CharProcs << /A %[1]d 0 R /B %[1]d 0 R /a67 %[1]d 0 R >> /Encoding << /Differences [65 /A /B /a67] >> >>", p))
		m.fonts += fmt.Sprintf("/T %d 0 R ", n)
		m.page("BT /T 10 Tf 72 700 Td (ABC) Tj ( ) Tj 24 0 Td (CAB) Tj ET " + at(150, 700, "F1", 10, "and plain text"))
	},
	// Blanks, hyphens, bullets and ligatures.
	"signs": func(m *maker) {
		uni := m.stream("", "9 beginbfchar <01> <00A0> <02> <00AD> <03> <FB01> <04> <F0B7> <05> <200B> <06> <2011> <07> "+
			"<0009> <08> <D83DDE00> <09> <00660066> endbfchar 1 beginbfrange <41> <7a> <0041> endbfrange")
		n := m.add(fmt.Sprintf("<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Own /FirstChar 1 /LastChar 122 /Widths "+
			"[%s] /ToUnicode %d 0 R >>", strings.Repeat("500 ", 122), uni))
		m.fonts += fmt.Sprintf("/T %d 0 R ", n)
		m.page(`BT /T 10 Tf 72 700 Td (\004\001Rivera\002Monteiro\001of\003ce\001o\011er\001twenty\006one\005s\007tab\010) Tj ET`)
	},
}

// twoByte adds a Type 0 font.
func (m *maker) twoByte(widths string, unicode int, encoding string) int {
	below := m.add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Own /CIDSystemInfo << /Registry (Adobe) " +
		"/Ordering (Identity) /Supplement 0 >> " + widths + " >>")
	return m.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Own %s /DescendantFonts [%d 0 R] "+
		"/ToUnicode %d 0 R >>", encoding, below, unicode))
}

func TestFonts(t *testing.T) {
	t.Parallel()
	for name, draw := range fontPages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMaker()
			draw(m)
			got := inProcess(m.bytes())
			if got.Verdict != council.VerdictWhole {
				t.Fatalf("status %s, notes %v", got.Verdict, got.Notes)
			}
			golden(t, "font-"+strings.ReplaceAll(name, " ", "-"), got.Text)
		})
	}
}

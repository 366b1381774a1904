package doctext

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

func TestEndlessTextIsRefused(t *testing.T) {
	t.Parallel()
	text, err := Read(t.Context(), bytes.Repeat([]byte("RESULT: ADOPTED [3 TO 1]\n"), maxTextLines+1))
	if err != nil || text.Verdict != council.VerdictTooLarge || text.Text != nil || text.Error == "" {
		t.Errorf("%s %q, %v", text.Verdict, text.Error, err)
	}
}

func TestInvisibleCharactersAreDropped(t *testing.T) {
	t.Parallel()
	for _, r := range []rune{0x200b, 0x200e, 0x061c, 0x2066, 0x2069, 0x206f, 0x202e, 0xfeff, 0xfe0f, 0x034f, 0xe0041,
		0x180e, 0x7f} {
		if got, notes := visibleText(fmt.Sprintf("a%cb", r), true); got != "ab" || len(notes) != 1 || notes[0].Page != 1 {
			t.Errorf("%U: %q, %v", r, got, notes)
		}
	}
	if got, notes := visibleText("\ufeffNúñez – O’Keefe\tMüller\u00adson\n東京\f",
		false); got != "Núñez – O’Keefe\tMüllerson\n東京\f" || notes != nil {
		t.Errorf("%q, %v", got, notes)
	}
}

// Pages from elsewhere may contain our mark, and any number of notes.
func TestNotesOfForeignPages(t *testing.T) {
	t.Parallel()
	page := recordsMark + "<body>" + strings.Repeat(
		`<aside data-code="no-such-code">x</aside><aside>x</aside><aside data-code="text-cut">x</aside>`, 2*MaxFiles)
	if _, notes, err := readWebPage([]byte(page)); err != nil || len(notes) != MaxFiles+1 || notes[0].Code != "text-cut" {
		t.Errorf("%d notes, %v", len(notes), err)
	}
}

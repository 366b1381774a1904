package snippet

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
)

func marks(s string) string {
	return strings.NewReplacer("[", string(Start), "]", string(Stop)).Replace(s)
}

func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	for name, c := range map[string]struct {
		text, marked string
		want         string // with brackets around what was found
	}{
		"accents stay as printed":       {"The Café on Łódź Street", "The [Cafe] on [Lodz] Street", "The [Café] on [Łódź] Street"},
		"an accent of its own":          {"Cafe\u0301 open", "[Cafe] open", "[Cafe\u0301] open"},
		"a ligature":                    {"the oﬃce moved", "the [office] moved", "the [oﬃce] moved"},
		"lines become blanks":           {"  to adopt\n\n   the budget ", "  to adopt\n\n   the [budget] ", "to adopt the [budget]"},
		"nothing found":                 {"to adopt", "to adopt", "to adopt"},
		"marks in the text are dropped": {marks("to [adopt] it"), "to adopt it", "to adopt it"},
		"what looks like a tag stays":   {"<b>housing</b>", " b>[housing] /b>", "<b>[housing]</b>"},
		"texts that differ":             {"the housing plan", "xhe [housing] plan", "the housing plan"},
		"the place with most words":     {"budget " + long + "the budget of the water fund " + long, "[budget] " + long + "the [budget] of the [water] fund " + long, ""},
		"a short text stays whole":      {strings.Repeat("word ", 20) + "budget", strings.Repeat("word ", 20) + "[budget]", strings.Repeat("word ", 20) + "[budget]"},
		"empty":                         {"", "", ""},
	} {
		parts := Cut(c.text, marks(c.marked), 200)
		var got strings.Builder
		for _, p := range parts {
			if p.Match {
				got.WriteString("[" + p.Text + "]")
			} else {
				got.WriteString(p.Text)
			}
		}
		if name == "the place with most words" {
			if s := got.String(); !strings.Contains(s, "the [budget] of the [water] fund") || !strings.HasPrefix(s, "… word") || !strings.HasSuffix(s, "word …") || len(s) > 220 {
				t.Errorf("%s: %q", name, s)
			}
			continue
		}
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", name, got.String(), c.want)
		}
	}
}

// FuzzCut: a snippet has only characters of the text, in their order, whatever is marked.
func FuzzCut(f *testing.F) {
	f.Add("The Café on Łódź Street", marks("The [Cafe] on [Lodz] Street"), 20)
	f.Add("a\x00b\ufffd", marks("]]["), 1)
	f.Fuzz(func(t *testing.T, text, marked string, length int) {
		var got strings.Builder
		for _, p := range Cut(text, marked, length%1000) {
			got.WriteString(p.Text)
		}
		plain := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) || r == '…' || r == Start || r == Stop {
					return -1
				}
				return r
			}, string([]rune(s)))
		}
		if !strings.Contains(plain(text), plain(got.String())) {
			t.Errorf("%q is not of %q", got.String(), text)
		}
	})
}

func TestWithoutMarkTheWholeShortTextStays(t *testing.T) {
	t.Parallel()
	if got, want := Cut("short", "short", 200), []TextPart{{"short", false}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

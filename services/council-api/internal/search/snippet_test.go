package search

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func wanting(words string) map[string]bool {
	wanted := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		wanted[word] = true
	}
	return wanted
}

func TestCutSnippetMarksWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	for name, c := range map[string]struct {
		text, wanted string
		want         string // matches are in brackets
	}{
		"accents stay as printed":     {"The Café on Łódź Street", "cafe lodz", "The [Café] on [Łódź] Street"},
		"an accent of its own":        {"Cafe\u0301 open", "cafe", "[Cafe\u0301] open"},
		"a ligature":                  {"the oﬃce moved", "office", "the [oﬃce] moved"},
		"lines become blanks":         {"  to adopt\n\n   the budget ", "budget", "to adopt the [budget]"},
		"nothing found":               {"to adopt", "", "to adopt"},
		"a part of a word is not it":  {"to adopt adoption", "adopt", "to [adopt] adoption"},
		"what looks like a tag stays": {"<b>housing</b>", "housing", "<b>[housing]</b>"},
		"signs between": {"file 2024-925, O’Brien/Núñez", "925 brien nunez",
			"file 2024-[925], O’[Brien]/[Núñez]"},
		"broken text":               {"a\xff housing", "housing", "a\ufffd [housing]"},
		"the place with most words": {"budget " + long + "the budget of the water fund " + long, "budget water", ""},
		"a short text stays whole": {strings.Repeat("word ", 20) + "budget", "budget", strings.Repeat("word ", 20) +
			"[budget]"},
		"empty": {"", "", ""},
	} {
		parts := CutSnippet(c.text, wanting(c.wanted), 200)
		var got strings.Builder
		for _, p := range parts {
			if p.Match {
				got.WriteString("[" + p.Text + "]")
			} else {
				got.WriteString(p.Text)
			}
		}
		if name == "the place with most words" {
			if s := got.String(); !strings.Contains(s, "the [budget] of the [water] fund") || !strings.HasPrefix(s, "… word") ||
				!strings.HasSuffix(s, "word …") || len(s) > 220 {
				t.Errorf("%s: %q", name, s)
			}
			continue
		}
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", name, got.String(), c.want)
		}
	}
}

func TestFoldedWords(t *testing.T) {
	t.Parallel()
	got := slices.Collect(FoldedWords("The Café, 24/7: Ærø’s <b>oﬃce</b>\n\u0301 Ł"))
	if want := []string{"the", "cafe", "24", "7", "æro", "s", "b", "office", "b", "l"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// For any query, a snippet is part of the text.
func FuzzCutSnippet(f *testing.F) {
	f.Add("The Café on Łódź Street", "cafe lodz", 20)
	f.Add("a\x00b\ufffd", "a", 1)
	f.Fuzz(func(t *testing.T, text, wanted string, length int) {
		var got strings.Builder
		for _, p := range CutSnippet(text, wanting(wanted), length%1000) {
			got.WriteString(p.Text)
		}
		plain := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) || r == '…' {
					return -1
				}
				return r
			}, string([]rune(s)))
		}
		if !strings.Contains(plain(text), plain(got.String())) {
			t.Errorf("%q is not part of %q", got.String(), text)
		}
	})
}

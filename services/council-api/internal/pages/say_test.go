package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/site"
)

// Each anomaly has a sentence for residents in each language.
func TestDoubtsHaveWords(t *testing.T) {
	s, err := site.New(content, council.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range site.Languages() {
		for _, code := range council.AnomalyCodes() {
			if _, err := s.Words(language).Say("doubt." + string(code)); err != nil {
				t.Errorf("language %s: %v", language, err)
			}
		}
	}
}

func english(t *testing.T) Speaker {
	t.Helper()
	s, err := site.New(content, council.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	return Speaker{Speaker: s.Speaker("en", lang.Locale{})}
}

// A vote without ayes and nays is not divided, for example a motion without a seconder.
func TestOutcome(t *testing.T) {
	say := english(t)
	for _, c := range []struct {
		ayes, nays int
		unanimous  bool
		split      bool
	}{{0, 0, false, false}, {5, 2, false, true}, {0, 7, false, true}, {7, 0, true, false}} {
		if got := say.Outcome(council.Other, c.ayes, c.nays, c.unanimous).Split; got != c.split {
			t.Errorf("a vote of %d to %d is divided: %v, want %v", c.ayes, c.nays, got, c.split)
		}
	}
}

func TestMotion(t *testing.T) {
	say := english(t)
	for _, c := range []struct {
		text      string
		place, of int
		want      string
	}{
		{"Councilmember Lee made the motion to amend the resolution.", 1, 2, "Motion to amend"},
		{"Mayor Lee moved, seconded by Ibarra, to continue the hearing.", 1, 1, "Motion to postpone"},
		{"Councilmember Lee made the motion to substitute a continuance.", 1, 2, "Substitute motion"},
		{"Councilmember Lee made the motion to adopt Ordinance 12, amending Chapter 17.", 2, 2, "Main motion"},
		{"Councilmember Lee made the motion to adopt Ordinance 12, amending Chapter 17.", 1, 1, ""},
		{"", 1, 3, "Motion 1"},
		{"Mayor Lee made the motion to adopt it.", 2, 0, ""},
	} {
		if got := say.Motion(c.text, c.place, c.of); got != c.want {
			t.Errorf("%q, %d of %d: %q, want %q", c.text, c.place, c.of, got, c.want)
		}
	}
}

// French and Spanish have the spaces of their typography, which do not break, and French counts
// nothing in the singular.
func TestTypography(t *testing.T) {
	t.Parallel()
	s, err := site.New(content, council.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	broken := regexp.MustCompile(`[ \x{a0}](?:[:;?!»%])|^[:;?!]|« `)
	for key, sentence := range s.Words("fr") {
		if broken.MatchString(sentence) {
			t.Errorf("%s = %q", key, sentence)
		}
	}
	for language, want := range map[string][3]string{"en": {"0 votes", "1 vote", "Error: x"},
		"es": {"0 votaciones", "1 votación", "Error: x"}, "fr": {"0 vote", "1 vote", "Erreur\u202f: x"}} {
		say := Speaker{Speaker: s.Speaker(language, lang.Locale{})}
		got := [3]string{say.Many("votes", 0), say.Many("votes", int64(1)), say.Text("report.subject", "x")}
		if got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
	if got := s.Words("es").Text("site.percent", 5); got != "5\u202f%" {
		t.Errorf("%q", got)
	}
}

// What programs write about a change in English has a sentence in each language; people's own words
// stay, and what has no sentence is only on English pages.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	s, err := site.New(content, council.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range site.Languages() {
		p := &page{Head: site.Head{Lang: language}, Speaker: Speaker{Speaker: s.Speaker(language, lang.Locale{})}}
		for _, reason := range []string{"new document", "minutes replaced", "reparse with parser 80", "agenda read",
			"another meeting has the same minutes", "agenda or settings changed", "corrections", "found on the calendar",
			"on the calendar", "on the way", "cancelled on the portal", "no longer cancelled on the portal",
			"the meeting is over", "the meeting is over, no approved minutes yet", "minutes archived and parsed",
			"minutes archived but not parsed: page 2: no text",
			"minutes archived, but none of the votes that they speak of was read"} {
			if said := p.Reason(reason); said == "" || said == reason {
				t.Errorf("%s: %q is %q", language, reason, said)
			}
		}
		if said := p.Fields([]string{"mover_name", "positions"}); strings.Contains(said, "_") {
			t.Errorf("%s: %q", language, said)
		}
	}
	p := &page{Head: site.Head{Lang: "fr"}, Speaker: Speaker{Speaker: s.Speaker("fr", lang.Locale{})}}
	for reason, want := range map[string]string{"something else happened": "",
		"correction 3 by Ann: wrong row (page 4)":           "Correction 3 d’Ann: wrong row (page 4)",
		"correction 2 withdrawn by Bo: no (recording, 0:1)": "Correction 2 retirée par Bo: no (recording, 0:1)"} {
		if said := p.Reason(reason); said != want {
			t.Errorf("%q is %q, want %q", reason, said, want)
		}
	}
}

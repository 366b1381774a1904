package council_test

import (
	"testing"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

func TestFoldName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Siobhan O’Mara":  "siobhan omara",
		"SIOBHAN  O'MARA": "siobhan omara",
		"Ruiz-Santos":     "ruizsantos",
		"Ruiz‑Santos":     "ruizsantos",
		"Zoë  Ekström":    "zoe ekstrom",
		"Doe, Jr.":        "doe jr",
		" J.P. Roe ":      "j p roe",
		"ЖАННА":           "жанна",
		"":                "",
	} {
		if got := council.FoldName(in); got != want {
			t.Errorf("%q folds to %q, want %q", in, got, want)
		}
	}
}

func TestLastName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Jan van der Meer":  "van der Meer",
		"Walter Finch Jr.":  "Finch",
		"Walter Finch, III": "Finch",
		"Pilar Ruiz-Santos": "Ruiz-Santos",
		"Edith St. Clair":   "St. Clair",
		"Van Dyke":          "Dyke", // the first word is never a particle
		"Prince":            "Prince",
		"":                  "",
	} {
		if got := council.LastName(in); got != want {
			t.Errorf("last name of %q is %q, want %q", in, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	var roster council.Roster
	for _, name := range []string{"Agnes Marlow", "Bertram Marlow", "Jan van der Meer", "Siobhan O’Mara",
		"Walter Finch Jr.", "Walter Finch Sr.",
		"Roberta “Bobbie” Tull", "E. Denise Quarles", "Pilar Ruiz-Santos", "Cornelius Abernathy"} {
		if !roster.Add(name) {
			t.Fatalf("%s was not added", name)
		}
	}
	for _, again := range []string{"AGNES MARLOW", "Siobhan O'Mara", " ", "Jr."} {
		if roster.Add(again) != (again == "Jr.") {
			t.Errorf("Add(%q)", again)
		}
	}
	for _, c := range []struct {
		printed, want string
		match         council.NameMatch
	}{
		{"AGNES MARLOW", "Agnes Marlow", council.MatchFull},
		{"Marlow", "Marlow", council.MatchAmbiguous},
		{"A. Marlow", "Agnes Marlow", council.MatchGiven},
		{"Bert Marlow", "Bertram Marlow", council.MatchGiven},
		{"van der Meer", "Jan van der Meer", council.MatchLast},
		{"Meer", "Jan van der Meer", council.MatchLast},
		{"O'MARA", "Siobhan O’Mara", council.MatchLast},
		{"Finch", "Finch", council.MatchAmbiguous},
		{"Finch, Jr.", "Walter Finch Jr.", council.MatchLast},
		{"Walter Finch", "Walter Finch", council.MatchAmbiguous},
		{"Bobbie Tull", "Roberta “Bobbie” Tull", council.MatchGiven},
		{"Roberta Tull", "Roberta “Bobbie” Tull", council.MatchFull},
		{"Denise Quarles", "E. Denise Quarles", council.MatchLast},
		{"Pilar M. Ruiz-Santos", "Pilar Ruiz-Santos", council.MatchGiven},
		{"Ruiz Santos", "Pilar Ruiz-Santos", council.MatchLast},
		{"Abernahty", "Cornelius Abernathy", council.MatchMisspelt},
		{"Cornelius Abernahty", "Cornelius Abernathy", council.MatchMisspelt},
		{"Cornelia Abbott", "Cornelia Abbott", council.MatchNone},
		{"Agnes Marlow Bertram Marlow", "Agnes Marlow Bertram Marlow", council.MatchNone},
		{"Mara", "Mara", council.MatchNone},
		{"", "", council.MatchNone},
	} {
		for range 2 { // the second result comes from the cache
			got, match := roster.Resolve(c.printed)
			if got != c.want || match != c.match {
				t.Errorf("%q is %q (match %d), want %q (%d)", c.printed, got, match, c.want, c.match)
			}
		}
	}
	roster.Add("Carlotta Ekeberg")
	if got, match := roster.Resolve("Ekeberg"); match != council.MatchLast {
		t.Errorf("a member who was added later is not found: %q", got)
	}
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"adpoted", "adopted", 1}, {"tabled", "tableed", 1}, {"cat", "dog", 3},
		{"ab", "ba", 1}} {
		if got := council.EditDistance(c.a, c.b); got != c.want || council.EditDistance(c.b, c.a) != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// Resolve returns a member of the roster, or the printed text.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"Marlow", "J. van der Meer", "“Bo” (x", "O’Mara Jr", "\xff", "a b c d e f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, printed string) {
		var roster council.Roster
		for _, name := range []string{"Agnes Marlow", "Bertram Marlow", "Jan van der Meer", "Roberta “Bobbie” Tull"} {
			roster.Add(name)
		}
		got, match := roster.Resolve(printed)
		isMember := false
		for _, name := range roster.Names() {
			isMember = isMember || name == got
		}
		if match.Found() && !isMember || !match.Found() && match != council.MatchNone && match != council.MatchAmbiguous {
			t.Errorf("Resolve(%q) = %q, match %d", printed, got, match)
		}
		if utf8.ValidString(printed) && council.FoldName(council.FoldName(printed)) != council.FoldName(printed) {
			t.Errorf("folding %q again gives %q", printed, council.FoldName(council.FoldName(printed)))
		}
	})
}

// An office without a name is no person. Family names that are also offices stay names.
func TestIsOffice(t *testing.T) {
	t.Parallel()
	for _, office := range []string{"Mayor", "Mr. President", "Council President Pro Tem", "Vice-Chair", "The Chair",
		"Presiding Officer", "Madam Speaker", "Deputy Mayor"} {
		if !council.IsOffice(office) {
			t.Errorf("%q is read as a name", office)
		}
	}
	for _, name := range []string{"", "Ward", "Mayor Smith", "Ms. Ward", "Town", "John Mayor", "Justice", "Council"} {
		if council.IsOffice(name) {
			t.Errorf("%q is read as an office", name)
		}
	}
}

package person_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func TestIsName(t *testing.T) {
	t.Parallel()
	w := person.NewWords()
	for _, name := range []string{"Doe", "Odile Brandt", "Jan van der Meer", "Walter Finch Jr.", "Robert King, Jr.",
		"Bo Morgan III", "J. Doe", "J.R. Doe", "Emil D. Hart", "Tadhg O’Shea", "O'Mara", "Stone-Williams", "LaNae Millett",
		"Trent McRae", "Novak Uí Chonchúir", "Núñez", "HUBER", "RON PATRICK", "James “Skip” Doe", "Gail Reeve", "April Jones",
		"Theresa May", "d'Arcy", "El Tabchi", "Ng", "José Ortega y Gasset", "Gary Page", "Summer Vance", "Lee St. James",
		"Tom Macdonald", "Chi Ha-Ly"} {
		if !w.IsName(name) {
			t.Errorf("%q is no name", name)
		}
	}
	for _, text := range []string{"", "All", "None", "Unanimous", "No one", "NO ONE", "Jr.", "III", "Mayor",
		"Mayor Pro Tem",
		"the Chair", "Vice Chair", "Trustee", "Councillors", "April", "April 7", "May", "Tuesday", "Tuesday March", "7", "-0-", "—",
		"Reyn-", "-olds", "J.", "NEW BUSINESS", "City Council", "Public Hearing", "Motion Carried", "Consent Agenda", "AYES",
		"Item", "Resolution", "seconded", "doe", "and Doe", "Doe and", "Page 3", "Acme, Inc.", "Planning Commission",
		"Roll Call", "City Attorney", "Council Financial Analyst", "The Motion", "Members Present", "van", "van der", "Minutes",
		"Approval of Minutes", "a resident", "Finance Committee", "Les conseillers", "Adoptée", "Aprobada", "Page", "Doe: Roe", "Doe, Roe", "CAO-Clerk", "Xeno-Treasurer", "Doe)", "(Doe)",
		"x@y.example", "Doe | Roe", "A.B.", "Ja_ne Doe", strings.Repeat("Doe ", 30)} {
		if w.IsName(text) {
			t.Errorf("%q is a name", text)
		}
	}
}

func TestCutOffice(t *testing.T) {
	t.Parallel()
	w := person.NewWords("jurat")
	for text, want := range map[string][2]string{
		"Trustee Doe":                  {"Trustee", "Doe"},
		"Vice Mayor Rosamund Fay":      {"Vice Mayor", "Rosamund Fay"},
		"Mayor Pro Tem Doe":            {"Mayor Pro Tem", "Doe"},
		"Mayor Pro Tem":                {"Mayor Pro Tem", ""},
		"Ward 3 Council Member Brandt": {"Ward 3 Council Member", "Brandt"},
		"Council Member Doe":           {"Council Member", "Doe"},
		"Board President McRae":        {"Board President", "McRae"},
		"Cllr Sue Lintern":             {"Cllr", "Sue Lintern"},
		"Ald. Doe":                     {"Ald.", "Doe"},
		"Dr. Jane Doe":                 {"Dr.", "Jane Doe"},
		"Mr. Doe":                      {"Mr.", "Doe"},
		"Vice-Chair Doe":               {"Vice-Chair", "Doe"},
		"Mayor/President Doe":          {"Mayor/President", "Doe"},
		"the Chair":                    {"Chair", ""},
		"Chair of the Board":           {"Chair of the Board", ""},
		"Chairman Ernesto López":       {"Chairman", "Ernesto López"},
		"Cllr Gail Reeve":              {"Cllr", "Gail Reeve"},
		"Councilmember Reeve":          {"Councilmember", "Reeve"},
		"Deputy Reeve":                 {"Deputy Reeve", ""},
		"Jurat Doe":                    {"Jurat", "Doe"},
		"M. le maire":                  {"maire", ""},
		"M. le maire Jean Roy":         {"maire", "Jean Roy"},
		"Monsieur le maire":            {"Monsieur le maire", ""},
		"Mme la mairesse Ana Roy":      {"Mme la mairesse", "Ana Roy"},
		"conseillère Ana Roy":          {"conseillère", "Ana Roy"},
		"Concejala Ana Ruiz":           {"Concejala", "Ana Ruiz"},
		"D. Ana Ruiz":                  {"", "D. Ana Ruiz"},
		"Odile Brandt":                 {"", "Odile Brandt"},
		"Ward Jones":                   {"", "Ward Jones"},
		"First Selectman Doe":          {"First Selectman", "Doe"},
		"":                             {"", ""},
	} {
		office, name := w.CutOffice(text)
		if got := [2]string{office, name}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// show prints a list in short: names with /office, <district> and {note}, then what else is known.
func show(l person.List) string {
	var parts []string
	for _, n := range l.Names {
		s := n.Text
		if n.Office != "" {
			s += "/" + n.Office
		}
		if n.District != "" {
			s += "<" + n.District + ">"
		}
		if n.Note != "" {
			s += "{" + n.Note + "}"
		}
		parts = append(parts, s)
	}
	for _, rest := range l.Rest {
		parts = append(parts, "?"+rest)
	}
	if l.Count >= 0 {
		parts = append(parts, "#"+string(rune('0'+l.Count)))
	}
	for word, is := range map[string]bool{"NOBODY": l.Nobody} {
		if is {
			parts = append(parts, word)
		}
	}
	if l.Everyone {
		parts = append(parts, "EVERYONE")
	}
	if l.Open {
		parts = append(parts, "OPEN")
	}
	if l.Tail != "" {
		parts = append(parts, "…"+l.Tail)
	}
	return strings.Join(parts, "; ")
}

func TestList(t *testing.T) {
	t.Parallel()
	w := person.NewWords()
	for text, want := range map[string]string{
		"Doe, Roe and Poe":                                  "Doe; Roe; Poe",
		"Doe, Roe, and Chair Poe":                           "Doe; Roe; Poe/Chair",
		"Doe; Roe; Poe":                                     "Doe; Roe; Poe",
		"Smith, J.; Doe, Ana":                               "J. Smith; Ana Doe",
		"Smith, J., Doe, R.":                                "J. Smith; R. Doe",
		"Huber, Morgan, King, Jr.":                          "Huber; Morgan; King, Jr.",
		"King, Jr., Stone":                                  "King, Jr.; Stone",
		"Bo Morgan III, Cy Ory":                             "Bo Morgan III; Cy Ory",
		"Cole (R-12), Doe (D-3)":                            "Cole<R-12>; Doe<D-3>",
		"Doe (D), Roe (R)":                                  "Doe<D>; Roe<R>",
		"Collins (B), Collins (J), Daly, Ryan (E)":          "B. Collins; J. Collins; Daly; E. Ryan",
		"Mayor Ana Huber, Councilmembers Bo Morgan, Cy Ory": "Ana Huber/Mayor; Bo Morgan/Councilmember; Cy Ory/Councilmember",
		"Councillors B. Bell, L. Burcher and Mayor Roe":     "B. Bell/Councillor; L. Burcher/Councillor; Roe/Mayor",
		"Ory, Reynolds, Vice Mayor, Mayor":                  "Ory; Reynolds; /Vice Mayor; /Mayor",
		"Reynolds (arrived at 7:40 p.m.), Stone":            "Reynolds{arrived at 7:40 p.m.}; Stone",
		"Reynolds (who said the cost was too high, and that the bid, from Acme, was late), Stone": "Reynolds{who said " +
			"the cost was too high, and that the bid, from Acme, was late}; Stone",
		"Rosamund Fay – 5:41 PM, Tadhg O’Shea - REMOTE":     "Rosamund Fay{5:41 PM}; Tadhg O’Shea{REMOTE}",
		"Burhan Azeem- 6:39 PM, Ann Simmons-REMOTE-7:14 PM": "Burhan Azeem{6:39 PM}; Ann Simmons{REMOTE-7:14 PM}",
		"3 - Huber, Morgan, Ory":                            "Huber; Morgan; Ory; #3",
		"(3) Huber, Morgan, Ory":                            "Huber; Morgan; Ory; #3",
		"5":                                                 "#5",
		"0":                                                 "#0; NOBODY",
		"-0-":                                               "NOBODY",
		"—":                                                 "NOBODY",
		"":                                                  "NOBODY",
		"0 -":                                               "#0; NOBODY",
		"Five (5)":                                          "#5",
		"None":                                              "NOBODY",
		"None.":                                             "NOBODY",
		"NO ONE":                                            "NOBODY",
		"N/A":                                               "NOBODY",
		"Nil":                                               "NOBODY",
		"Aucun":                                             "NOBODY",
		"Ninguno":                                           "NOBODY",
		"All":                                               "EVERYONE",
		"Unanimous":                                         "EVERYONE",
		"All Councilmembers present":                        "EVERYONE",
		"all five trustees":                                 "EVERYONE",
		"À l’unanimité":                                     "EVERYONE",
		"Huber, Morgan,":                                    "Huber; Morgan; OPEN",
		"Huber and":                                         "Huber; OPEN",
		"Huber, Reyn-":                                      "Huber; ?Reyn-; OPEN",
		"SKALA, THOMAS. VOTING NO: NO ONE.":                 "SKALA; THOMAS; …VOTING NO: NO ONE.",
		"J. Doe, Walter Finch Jr. and Dr. Roe. Carried": "J. Doe; Walter Finch Jr.; Roe/Dr.; …Carried",
		"Doe, April 7, Roe":                             "Doe; Roe; ?April 7",
		"Doe, Motion, Roe":                              "Doe; Roe; ?Motion",
		"Director Page, Director May":                   "Page/Director; May/Director",
		"Denise Merrifield, Councilwoman":               "Denise Merrifield; /Councilwoman",
		"Tom Piper Mayor":                               "Tom Piper/Mayor",
		"Cllr Sue Lintern Chair Cllr Daphne Clements Cllr Gail Reeve": "Sue Lintern/Cllr, Chair; Daphne Clements/Cllr; Gail " +
			"Reeve/Cllr",
		"Juan Pérez y María López":              "Juan Pérez; María López",
		"José Ortega y Gasset, Ana Ruiz":        "José Ortega y Gasset; Ana Ruiz",
		"les conseillers Ana Roy et Luc Côté":   "Ana Roy/conseiller; Luc Côté/conseiller",
		"Mmes Ana Roy, Eva Poe et MM. Luc Côté": "Ana Roy/Mme; Eva Poe/Mme; Luc Côté/MM.",
		"James “Skip” Doe, Robert (Bob) Roe":    "James “Skip” Doe; Robert “Bob” Roe",
		"Doe (Ward 2), Roe (District 4)":        "Doe<Ward 2>; Roe<District 4>",
		"Mayor Adams, Presiding; Commissioners Fish, Fritz, Poe and Roe": "Adams/Mayor, Presiding; Fish/Commissioner; " +
			"Fritz/Commissioner; Poe/Commissioner; Roe/Commissioner",
		"Cllr Ann Doe Cllr Gail Reeve Helen Poe Parish Clerk": "Ann Doe/Cllr; Gail Reeve/Cllr; Helen Poe/Parish Clerk",
		"supervisors Ann Doe and Bo Roe treasurer Cy Poe":     "Ann Doe/supervisor; Bo Roe/supervisor; Cy Poe/treasurer",
		"Tamara Titus, 2nd Vice-Chair":                        "Tamara Titus; /2nd Vice-Chair",
		"Doe, AYES: Roe":                                      "Doe; ?AYES: Roe",
	} {
		if diff := cmp.Diff(want, show(w.List(text, nil))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for want, lines := range map[string][]string{
		"Huber, Stone-Williams": {"Huber, Stone-", "Williams"},
		"Reynolds":              {"Reyn-", "olds"},
		"Huber, Jeffrey D. Doe": {"Huber, Jeffrey D.", "", "  Doe"},
		"Doe - Roe":             {"Doe -", "Roe"},
	} {
		if got := person.Join(lines); got != want {
			t.Errorf("%q: %q", want, got)
		}
	}
}

func TestMembersAreNamesWhateverTheyAreCalled(t *testing.T) {
	t.Parallel()
	w := person.NewWords()
	var r person.Roster
	r.Add("Theresa May", "")
	r.Add("Ann Chair", "")
	if got := show(w.List("May, Chair, All, Page", &r)); got != "May; Chair; ?All; ?Page" {
		t.Error(got)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	var r person.Roster
	for _, p := range [][2]string{{"Ana Huber", "Mayor"}, {"Bo Morgan", "Mayor Pro Tem"}, {"Jeffrey D. Johnson", ""},
		{"Kenneth L. Johnson", "Chairwoman"}, {"Walter King, Jr.", "Trustee"}, {"Luc Côté", "conseiller"}} {
		r.Add(p[0], p[1])
	}
	for _, c := range []struct {
		name person.Name
		want string
		ok   bool
	}{
		{person.Name{Text: "Huber"}, "Ana Huber", true},
		{person.Name{Text: "HUBER"}, "Ana Huber", true},
		{person.Name{Text: "J. Johnson"}, "Jeffrey D. Johnson", true},
		{person.Name{Text: "Johnson"}, "Johnson", false},
		{person.Name{Text: "Johnson", Office: "Chair"}, "Kenneth L. Johnson", true},
		{person.Name{Text: "King, Jr."}, "Walter King, Jr.", true},
		{person.Name{Text: "M. Côté"}, "Luc Côté", true},
		{person.Name{Text: "Quist"}, "Quist", false},
		{person.Name{Office: "the Mayor"}, "Ana Huber", true},
		{person.Name{Office: "Vice Mayor"}, "Bo Morgan", true},
		{person.Name{Office: "Chair"}, "Kenneth L. Johnson", true},
		{person.Name{Office: "Trustee"}, "", false},
		{person.Name{Office: "Vice Chair"}, "", false},
	} {
		full, match := r.Resolve(c.name)
		if full != c.want || match.Found() != c.ok {
			t.Errorf("%+v: %q, %v", c.name, full, match)
		}
	}
	var none *person.Roster
	if _, match := none.Resolve(person.Name{Text: "Doe"}); match != council.MatchNone {
		t.Error("a nil roster knows somebody")
	}
}

// FuzzList checks that a list never yields a name that cannot be one, and never drops a letter in
// silence.
func FuzzList(f *testing.F) {
	for _, seed := range []string{"Doe, Roe and Poe", "Smith, J.; Doe, Ana", "Cole (R-12)", "((((", "A (B (C) D) E, F",
		"Five (5)",
		"Cllr A Cllr B", " and and and ", ",;,;", "J.", "Doe (", "x\xffy, Ü", "É. é.", "Doe - 5:41 PM - REMOTE", "and", "the",
		"Mayor of the", "-", "M. le maire", "All 5", "men", "Councilmen", "smen Doe"} {
		f.Add(seed)
	}
	w := person.NewWords()
	f.Fuzz(func(t *testing.T, text string) {
		l := w.List(person.Join(strings.Split(text, "\n")), nil)
		var r person.Roster
		for _, n := range l.Names {
			switch {
			case n.Text == "" && n.Office == "":
				t.Errorf("%q: a name without text", text)
			case n.Text != "" && (strings.ContainsAny(n.Text, "0123456789:;|()[]") || w.IsNobody(n.Text) ||
				w.IsEveryone(n.Text)):
				t.Errorf("%q: %q is a name", text, n.Text)
			case utf8.ValidString(text) && !utf8.ValidString(n.Text):
				t.Errorf("%q: %q is cut within a character", text, n.Text)
			}
			r.Add(n.Text, n.Office)
			r.Resolve(n)
		}
		if len(l.Names) == 0 && len(l.Rest) == 0 && !l.Nobody && !l.Everyone && l.Count < 0 && l.Tail == "" {
			t.Errorf("%q: nothing was read, and nothing is reported", text)
		}
	})
}

package minutes

import (
	"strings"
	"testing"
)

// A vote stands under the title of its item: the title ends at its line, and neither a label, nor a word of a vote, nor
// the initial of a member makes or takes away one.
func TestTitlesOfVotes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"number of the resolution below": {kindsHeads["English"] + "2.1 Zoning Amendment Bylaw\nR-26-102 Moved by Doe, seconded by Roe\n" +
			"THAT the bylaw be read.\nCARRIED\n", "Zoning Amendment Bylaw"},
		"sentence below": {kindsHeads["French"] + "3. Taux d'imposition\nMme le Maire propose une hausse.\n" +
			"Le conseil municipal, par 3 voix pour et 1 voix contre, décide de fixer les taux.\n", "Taux d'imposition"},
		"vote as a title": {kindsHeads["French"] + "1. Compte rendu\nLe compte rendu est approuvé à l'unanimité.\n\n" +
			"2. Vote du budget primitif\nM. Roe le présente. Le conseil municipal approuve le budget par 4 voix pour.\n",
			"Compte rendu; Vote du budget primitif"},
		"label of the decision": {kindsHeads["English"] + "9.1 RATES EXEMPTION\nCOUNCIL DECISION\nMoved: Doe  Seconded: Roe\n" +
			"That Council declines it.\nCARRIED 3/2\n", "RATES EXEMPTION"},
		"number of the decision": {kindsHeads["English"] + "9.1.1 LIST OF PAYMENTS\nVoting Requirements: Simple Majority\n\n" +
			"OFFICER RECOMMENDATION / COUNCIL RESOLUTION 046/24\nMoved Cr Doe, Seconded Cr Roe\nThat Council receive the list.\n" +
			"CARRIED 5/0\n", "LIST OF PAYMENTS"},
		"the body above its decision": {kindsHeads["French"] + "3. Crédit d'étude\n\nLe Conseil communal de Valmarais\n" +
			"- vu le préavis\ndécide\nd'accorder le crédit.\n\nLes conclusions sont acceptées par 3 oui et 1 non.\n", "Crédit d'étude"},
		"resolution in the first lines": {"TOWN OF HILL\nTown Board\nMarch 2, 2026\nPresent: Sue Parr, Len Duf, Kate Oy\n\n" +
			"RESOLUTION #23-2026 APPROVAL OF MINUTES\nOn a motion of Duf, seconded by Oy, carried 3-0.\n", "RESOLUTION #23-2026 APPROVAL OF MINUTES"},
		"initial of a member": {"TOWN OF HILL\nSelect Board\nMarch 2, 2026\nPresent: Sue Parr, Len Duf, Kate Oy\n\n" +
			"4. Town Hall Roof. K. Oy moved to spend $5,000. No second.\nL. Duf moved to get quotes. Seconded by K. Oy. Motion passed.\n",
			"Town Hall Roof."},
		"number with a full stop and a dash": {kindsHeads["Spanish"] + "1.- APROBACIÓN DEL ACTA DE LA SESIÓN ANTERIOR.\n" +
			"Sometida a votación, es aprobada por unanimidad.\n", "APROBACIÓN DEL ACTA DE LA SESIÓN ANTERIOR."},
	} {
		var got []string
		for _, it := range Parse(c.text, Options{}).Items {
			if len(it.Votes) > 0 {
				got = append(got, it.Title)
			}
		}
		if titles := strings.Join(got, "; "); titles != c.want {
			t.Errorf("%s: got %q, want %q", name, titles, c.want)
		}
	}
}

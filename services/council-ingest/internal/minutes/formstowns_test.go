package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Forms of towns of several countries, each with names of its own.
var townForms = map[string]struct{ text, want string }{
	"VOTED, with brackets":     {"VOTED: To sign the warrant. (Doe/Roe) (3-2-0)", "adopted 3-2 Doe/Roe"},
	"VOTED, and lost":          {"VOTED: To support the grant. (Doe/Roe) (2-3-0) Motion does not carry.", "failed 2-3 Doe/Roe"},
	"yes, no and a name":       {"Doe made a motion to close on July 5. Roe seconded it. 4 yes, 1 no (Poe). Motion passed.", "adopted 4-1 Doe/Roe nay Poe"},
	"counts below VOTED":       {"Upon motion by Doe and seconded by Roe, the Board\n\n   VOTED: To grant the license.\n\n2 in favor, 1 opposed (Poe)", "adopted 2-1 Doe/Roe nay Poe"},
	"mover slash seconder":     {"Doe/Roe: SRD 596/18\n\nTHAT the agenda be adopted.\nCARRIED", "adopted 0-0 Doe/Roe"},
	"and agreed":               {"Proposed by Councillor Doe\n\nSeconded by Councillor Roe\n\nAND AGREED\n\n\"To confirm the minutes.\"", "adopted 0-0 Doe/Roe"},
	"tally behind a number":    {"RESOLUTION:\nThat the accounts be adopted.\nMOVED: Cr Doe      SECONDED: Cr Roe\nCARRIED\nRESOLUTION NO. 2023/12      4/1", "adopted 4-1 Doe/Roe"},
	"voting in the negative":   {"MOVED Director Doe, SECONDED Director Roe, that the permit be approved.\n\nThe motion was DEFEATED with Directors Doe and Roe voting in the affirmative and Directors Poe, Moe and Coe voting in the negative.", "failed 2-3 Doe/Roe aye Doe, Roe nay Poe, Moe, Coe"},
	"moved (Doe)":              {"ACTION: Moved (Doe), seconded (Roe) and carried 5-0 to introduce the ordinance.", "adopted 5-0 unanimous Doe/Roe"},
	"motion of two":            {"On motion of Councillor Doe and Councillor Roe, that the agenda be approved.\nMotion Carried. 4 in favour, 1 against.", "adopted 4-1 Doe/Roe"},
	"votes above the outcome":  {"Doe made a motion to buy the land. Motion was seconded by Roe. Poe and Moe voted nay. Motion carried 3-2.", "adopted 3-2 Doe/Roe nay Poe, Moe"},
	"the motion gets a second": {"A motion was made by Doe to adjourn the meeting without objection. The motion received a second from Roe. The motion carried with a 5-0 vote.", "adopted 5-0 unanimous Doe/Roe"},
	"proposed and seconded":    {"Proposed and seconded; a vote was taken to approve the item; 4 for, 1 against. It was therefore RESOLVED that the item be approved.", "adopted 4-1 nobody/nobody"},
	"counts end a roll":        {"Motion by Doe, seconded by Roe, to approve. Roll: Doe, aye; Roe, aye; Poe, abstain. Motion carried: 2 ayes, 1 abstention.", "adopted 2-0 Doe/Roe aye Doe, Roe abstain Poe"},
	"roll in two columns":      {"Motion by Doe, second by Roe, to pass it. Roll Call:\n  Trustee Doe   Yes        Trustee Moe   No\n  Trustee Roe   Yes        Trustee Poe   Yes\nMotion carried 3-1.", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Moe"},
	"RESOLVED with a tally":    {"On a motion by Councillor Doe, seconded by Councillor Roe, it was\n\nRESOLVED (3 in favour, 2 against)\nThat permission be granted.", "adopted 3-2 Doe/Roe"},
	"MC":                       {"Doe moved, Roe seconded to approve the minutes. MC.", "adopted 0-0 Doe/Roe"},
	"number in brackets":       {"Doe moved to grant the variance, seconded by Roe, motion passed; four (4) in favor, none (0) opposed, one (1) abstained (Coe).", "adopted 4-0 Doe/Roe abstain Coe"},
	"M - Doe/S - Roe":          {"M - Doe/S - Roe moved to postpone the item. Motion PASSED by unanimous voice vote.", "continued 0-0 unanimous Doe/Roe"},
	"row behind a dash":        {"Doe moved, Roe seconded to pass it. Roll call vote - Yes: Doe, Roe. No: Poe, Moe, Coe. Motion failed.", "failed 2-3 Doe/Roe aye Doe, Roe nay Poe, Moe, Coe"},
	"Prairies":                 {"Gravel    59/24   Doe:   That we tender for gravel.    Carried.", "adopted 0-0 Doe/nobody"},
	"introduced the resolution": {"Doe introduced the resolution and moved for its adoption. Roe seconded the motion. Upon vote the following were recorded: YEAS: Doe, Roe, Poe. NAYS: None. The resolution was declared adopted.",
		"adopted 3-0 unanimous Doe/Roe aye Doe, Roe, Poe"},
	"mover over a line's end": {"MOTION:   Based on the guidelines Mr. Doe made a\n          MOTION to APPROVE this application.\n          Ms. Roe seconded\nMotion carried 5-0.", "adopted 5-0 unanimous Doe/Roe"},
}

func TestFormsOfTowns(t *testing.T) {
	t.Parallel()
	for name, c := range townForms {
		if got := votesIn(formsHead + c.text + "\n\n2. Reports\n\nThe clerk reported.\n"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

const frenchHead = "COMMUNE D'ORME\nProcès-verbal de la séance du conseil municipal du 14 mars 2024\n\n" +
	"Présents : M. Paul DOE, Maire ; Mme Anne ROE, M. Luc POE, Mme Eva MOE, conseillers\n\n1 - Affaires\n"

const spanishHead = "AYUNTAMIENTO DE OLMO\nActa de la sesión ordinaria del Pleno del día 14 de marzo de 2024\n\n" +
	"Asistentes:\nAlcalde: D. Pablo Doe Gil\nConcejales: Dª. Ana Roe Paz, D. Luis Poe Mera, Dª. Eva Moe Rey\n\n1. Asuntos\n"

func TestFormsOfFrenchAndSpanishBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"unanimous":      {frenchHead + "Le procès-verbal de la précédente séance est adopté à l'unanimité, sans observation.", "adopted 0-0 unanimous nobody/nobody"},
		"by count":       {frenchHead + "Le Conseil Municipal, après en avoir délibéré, par 3 voix pour et 1 voix contre, décide d'augmenter les tarifs.", "adopted 3-1 nobody/nobody"},
		"rows":           {frenchHead + "Pour : 2\nContre : 2 (M. POE, Mme MOE)\nLa délibération est rejetée.", "failed 2-2 nobody/nobody nay Luc POE, Eva MOE"},
		"oui, non":       {frenchHead + "LE CONSEIL,\nPar 1 oui, 3 non et 0 abstention,\nREJETTE la motion.", "failed 1-3 nobody/nobody"},
		"a report":       {frenchHead + "M. Doe rappelle que le conseil avait approuvé le projet à l'unanimité.", ""},
		"por unanimidad": {spanishHead + "Sometida a votación el acta, es aprobada por unanimidad de los miembros presentes.", "adopted 0-0 unanimous nobody/nobody"},
		"votos a favor":  {spanishHead + "El Pleno, por 3 votos a favor (PSOE) y 1 en contra (PP), acuerda aprobar la ordenanza.", "adopted 3-1 nobody/nobody"},
		"rechazada":      {spanishHead + "Sometida la moción a votación, resulta rechazada por 1 voto a favor y 3 votos en contra.", "failed 1-3 nobody/nobody"},
		"no se aprueba":  {spanishHead + "Por 1 voto a favor y 3 en contra no se aprueba la solicitud.", "failed 1-3 nobody/nobody"},
		"un recuerdo":    {spanishHead + "El Alcalde contesta que ya se aprobó por unanimidad en 2019.", ""},
	} {
		if got := votesIn(c.text + "\n"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// votesIn writes the votes of a text in short.
func votesIn(text string) string {
	var got []string
	for _, it := range Parse(text, Options{}).Items {
		for _, v := range it.Votes {
			got = append(got, fmt.Sprintf("%s %s %s/%s%s", v.Result, countsOf(&v), or(v.Mover), or(v.Seconder), rollOf(&v)))
		}
	}
	return strings.Join(got, "; ")
}

// countsOf writes the counts of a vote, and whether it was unanimous: "4-1".
func countsOf(v *record.Vote) string {
	s := fmt.Sprintf("%d-%d", v.AyesCount, v.NaysCount)
	if v.Unanimous {
		s += " unanimous"
	}
	return s
}

// rollOf writes the positions of a vote: " aye Doe, Roe nay Poe".
func rollOf(v *record.Vote) string {
	s := ""
	for _, p := range council.Positions() {
		if names := v.Roll.Of(p); len(names) > 0 {
			s += " " + string(p) + " " + strings.Join(names, ", ")
		}
	}
	return s
}

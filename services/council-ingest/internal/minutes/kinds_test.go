package minutes

import (
	"cmp"
	"os"
	"strings"
	"testing"
)

// kindsHeads are minutes of a language up to the first item, with members Doe, Roe, Poe, Moe and Coe.
var kindsHeads = map[string]string{
	"English": "TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nPresent: Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe\n\n1. New Business\n\n",
	"French": "COMMUNE DE VALMARAIS\nPROCÈS-VERBAL DU CONSEIL MUNICIPAL DU 3 MARS 2026\n\nPrésents : Mme Ann DOE, M. Bob ROE, " +
		"M. Cal POE, Mme Dan MOE, M. Eva COE\n\n1. Affaires de la commune\n\nLe conseil se réunit dans la salle des fêtes de la mairie.\n\n",
	"Spanish": "AYUNTAMIENTO DE VALDORO\nACTA DE LA SESIÓN ORDINARIA DEL PLENO DEL DÍA 3 DE MARZO DE 2026\n\nAsistentes: Doña Ann Doe, " +
		"Don Bob Roe, Don Cal Poe, Doña Dan Moe, Don Eva Coe\n\n1. Asuntos del municipio\n\nEl pleno se reúne en la sala de sesiones de la " +
		"casa consistorial.\n\n",
	"two Does": "TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nPresent: Mark A. Doe, Amy Z. Doe, Bob Roe, Cal Poe\n\n1. New Business\n\n",
	"staff": "TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nCouncil Members present: Chair Ann Doe, Vice Chair Bob Roe. " +
		"Administration\npresent: Mayor Holly Lane, City Recorder Esli Wood.\nExcused: Councilmember Cal Poe, City Attorney Kim Hill, " +
		"Economic\nDevelopment Director Kirk Poe and City Recorder Ida Rush.\n\n1. New Business\n\n",
}

// Each text is a kind of roll or outcome that minutes print, with the right value.
var kinds = map[string]struct{ head, text, want string }{
	"an initial before one of two of a name": {"two Does", "Motion by Roe seconded by M. Doe to approve. Motion carried by roll call " +
		"vote.\nM. Doe: Aye\nA. Doe: Aye\nRoe: Aye",
		"adopted 3-0 unanimous Bob Roe/Mark A. Doe aye Mark A. Doe, Amy Z. Doe, Bob Roe"},
	"an initial behind it": {"two Does", "Moved by Roe, seconded by Poe, to approve.\n\nFor:\n\nCouncillors Doe (A), Doe (M), Roe,\n" +
		"Poe. (4)\n\nAgainst:\n\nNone\n\nThe Motion carried.",
		"adopted 4-0 unanimous Bob Roe/Cal Poe aye Amy Z. Doe, Mark A. Doe, Bob Roe, Cal Poe"},
	"staff of a member's name": {"staff", "Motion by Roe seconded by Doe to approve. Motion carried by roll call vote.\nDoe: Aye\n" +
		"Poe: Excused\nRoe: Aye", "adopted 2-0 unanimous Bob Roe/Ann Doe aye Ann Doe, Bob Roe absent Cal Poe"},
	"a letter before each name": {"English", "Motion by Doe, seconded by Roe, to approve the plat. Roll Call Vote:\n\n A     Doe\n A     Roe\n" +
		" N     Poe\n A     Moe\n\nMotion passed 3-1",
		"adopted 3-1 Doe/Roe aye Doe, Roe, Moe nay Poe"},
	"labels without a colon": {"English", "Proposed by Councillor Doe, seconded by Councillor Roe, that the way be closed. A Vote was taken " +
		"which resulted as follows:\n\nFor\n\nCouncillors Doe, Roe,\n\nMoe and Coe (4)\n\nAgainst\n\nCouncillor Poe (1)\n\n" +
		"The Mayor declared the proposal carried.", "adopted 4-1 Doe/Roe aye Doe, Roe, Moe, Coe nay Poe"},
	"an amendment and its motion in one sentence": {"English", "Councillor Doe proposed that meetings begin at nine. This was seconded by " +
		"Councillor Roe.\n\nCouncillor Poe proposed an amendment that meetings begin at four. This was seconded by Councillor Coe.\n\n" +
		"For the Amendment\n\nCouncillors Poe and Coe (2)\n\nAgainst the Amendment\n\nCouncillors Doe, Roe and Moe\n\n(3)\n\n" +
		"The Mayor declared the Amendment defeated and, therefore, the original Motion carried.",
		"failed 2-3 Poe/Coe aye Poe, Coe nay Doe, Roe, Moe; adopted 0-0 Doe/Roe"},
	"one blank before a vote, and a misread office": {"English", "Council Member Doe MOVED to approve. The motion was SECONDED by Council " +
		"Member Roe. The voting was as follows:\n        Council Member Ann Doe             Aye\n        Council Member Bob Roe Aye\n" +
		"        Gouncil Member Cal Poe             Aye\n        Council Member Dan Moe             Aye\nThe motion passed unanimously.",
		"adopted 4-0 unanimous Doe/Roe aye Doe, Roe, Poe, Moe"},
	"a verb at the line's end": {"English", "COUNCILMEMBER DOE MOVED TO ADOPT THE PLAN. COUNCILMEMBER ROE\nSECONDED THE MOTION. MAYOR POE, " +
		"COUNCILMEMBERS DOE,\nROE, AND MOE VOTED AYE. COUNCILMEMBER COE WAS\nABSENT. THE MOTION CARRIED WITH ONE ABSENT.",
		"adopted 4-0 unanimous Doe/Roe aye Poe, Doe, Roe, Moe absent Coe"},
	"a count behind the roll call": {"English", "Motion by Doe to approve the monthly bills, second by Roe, roll call vote, 5 yes, motion carried.",
		"adopted 5-0 unanimous Doe/Roe"},
	"items with tallies": {"English", "Item 19 passed unanimously 4-0. Councilmember Coe absent excused.\n\nItem 20 passed unanimously 4-0.\n\n" +
		"Item 21 passed 3-1, Councilmember Poe dissenting.\n\nConsent Agenda approved unanimously 4-0 with the exception of Item 14.",
		"adopted 4-0 unanimous nobody/nobody absent Coe; adopted 4-0 unanimous nobody/nobody; adopted 3-1 nobody/nobody nay Poe; " +
			"adopted 4-0 unanimous nobody/nobody"},
	"by majority": {"English", "Moved by Doe, seconded by Roe, to approve the plan. Approved by majority with 3 votes in favor.",
		"adopted 3-0 Doe/Roe"},
	"s'abstient": {"French", "Il est proposé par monsieur Bob Roe, appuyé par monsieur Cal Poe et résolu unanimement :\nD'adopter le projet " +
		"de règlement.\nMME LA CONSEILLÈRE DAN MOE S'ABSTIENT DE VOTER\nSUR CETTE RÉSOLUTION.", "adopted 0-0 Roe/Poe abstain Moe"},
	"labels, then their lists": {"French", "Sur proposition de M. Bob Roe appuyée par Mme Dan Moe, il est résolu:\n\nD'adopter le règlement.\n\n" +
		"Mme Ann Doe demande le vote sur la résolution :\n\nOnt voté pour\n\nOnt voté contre\n\nM. le Maire Bob Roe\nMme la Conseillère Dan " +
		"Moe\nM. le Conseiller Cal Poe\n\nMme la Conseillère Ann Doe\nM. le Conseiller Eva Coe\n\nAdoptée à la majorité.",
		"adopted 3-2 Roe/Moe aye Roe, Moe, Poe nay Doe, Coe"},
	"mayoría": {"Spanish", "Se aprueba por mayoría de 3 (tres) votos a favor, lo anterior con fundamento en la ley.",
		"adopted 3-0 nobody/nobody"},
	"se abstiene antes de votar": {"Spanish", "El concejal Bob Roe se abstiene por no haber asistido. Se somete a votación: cuatro votos a " +
		"favor y una abstención. Aprobada por mayoría simple.", "adopted 4-0 nobody/nobody abstain Roe"},
}

// fullNames makes the full names of the members short.
var fullNames = strings.NewReplacer("Ann Doe", "Doe", "Bob Roe", "Roe", "Cal Poe", "Poe", "Dan Moe", "Moe",
	"Eva Coe", "Coe", "Ann DOE", "Doe", "Bob ROE", "Roe", "Cal POE", "Poe", "Dan MOE", "Moe", "Eva COE", "Coe")

func TestKindsOfRolls(t *testing.T) {
	t.Parallel()
	for name, c := range kinds {
		got := fullNames.Replace(votesIn(kindsHeads[c.head] + c.text + "\n\n2. Reports\n\nThe clerk reported.\n"))
		if want := fullNames.Replace(c.want); got != want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, got, want)
		}
	}
}

// Each file of testdata/forms has a form of a vote, or of what is none, in each section: its name behind ###, its
// text, and the right votes behind ---. The text stands below the head of the language behind | in kindsHeads;
// "none" is a document with a head of its own.
func TestFormsOfClerks(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]int{"clerks": 60, "countries": 60, "traps": 60, "documents": 10,
		"meetings": 80, "others": 80, "answers": 30, "words": 60, "rolls": 5, "houses": 30} {
		data, err := os.ReadFile("testdata/forms/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		sections := strings.Split("\n"+string(data), "\n### ")[1:]
		for _, section := range sections {
			name, rest, _ := strings.Cut(section, "\n")
			at := strings.LastIndex(rest, "\n---")
			if at < 0 {
				t.Errorf("%s: no line begins with ---", name)
				continue
			}
			text, want := rest[:at], strings.TrimSpace(rest[at+len("\n---"):])
			_, language, _ := strings.Cut(name, " | ")
			head := kindsHeads[cmp.Or(language, "English")]
			if head != "" {
				text = head + text + "\n\n2. Reports\n\nThe clerk reported.\n"
			}
			if got := fullNames.Replace(votesIn(text)); got != want {
				t.Errorf("%s: %q\n got %q\nwant %q", name, rest[:at], got, want)
			}
		}
		if len(sections) < least {
			t.Errorf("%s: %d forms, want %d", file, len(sections), least)
		}
	}
}

package minutes

import (
	"fmt"
	"strings"
	"testing"
)

// A sentence about a vote that was not taken in the meeting is no vote, and does not end the motion above it.
var elsewhere = map[string][]string{
	"English": {
		// more votes than the body has members
		"Voters at the polls kept the dog track, 212 to 140.",
		"Assembly Bill 9 passed 64-35 and is on the governor's desk.",
		// another body is the subject, or the agent
		"The Friends of the Library voted 3-2 to buy a tent.",
		"The Board of Health approved the well by a vote of 3-0.",
		"Our neighbors' council, which voted 4-1 to object, meets on Monday.",
		"Her members voted by mail, 3 for and 1 against, to ask for a ramp.",
		"Motion activated lights are carried by two stores.",
		"The hall was turned down by the county commissioners 2-1.",
		// another day
		"The board voted in 1998 to pave the lot, 3-2.",
		"The vote on sheds last fall was 4-1.",
		"The council had voted 5-0 for a fence.",
		"He had moved that it be kept, was seconded, and lost.",
		// what did not happen
		"Poe will propose a freeze in the event that the motion is lost.",
		// another place
		"The clerk went to the league's dinner, where a motion to lower dues carried.",
		"A motion to buy gloves there passed.",
		// what somebody said
		"Mr. Hill said that his club passed the rule unanimously.",
		"The letter says, \"Your council moved, seconded and passed the bridge.\"",
		// no vote at all
		"Article 5 was passed over.",
		"Application #4-1 of Hill Farm.",
	},
	"French": {
		"Un sondage donne 112 habitants pour, 140 contre.",
		"Le conseil de police a voté son budget par 4 voix pour et 1 contre.",
		"Le Département a adopté le plan routier à la majorité.",
		"Au conseil départemental, la subvention a été approuvée par 4 voix contre 1.",
		"Le maire informe que la Région a refusé la ligne par 3 voix contre 2.",
		"Mme Doe rappelle que la taxe fut rejetée par 3 voix contre 2.",
		"Il y a six ans, le projet fut repoussé par 3 voix contre 2.",
		"M. Roe s'étonne que le conseil ait voté l'étude à l'unanimité.",
		"L'affaire du chemin, rejetée en 2017 par 3 voix contre 2, revient.",
		"Si la motion est adoptée à l'unanimité, elle ira au préfet.",
	},
	"Spanish": {
		"Los vecinos, en asamblea, votaron 88 a favor y 12 en contra.",
		"La Diputación aprobó el plan por 4 votos a favor y 1 en contra.",
		"La alcaldesa informa de que el consejo escolar aprobó el horario por unanimidad.",
		"El sindicato rechazó la oferta por mayoría.",
		"En el mandato anterior se había rechazado por 3 votos contra 2.",
		"Si la moción se aprobara por unanimidad, se remitiría a la Junta.",
	},
}

// meetings are documents with a place for a sentence in a report and one below an open motion.
var meetings = map[string]string{
	"English": formsHead + "Motion by Doe, second by Roe, to buy a plow. Carried 5-0.\n\n" +
		"2. Reports\n\nThe clerk reported. %s The next report is due.\n\n3. Salt\n\nMotion by Poe, second by Moe, to buy salt. %s\nMotion carried 4-1.\n",
	"French": "COMMUNE DE VALMARAIS\nCONSEIL MUNICIPAL\nProcès-verbal de la séance du 3 mars 2026\n\n" +
		"Présents : Ida DOE, maire ; Ann ROE, Max POE, Lia MOE, Eva COE\n\n1. Procès-verbal\n\n" +
		"Le conseil municipal, à l'unanimité, approuve le procès-verbal.\n\n" +
		"2. Informations\n\nLe maire présente les marchés. %s " +
		"Le prochain point suivra.\n\n3. Sel\n\nLe maire propose un abri. %s\n" +
		"Le conseil municipal décide, par 4 voix pour et 1 voix contre, d'acheter l'abri.\n",
	"Spanish": "AYUNTAMIENTO DE VALMORAL\nACTA DE LA SESIÓN ORDINARIA DEL PLENO DE 3 DE MARZO DE 2026\n\n" +
		"Asistentes: Ida Doe, alcaldesa; Ann Roe, Max Poe, Lia Moe, Eva Coe\n\n" +
		"1. Acta\n\nEl Pleno, por unanimidad, aprueba el acta.\n\n" +
		"2. Informes\n\nLa alcaldesa da cuenta de los mercados. %s " +
		"El próximo informe seguirá.\n\n3. Sal\n\nLa alcaldesa propone una nave. %s\n" +
		"El Pleno, por 4 votos a favor y 1 en contra, acuerda comprar la nave.\n",
}

func TestVotesElsewhereAreNoVotes(t *testing.T) {
	t.Parallel()
	for language, sentences := range elsewhere {
		want := votesIn(fmt.Sprintf(meetings[language], "", ""))
		if strings.Count(want, ";") != 1 || !strings.Contains(want, "4-1") {
			t.Fatalf("%s: %q without such sentences", language, want)
		}
		for _, s := range sentences {
			if got := votesIn(fmt.Sprintf(meetings[language], s, "")); got != want {
				t.Errorf("in a report: %s\n got %q\nwant %q", s, got, want)
			}
			if got := votesIn(fmt.Sprintf(meetings[language], "", s)); got != want {
				t.Errorf("below a motion: %s\n got %q\nwant %q", s, got, want)
			}
		}
	}
}

// What this body decides is a vote of the meeting, though its sentence speaks of others, too.
func TestVotesOfTheBodyNextToOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Doe moved to keep the road that the voters passed in 2019; seconded by Roe. " +
			"All the members present voted in favor.": "adopted 0-0 unanimous Doe/Roe",
		"Motion by Doe, second by Roe, to renew the lease. " +
			"The remaining members voted 4-1 in favor.": "adopted 4-1 Doe/Roe",
		"Upon motion duly made and seconded, the Board unanimously approved the lease.": "adopted 0-0 unanimous nobody/nobody",
	} {
		if got := votesIn(formsHead + text + "\n\n2. Reports\n\nThe clerk reported.\n"); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

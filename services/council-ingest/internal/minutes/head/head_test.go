package head_test

import (
	"strings"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/head"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

func read(text string) head.Head {
	lines, _ := lines.Split(text, false)
	return head.Read(lines, nil)
}

func TestDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"City Council\nMarch 12, 2024":                                    "2024-03-12",
		"Procès-verbal de la séance tenue le lundi 13 avril 2026":         "2026-04-13",
		"Séance du 1er mai 2026":                                          "2026-05-01",
		"Sesión ordinaria celebrada el 13 de abril de 2026":               "2026-04-13",
		"Meeting of the Parish Council Wednesday 4 April 2018 at 7.00 pm": "2018-04-04",
		"DRAFT Minutes Subject to the Approval at the next Meeting Ordinary Meeting of the Parish Council Wednesday 4 April 2018": "2018-04-04",
		"HELD ON MONDAY, 26TH FEBRUARY, 2024 AT 2.00PM":                                                                            "2024-02-26",
		"A MEETING WAS HELD THIS 12TH DAY OF JANUARY, 2011 AT 9:30 A.M.":                                                           "2011-01-12",
		"the Agency convened on Tuesday, May\n16, 2023, in the Chambers":                                                           "2023-05-16",
		"APPROVED JULY 11, 2018\nHISTORIC DISTRICT COMMISSION\nJune 13, 2018\nMINUTES":                                             "2018-06-13",
		"Meeting Minutes: February 8, 2018 (approved March 8, 2018)":                                                               "2018-02-08",
		"City Council\nMay 1, 2026\nThe minutes of April 3, 2026 were approved.\nThe minutes of April 3, 2026 are here.":           "2026-05-01",
		"Board\nMarch 9, 2022\nThe next meeting will be held on Tuesday, April 12, 2022.":                                          "2022-03-09",
		"Approved Minutes\nJune 3, 2019\n1. Approval of Minutes\na. Regular Board Meeting of May 13, 2019":                         "2019-06-03",
		"ADJOURNED MEETING — AUGUST 18, 2020\n(CONTINUED TO AUGUST 25, 2020)\nMinutes":                                             "2020-08-18",
		"Town Board\nApproved by the Board on April 1, 2026":                                                                       "",
		"City Council\nFebruary 30, 2026":                                                                                          "",
		"Board\nHeld in the Hall      March 9, 2022\nMs. Doe moved to accept the minutes of the February 2, 2022 regular meeting.": "2022-03-09",
		"Council\non June 7, 2024 at 5 p.m.\nTHAT the minutes of the Regular Meeting of May 3, 2024 be adopted.":                   "2024-06-07",
		"Board\nMay 4, 2022  5:00 PM      (by teleconference)\n   1   Minutes of April 6, 2022":                                    "2022-05-04",
		"SESIÓN DEL PLENO DEL AYUNTAMIENTO EL DÍA NUEVE DE MAYO\nDE DOS MIL DOCE\nEl borrador del acta de 3 de abril de 2012":      "2012-05-09",
		"SESIÓN CELEBRADA EL DÍA 9 (NUEVE) DE MAYO DEL AÑO 2021 (DOS MIL VEINTIUNO)":                                               "2021-05-09",
		"Ayuntamiento de Villa\nPleno 05/04/2024":                                                                                  "2024-04-05",
		"L'an deux mille vingt-deux\nséance du conseil le onze avril deux mille vingt-deux":                                        "2022-04-11",
		"04.05.24 Board Meeting Minutes":                                                                                           "",
		"08.13.24 Board Meeting Minutes":                                                                                           "2024-08-13",
		"Conseil\n13/1/2026":                                                                                                       "2026-01-13",
		"":                                                                                                                         "",
		"BOARD OF APPEALS Minutes " + strings.Repeat("x ", 80) + "Tuesday May 5, 2026 7 PM. The next Board of Appeals meeting is planned for 5 PM on May 12, 2026. The meeting adjourned.": "2026-05-05",
	} {
		if got := read(text).Date; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Town Board Regular Meeting Minutes\nTuesday, January 7, 2025":                                                                                                      "Town Board",
		"ADJOURNED REGULAR CHICO CITY COUNCIL MEETING — June 23, 2020":                                                                                                      "Chico City Council",
		"Milltown Common Council-Regular Session Notes\nMay 5, 2026\nAnna Reed Common Council, Attorney":                                                                    "Milltown Common Council",
		"TOWN OF MILLTOWN\nBOARD OF SELECTMEN'S MEETING\nMay 5, 2026":                                                                                                       "Board of Selectmen",
		"BOARD Of APPEALS #) www.example.org Hearing Minutes " + strings.Repeat("x ", 80):                                                                                   "Board of Appeals",
		"COMMUNE DE MOULINS EXTRAIT DU REGISTRE L’an deux mil vingt-trois, le jeudi 30 novembre 2023 à 19h30, le Conseil Municipal, dûment convoqué, s’est réuni en mairie": "Conseil Municipal",
		"CITY OF OREM\nSPECIAL CITY COUNCIL MEETING\n56 North State Street":                                                                                                 "City Council",
		"Minutes of Guelph City Council\nHeld in the Council Chambers":                                                                                                      "Guelph City Council",
		"A regular meeting of the Township of Nipissing Council was held on Tuesday, April 4, 2023.":                                                                        "Township of Nipissing Council",
		"THE COPPERTON METRO TOWNSHIP COUNCIL, STATE OF UTAH, MET ON FRIDAY":                                                                                                "Copperton Metro Township Council",
		"A REGULAR MEETING OF THE COUNCIL OF THE CITY OF PORTLAND, OREGON WAS HELD":                                                                                         "Council of the City of Portland",
		"the Logan Redevelopment Agency convened on Tuesday":                                                                                                                "Logan Redevelopment Agency",
		"Town of North Star\nMarch 16, 2020\nCALL TO ORDER":                                                                                                                 "Town of North Star",
		"County of Will\nCRETE TOWNSHIP ANNUAL TOWN HALL MEETING":                                                                                                           "Crete Township Annual Town Hall Meeting",
		"Elections Commission\nDon Chan, Secretary\n\nMEETING MINUTES\nTechnical Advisory Committee\nof the Elections Commission": "Technical " +
			"Advisory Committee",
		"ASHFORD TOWN COUNCIL\nMINUTES OF THE FULL COUNCIL MEETING":                                        "Ashford Town Council",
		"CONSEIL COMMUNAL - SÉANCE DU 28 JANVIER 2021":                                                     "Conseil Communal",
		"CONSEIL COMMUNAL DE VILLARD-LA-COMBE\nProcès-verbal":                                              "Conseil Communal de Villard-la-Combe",
		"PROCES-VERBAL DE LA REUNION DU CONSEIL MUNICIPAL DU LUNDI 11 AVRIL 2022":                          "Conseil Municipal",
		"EXCMO. AYUNTAMIENTO DE VILLALBA\nDiario de sesiones":                                              "Excmo. Ayuntamiento de Villalba",
		"GOBIERNO MUNICIPAL\nLEGISLATURA MUNICIPAL\nActa":                                                  "Legislatura Municipal",
		"Minutes of the Tenth Annual Meeting of the Little Ashford Parish Council held in the Hall":        "Little Ashford Parish Council",
		"The Police Jury of the Parish of Ashford, State of Louisiana met in a regular session on Monday.": "Police Jury of the Parish of Ashford",
		"INTRODUCTORY The City Council of the City of Ashford, Ohio, met for a regular meeting at 7 p.m.":  "City Council of the City of Ashford",
		"SHIRE OF ASHFORD\nORDINARY MEETING\nThat Council adopts the report":                               "Shire of Ashford",
		"Board of Directors\nSPECIAL BOARD MEETING":                                                        "Board of Directors",
		"Authority to Resolve into a Closed Meeting of Council":                                            "",
		"701 E. BROADWAY\nCOUNCIL CHAMBER, CITY HALL":                                                      "",
		"Séance ordinaire du conseil municipal de la Ville de Roxton tenue le":                             "conseil municipal de la Ville de Roxton",
		"ACTA DE LA SESIÓN ORDINARIA CELEBRADA POR EL PLENO DEL AYUNTAMIENTO DE VILLALBA EL DÍA 13 DE ABRIL DE 2026": "Pleno del " +
			"Ayuntamiento de Villalba",
		"": "",
	} {
		if got := read(text).Body; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"March 12, 2024", "12 de", "1/2/3", "the of the", "Board,",
		"May the 4th, 2018 Council"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if h := read(text); h.Date != "" && len(h.Date) != len("2006-01-02") {
			t.Errorf("%q: date %q", text, h.Date)
		}
	})
}

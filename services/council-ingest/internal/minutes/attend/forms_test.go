package attend_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestForms has a text for each form of attendance that clerks of other towns print.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"answers within a paragraph": {"Chair Ana Huber called the meeting to order. Roll call: Mr. Bo Morgan, present; Mrs. Ory, present; Mr. Cy Stone,\n" +
			"absent (ill). Also present Fire Chief Al Poe.\n", "Bo Morgan//Present; Ory//Present; Cy Stone//Absent; Ana Huber/Chair/Present"},
		"answers without a verb": {"ROLL CALL: Directors Huber, Morgan and Ory present. Director Stone absent.\n", "Huber/Director/Present; " +
			"Morgan/Director/Present; Ory/Director/Present; Stone/Director/Absent"},
		"the clerk calls": {"Roll was called by Clerk Jo Poe: Huber, Morgan, Ory present; Stone absent.\n",
			"Huber//Present; Morgan//Present; Ory//Present; Stone//Absent"},
		"degrees and seats": {"Present:\n\nAna Huber, MD, Vice-Chair\nBo Morgan, Secretary\nCy Ory, DO, MBA\nEd Stone, Ph.D., Chairperson, " +
			"Maui Member\nLi Roe, Public Member\nAl Poe, Technical Support\n\nExcused:\n\nJo Doe, D.O., Osteopathic/Maui Member\n",
			"Ana Huber/Vice-Chair/Present; Bo Morgan/Secretary/Present; Cy Ory//Present; Ed Stone/Chairperson, Maui Member/Present; " +
				"Li Roe/Public Member/Present; Jo Doe/Osteopathic/Maui Member/Excused"},
		"an unknown degree": {"Present: Ana Huber, FACP, Bo Morgan and Cy Ory\n", "Ana Huber//Present; Bo Morgan//Present; Cy Ory//Present; PART"},
		"dashes":            {"2. Roll Call: Present – Huber, Morgan, Ory. Absent – Stone.\n", "Huber//Present; Morgan//Present; Ory//Present; Stone//Absent"},
		"marks": {"ROLL CALL\n                        Present   Absent   Time arrived\nMayor Ana Huber            X\nCouncilor Bo Morgan, Jr.            X\n" +
			"Councilor Cy Ory           √\n\nAlso present: Clerk Jo Poe\n", "Ana Huber/Mayor/Present; Bo Morgan, Jr./Councilor/Absent; Cy " +
			"Ory/Councilor/Present"},
		"marks between bars": {"| Name | Title | Present | Absent |\n|------|-------|---------|--------|\n| Ana Huber  | Chair  | X   |     |\n" +
			"| Bo Morgan  | Member |     | X   |\n", "Ana Huber/Chair/Present; Bo Morgan/Member/Absent"},
		"a mark in no column": {"Member                  Present   Absent\nAna Huber X\nBo Morgan               X\nCy Ory                            X\n",
			"Bo Morgan//Present; Cy Ory//Absent; PART"},
		"staff in a second column": {"The Council met at 6 p.m. with the following in attendance:\n\n  Ana Huber   Mayor            Jo Poe   City Manager\n" +
			"  Bo Morgan   Councilmember    Li Roe   City Attorney\n  Cy Ory      Councilmember\n\nMayor Huber spoke.\n",
			"Ana Huber/Mayor/Present; Bo Morgan/Councilmember/Present; Cy Ory/Councilmember/Present"},
		"the staff's label in the first row": {"ATTENDANCE:\n     Mayor Ana Huber            City Staff:\n     Bo Morgan  " +
			"                Jo Poe, City Manager\n" +
			"     Cy Ory                     Al Doe, City Recorder\n     Mardi Stone\n\nI. Welcome\n",
			"Ana Huber/Mayor/Present; Bo Morgan//Present; Cy Ory//Present; Mardi Stone//Present"},
		"a name over two lines": {"PRESENT: Reeve Ana Huber; Councillors Cy Ory, Bo\n   Morgan; CAO Jo Poe; Director of Works Al Doe\n",
			"Ana Huber/Reeve/Present; Cy Ory/Councillor/Present; Bo Morgan/Councillor/Present"},
		"an office in the list": {"Present: Councillors: A Huber, B Morgan, C Ory (19:10)\nApologies: Cllr D Stone\n",
			"A Huber/Councillor/Present; B Morgan/Councillor/Present; C Ory/Councillor/Present; D Stone/Cllr/Absent"},
		"a title behind a label": {"ATTENDANCE    Directors In Attendance Were:\n              Ana Huber\n              Bo Morgan\n\n              " +
			"Also In Attendance Were:\n              Jo Poe, Manager\n", "Ana Huber//Present; Bo Morgan//Present"},
		"the clerk behind the manager": {"Present were Chairman Ana Huber, Commissioner Bo Morgan, County Manager Al Doe and Clerk Jo Poe.\n",
			"Ana Huber/Chairman/Present; Bo Morgan/Commissioner/Present"},
		"the clerk below": {"PRESENT: Cllr A Huber (Chair); Cllr B Morgan\n         Mrs J Poe, Town Clerk; 3 members of the public\n",
			"A Huber/Cllr, Chair/Present; B Morgan/Cllr/Present"},
		"alternates": {"Members present: Ana Huber, Chair; Bo Morgan, Selectmen's Representative; Cy Ory, alternate\n",
			"Ana Huber/Chair/Present; Bo Morgan/Selectmen's Representative/Present; Cy Ory/alternate/Present"},
		"a running line in a list": {"PRESENT:   Councillor A. Huber     Speaker\n           Councillor B. Morgan    Mayor\n           Councillors C. Ory, D. Stone and 4 " +
			"others\nOFFICIALS: Mr J. Poe (Director: Works)\n", "A. Huber/Councillor, Speaker/Present; B. Morgan/Councillor, Mayor/Present; C. Ory/" +
			"Councillor/Present; D. Stone/Councillor/Present; PART"},
		"one apart above two columns": {"Present:\n\nProvost Ana HUBER (in the Chair)\n\nCouncillor Bo MORGAN        Councillor Cy ORY\nCouncillor Di STONE\n\n" +
			"In Attendance\n\nJo Poe, Clerk\n\nApologies were submitted on behalf of Councillor Ed King.\n", "Ana HUBER/Provost/Present; Bo " +
			"MORGAN/Councillor/Present; Cy ORY/Councillor/Present; Di STONE/Councillor/Present; Ed King/Councillor/Excused"},
		"counted away": {"The Clerk called the roll: 2 present, 1 excused (Cy Ory). Present: Ana Huber, Bo Morgan.\n",
			"Cy Ory//Excused; Ana Huber//Present; Bo Morgan//Present"},
		"Irish": {"I Láthair: Cathaoirleach, Cllr. A. Huber\n           Cllrs. B. Morgan, C. Ó Sé\nLeithscéal: Cllr. D. Ní Mhurchú\nI bhFreastal: Ms. J. Poe, Staff " +
			"Officer\n", "A. Huber/Cathaoirleach, Cllr./Present; B. Morgan/Cllr./Present; C. Ó Sé/Cllr./Present; D. Ní Mhurchú/Cllr./Absent"},
		"French presences": {"Procès-verbal de la séance\nPRÉSENCES :\n   Mme Ana Roy, Mairesse d'arrondissement\n   M. Luc Roux, Conseiller de la ville\nAUTRES " +
			"PRÉSENCES :\n   M. Jo Poe, Directeur\n", "Ana Roy/Mairesse d'arrondissement/Present; Luc Roux/Conseiller de la ville/Present"},
		"French in a sentence": {"Procès-verbal de la séance tenue au 295,\nroute du Lac, à laquelle étaient présents :\n\nM. Jean Roy, maire\nM. Luc Roux, " +
			"conseiller district 1        Mme Ana Poe, conseillère district 2\n\nTous formant quorum.\n", "Jean Roy/maire/Present; Luc Roux/conseiller " +
			"district 1/Present; Ana Poe/conseillère district 2/Present"},
		"French proxies": {"Procès-verbal de la séance\nPrésents : M. Jean ROY, Maire, Mmes et MM. Ana POE, Luc ROUX.\nPouvoirs : Mme Eva CÔTÉ donne pouvoir à M. Luc ROUX.\n",
			"Jean ROY/Maire/Present; Ana POE//Present; Luc ROUX//Present; Eva CÔTÉ//Absent"},
		"Spanish parties": {"Ayuntamiento de Villa\nALCALDESA-PRESIDENTA:  Doña Ana Ruiz\nCONCEJALES ASISTENTES:\nGRUPO SOCIALISTA (PSOE):  Don Juan Gil, Doña Eva\n     " +
			"Mora Paz\nGRUPO MIXTO:  Don Luis Roca\n\nNO ASISTE:  Don Iván Soto\nSECRETARIO:  Don Pablo Vega\n", "Ana Ruiz/ALCALDESA-PRESIDENTA/Present; Juan " +
			"Gil//Present; Eva Mora Paz//Present; Luis Roca//Present; Iván Soto//Absent"},
		"Spanish excuses": {"AYUNTAMIENTO DE VILLA\nAsistentes:\nConcejales: D. Juan Gil, Dª Eva Mora\nExcusa su asistencia: D. Iván Soto\n",
			"Juan Gil//Present; Eva Mora//Present; Iván Soto//Excused"},
		"Spanish who concur": {"AYUNTAMIENTO DE VILLA\nConcurren:\n  Alcalde:    D. Juan Gil (P. Popular)\nConcejales:   Dª Eva Mora (P. Popular)\n              D. Luis Roca " +
			"(I.U.)\nSecretario:   D. Pablo Vega\n", "Juan Gil/Alcalde/Present; Eva Mora//Present; Luis Roca//Present"},
		"Mexican": {"AYUNTAMIENTO CONSTITUCIONAL\nReunidos los C.C. MA. EVA MORA, PRESIDENTA MUNICIPAL, LIC. JUAN GIL, LUIS ROCA (REGIDORES), MTRA. ANA RUIZ, SÍNDICO\n" +
			"MUNICIPAL, se instala la sesión. Falta con aviso el regidor IVÁN SOTO.\n", "MA. EVA MORA/PRESIDENTA MUNICIPAL/Present; JUAN GIL//Present; LUIS " +
			"ROCA/REGIDORES/Present; ANA RUIZ/SÍNDICO MUNICIPAL/Present; IVÁN SOTO/regidor/Absent"},
		"groups by place": {"Voting Members\nIn Person: Ana Huber (Chair), Bo Morgan\nVia Zoom: Cy Ory\nAbsent: Di " +
			"Stone\nStaff: Jo Poe, Planner\n",
			"Ana Huber/Chair/Present; Bo Morgan//Present; Cy Ory//Remote; Di Stone//Absent"},
		"a proxy in the label": {"Procès-verbal de la séance\nPrésents : Mme Ana ROY, M. Luc ROUX\nAbsente ayant donné " +
			"procuration : Mme Eva CÔTÉ à M. Luc " +
			"ROUX\nAbsent : M. Paul LAM\n", "Ana ROY//Present; Luc ROUX//Present; Eva CÔTÉ//Absent; Paul LAM//Absent"},
		"members, then staff": {"Commissioners: Ana Huber, Bo Morgan, Cy Ory; Staff: Jo Poe, Li Roe\n",
			"Ana Huber//Present; Bo Morgan//Present; Cy Ory//Present"},
		"one person a label": {"Present: Mayor Ana Huber\nCouncilmember: Bo Morgan\nAbsent: Councilmember Cy Ory\n",
			"Ana Huber/Mayor/Present; Bo Morgan//Present; Cy Ory/Councilmember/Absent"},
		"a board by its name": {"Planning Board: Ana Huber, Chair; Bo Morgan; Cy Ory\nAbsent: Di Stone\n",
			"Ana Huber/Chair/Present; Bo Morgan//Present; Cy Ory//Present; Di Stone//Absent"},
		"yes above the members": {"Meeting Posted: Yes\nPlace: Town Hall\n\nPresent: Huber, Morgan, Ory\nAbsent: Stone\n",
			"Huber//Present; Morgan//Present; Ory//Present; Stone//Absent"},
		"a roll call of a vote": {"Present: Huber, Morgan, Ory\n\nRoll call: YES - Huber, Morgan (2). NO - Ory (1).\n",
			"Huber//Present; Morgan//Present; Ory//Present"},
		"districts in words": {"Members present were Bo Morgan, Magistrate District One; Ana Huber, Magistrate District Two; and " +
			"Cy Ory, Magistrate District Four.\n", "Bo Morgan/Magistrate District One/Present; Ana Huber/Magistrate District Two/Present; " +
			"Cy Ory/Magistrate District Four/Present"},
		"members participating": {"The meeting was called to order by Mayor Di Stone, with the following Council members participating: " +
			"Bo Morgan, Ana Huber, and Cy Ory.\n", "Bo Morgan//Present; Ana Huber//Present; Cy Ory//Present; Di Stone/Mayor/Present"},
		"nothing but Roll Call": {"ROLL CALL\nAna Huber, Mayor\nBo Morgan, Council Member\nCy Ory, Council Member " +
			"(absent)\n\nAPPROVAL OF AGENDA\n",
			"Ana Huber/Mayor/Present; Bo Morgan/Council Member/Present; Cy Ory/Council Member/Absent"},
		"ticked members": {"Roll Call:\n☒ Ana Huber, Chair\n☒ Bo Morgan\n☐ Cy Ory\n",
			"Ana Huber/Chair/Present; Bo Morgan//Present; Cy Ory//Absent"},
		"an answer on each line": {"ROLL CALL\nAna Huber ........ Present\nBo Morgan, Chair ..... Present\nCy Ory " +
			"........ Absent\n", "Ana Huber//Present; Bo Morgan/Chair/Present; Cy Ory//Absent"},
		"an answer behind a gap": {"ROLL CALL:\nCouncil Member Huber      Present\nCouncil Member Morgan     " +
			"Absent\nMayor Ory                 Present\n",
			"Huber/Council Member/Present; Morgan/Council Member/Absent; Ory/Mayor/Present"},
		"letters for answers": {"Roll call: Huber-P, Morgan-P, Ory-A, Stone-P\n",
			"Huber//Present; Morgan//Present; Ory//Absent; Stone//Present"},
		"three lists side by side": {"DIRECTORS PRESENT      DIRECTORS ABSENT     STAFF PRESENT\nAna Huber              " +
			"Di Stone             Jo Poe, Manager\n" +
			"Bo Morgan                                   Li Roe, Engineer\nCy Ory\n",
			"Ana Huber//Present; Bo Morgan//Present; Cy Ory//Present; Di Stone//Absent"},
		"lists between bars": {"| Present | Absent |\n|---|---|\n| Ana Huber | Di Stone |\n| Bo Morgan | |\n",
			"Ana Huber//Present; Bo Morgan//Present; Di Stone//Absent"},
		"those with the chair": {"Chairperson Ana Huber called the meeting to order at 7 p.m. with Board members Bo " +
			"Morgan and Cy Ory in attendance.\nDi Stone was absent.\n",
			"Bo Morgan/Board member/Present; Cy Ory/Board member/Present; Di Stone//Absent; Ana Huber/Chairperson/Present"},
		"presiding and present": {"The Board met with Chair Ana Huber presiding and Commissioners Bo Morgan and Cy Ory " +
			"present.\n", "Ana Huber/Chair/Present; Bo " +
			"Morgan/Commissioner/Present; Cy Ory/Commissioner/Present"},
		"officers who are members": {"Board Members Present: Ana Huber-Supervisor, Bo Morgan-Clerk, Cy Ory-Treasurer\n",
			"Ana Huber/Supervisor/Present; Bo " +
				"Morgan/Clerk/Present; Cy Ory/Treasurer/Present"},
		"officers before trustees": {"Present: Clerk Huber, Treasurer Morgan, Trustees Ory and Stone. Also present: 6 " +
			"residents.\n", "Huber/Clerk/Present; Morgan/Treasurer/Present; " +
			"Ory/Trustee/Present; Stone/Trustee/Present"},
		"answering were": {"Members answering roll call were Mrs. Huber, Mr. Morgan and Mr. Ory. Mr. Stone was absent.\n",
			"Huber//Present; Morgan//Present; " +
				"Ory//Present; Stone//Absent"},
		"office, dots, name": {"Those present were:\nMayor . . . . . . . . Ana Huber\nCouncil Member  . . . . . . Bo " +
			"Morgan\nCity Recorder . . . . . . Jo Poe\n", "Ana " +
			"Huber/Mayor/Present; Bo Morgan/Council Member/Present"},
		"offices in the first column": {"Present:\n        Chairperson           Ana Huber\n        Deputy Chair          Bo Morgan\n" +
			"                              Cy Ory\n", "Ana Huber/Chairperson/Present; Bo Morgan/Deputy Chair/Present; Cy Ory//Present"},
		"capacities in small letters": {"Present:      Ana Huber, Chairman\n              Bo Morgan, ex officio\n" +
			"              Cy Ory, elected member\n", "Ana Huber/Chairman/Present; Bo Morgan/ex officio/Present; Cy Ory/elected member/Present"},
		"an answer over two lines": {"ROLL CALL: Mr. Bo Morgan, present; Mrs. Ana Huber, present; Mr. Cy\nOry, present.\n",
			"Bo Morgan//Present; Ana Huber//Present; Cy Ory//Present"},
		"a guest of a company below": {"Those present:\nAna Huber, Chair\nBo Morgan\nCy Ory\nAl Poe, General Manager\n" +
			"Jo Poe, Clerk\nLi Roe, Sunrise Engineers\n", "Ana Huber/Chair/Present; Bo Morgan//Present; Cy Ory//Present"},
		"members and administration": {"THE FOLLOWING MEMBERS OF THE COUNCIL AND ADMINISTRATION WERE PRESENT:\n   " +
			"Councilor Ana Huber      Councilor Bo Morgan\n   City Attorney Jo " +
			"Poe    Councilor Cy Ory\n", "Ana Huber/Councilor/Present; Bo Morgan/Councilor/Present; Cy Ory/Councilor/Present"},
		"a label next to the middle": {"Council Member Ana Huber\nCouncil Member Bo Morgan\nPresent:\nCouncil Member Cy " +
			"Ory\n", "Ana Huber/Council Member/Present; Bo " +
			"Morgan/Council Member/Present; Cy Ory/Council Member/Present"},
		"a time in parentheses": {"COUNCIL MEMBERS PRESENT:\n   Ana Huber, Bo Morgan (on the phone at 7:05), Cy Ory,\n   " +
			"and Di Stone\n", "Ana Huber//Present; Bo " +
			"Morgan//Remote; Cy Ory//Present; Di Stone//Present"},
		"a quorum behind the list": {"Procès-verbal de la séance. Sont présents les conseillers : Ana Roy, Luc Roux et " +
			"Paul Lam, formant quorum sous la présidence du maire " +
			"Jean Pré.\n", "Ana Roy//Present; Luc Roux//Present; Paul Lam//Present; Jean Pré/maire/Present"},
		"apologies told": {"Present: Cllrs Ana Huber, Bo Morgan.\nApologies: Apologies for absence were received from " +
			"Cllrs Cy Ory and Di Stone.\n", "Ana Huber/Cllr/Present; Bo " +
			"Morgan/Cllr/Present; Cy Ory/Cllr/Absent; Di Stone/Cllr/Absent"},
		"a given name like an article": {"PRESENT: Cr Ana Huber (Mayor), Cr Des Morgan, Cr Les Ory\n", "Ana Huber/Cr, Mayor/Present; Des Morgan/Cr/Present; " +
			"Les Ory/Cr/Present"},
	} {
		if diff := cmp.Diff(c.want, show(read(c.text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestFullNames checks who is completed by a full name elsewhere in the document.
func TestFullNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want, known string }{
		"a list in parentheses": {"Present: Huber, B. Morgan. Absent: Ory. (Council: Ana Huber, Bo Morgan, Cy Ory.)\n",
			"Ana Huber//Present; Bo Morgan//Present; Cy Ory//Absent", ""},
		"officers and trustees": {"Roll Call: Present – Huber, Morgan. Absent – Ory.\nOfficers and trustees: Ana Huber (President), Bo Morgan, Cy Ory. Staff: Director Jo " +
			"Poe.\n", "Ana Huber/President/Present; Bo Morgan//Present; Cy Ory//Absent", ""},
		"an office before the name": {"Present: Huber, Morgan\n\nThe floor was given to Chairman Ana Huber at 7 p.m.\n", "Ana Huber//Present; Morgan//Present", ""},
		"a signature":               {"Present: Huber, Morgan\n\n_________ Ana Huber, Chair     ________ Jo Morgan, Fiscal Officer\n", "Ana Huber//Present; Morgan//Present", ""},
		"two differ":                {"Present: Huber, Morgan\n\nChairman Ana Huber spoke.\n\nTrustee Bo Huber spoke.\n", "Huber//Present; Morgan//Present", ""},
		"a speaker":                 {"Present: Huber, Morgan\n\nMs. Ana Huber, 12 Lake Street, spoke. Ana Huber's dog barked.\n", "Huber//Present; Morgan//Present", ""},
		"staff":                     {"Present: Huber, Morgan\n\nCity Manager Ana Huber spoke. Police Chief Bo Morgan spoke.\n", "Huber//Present; Morgan//Present", ""},
		"another body":              {"Present: Huber, Morgan\n\nCounty Commissioner Ana Huber and former Mayor Bo Morgan spoke.\n", "Huber//Present; Morgan//Present", ""},
		"other initials":            {"Present: B. Huber, C. Morgan\n\nChairman Ana Huber spoke.\n", "B. Huber//Present; C. Morgan//Present", ""},
		"an office of two words":    {"Present: Huber, Stone\n\nMayor Pro Tem Stone spoke.\n", "Huber//Present; Stone//Present", ""},
		"a district": {"Present: Huber, Morgan\n\nAna Huber, District 1 Jo Poe, City Attorney\n",
			"Ana Huber//Present; Morgan//Present", ""},
		"labels apart": {"COUNCIL MEMBERS\nELECRONICALLY PRESENT:\n\nOTHERS IN ATTENDANCE:\n\nANA HUBER\nBO " +
			"MORGAN 1\nJO POE, LEGAL COUNSEL\n", "PART", "ANA HUBER, BO MORGAN"},
		"a heading in capitals": {"COUNCILMEMBER HUBER REQUEST - FEES\nMayor Ana Huber spoke. Trustee Bo Morgan moved.\n", "PART",
			"Ana Huber, Bo Morgan"},
		"two honorifics": {"PRESENT: Mr. Huber, Ms. Morgan, Mrs. Ory, Mayor Stone\n",
			"Huber//Present; Morgan//Present; Ory//Present; Stone/Mayor/Present", ""},
		"no list": {"Mayor Ana Huber spoke. Trustee Bo Morgan moved.\n", "PART", "Ana Huber, Bo Morgan"},
	} {
		s := read(c.text)
		if diff := cmp.Diff(c.want, show(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if c.known != "" && strings.Join(s.Cover, ", ") != c.known {
			t.Errorf("%s: knows %v, want %s", name, s.Cover, c.known)
		}
	}
}

package attend_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/attend"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

func read(text string) *attend.Sheet {
	d := lexicon.New(lexicon.Words{}, nil)
	kept := lines.Clean(text, d, nil, false).Lines
	return attend.Read(kept, d, nil)
}

// show prints name/title/status of each row, and whether the list is whole.
func show(s *attend.Sheet) string {
	var out []string
	for _, a := range s.Attendance {
		row := a.Name + "/"
		if a.Title != nil {
			row += *a.Title
		}
		row += "/"
		if a.Status != nil {
			row += *a.Status
		}
		out = append(out, row)
	}
	if !s.Whole {
		out = append(out, "PART")
	}
	return strings.Join(out, "; ")
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"rows": {"Roll Call\nPresent: Huber, Morgan, King, Jr., Stone\nAbsent: None\n", "Huber//Present; Morgan//Present; " +
			"King, Jr.//Present; Stone//Present"},
		"offices": {"Present: Mayor Ana Huber, Councilmembers Bo Morgan, Cy Ory\nAbsent: Ed Stone\n",
			"Ana Huber/Mayor/Present; Bo Morgan/Councilmember/Present; Cy Ory/Councilmember/Present; Ed Stone//Absent"},
		"members not present": {"Commission Members Present:\nAna Huber\nBo Morgan (Arrived, 1:07 pm.)\nCy Ory\n" +
			"Commission Members Not Present\nEd Stone\nStaff Present:\nJo Poe\n",
			"Ana Huber//Present; Bo Morgan//Late; Cy Ory//Present; Ed Stone//Absent"},
		"a sentence over two lines": {"The meeting began at 7 p.m. Mayor Ana Huber and Councillors Bo Morgan, Cy Ory and\nEd Stone " +
			"were present. City Attorney Jo Poe was also present.\n", "Ana Huber/Mayor/Present; Bo Morgan/Councillor/Present; Cy " +
			"Ory/Councillor/Present; Ed Stone/Councillor/Present"},
		"board members present were": {"Board members present were supervisors Ana Huber, Bo Morgan, and Cy Ory treasurer Jo Poe, " +
			"and clerk Li Roe. Guests were Ann Doe and Al Roe.\n", "Ana Huber/supervisor/Present; Bo Morgan/supervisor/Present; Cy " +
			"Ory/supervisor/Present"},
		"absent with notice": {"Present: Huber, Morgan, Ory. Absent with notice: Stone. Also present: Clerk Poe.\n",
			"Huber//Present; Morgan//Present; Ory//Present; Stone//Absent"},
		"answered": {"Roll call: Huber, Trustee Morgan and Ory answered present.\n", "Huber//Present; Morgan/Trustee/Present; " +
			"Ory//Present"},
		"the chair in the head": {"Mayor Ana Huber called the meeting to order at 7:00 p.m.\nPresent: Huber, Morgan, Ory\n",
			"Ana Huber/Mayor/Present; Morgan//Present; Ory//Present"},
		"the chair is not in the row": {"President Brown called the meeting to order at 6:37 p.m. Other Board members present: Paul " +
			"Keefer, Ann Davis, and Bo Fong. Board members absent: Goold, and Orzalli.\n", "Paul Keefer//Present; Ann Davis//Present; Bo " +
			"Fong//Present; Goold//Absent; Orzalli//Absent; Brown/President/Present"},
		"staff column": {"Attendance:\n\nMayor Tom Staggs\n\nCouncilmembers:                              City Staff:\nCouncilmember Al " +
			"Doe                        Kevin Hicks, City Manager\nCouncilmember Bo Roe-excused                Ryan Carter, City Attorney\n\n",
			"Tom Staggs/Mayor/Present; Al Doe/Councilmember/Present; Bo Roe/Councilmember/Excused"},
		"two columns": {"Attendance\nCouncil:      Mayor Huber                 Councillor Hofland\nCouncillor B. Bell               " +
			"Councillor G. Kovach\n(arrived at 7:00 p.m.)\nStaff:        Ms. A. Poe, Chief Administrative Officer\n",
			"Huber/Mayor/Present; Hofland/Councillor/Present; B. Bell/Councillor/Late; G. Kovach/Councillor/Present"},
		"offices of staff": {"District Attendees\n- Michael McRae - Board President\n- Randy Marx - Board Member\n- Tom R. Gray - General " +
			"Manager\n- Chi Ha-Ly - Finance Manager\n\n", "Michael McRae/Board President/Present; Randy Marx/Board Member/Present"},
		"members and an analyst": {"Present: Trustee Ana Huber, Trustee Bo Morgan, Council Financial Analyst Jo Poe\n", "Ana " +
			"Huber/Trustee/Present; Bo Morgan/Trustee/Present"},
		"districts without commas": {"Council Members Present:\nAnn Reed At-Large, Council President\nEva Poe-Smith* District 1\n" +
			"Dan Ruff (arrived at 6:31pm) At-Large\n\n", "Ann Reed/Council President/Present; Eva Poe-Smith//Present; Dan Ruff//Late"},
		"no commas": {"Attendance: Cllr Sue Lintern Chair Cllr Ann Doe Cllr Gail Reeve\n", "Sue Lintern/Cllr, Chair/Present; Ann " +
			"Doe/Cllr/Present; Gail Reeve/Cllr/Present"},
		"not read whole": {"Present: Huber, Morgan, 7th Street, Ory\n", "Huber//Present; Morgan//Present; Ory//Present; PART"},
		"times": {"Present:         Councillor Ayah A. Al-Zubi\n                 Vice Mayor Burhan Azeem- 6:39 PM\n                 Councillor E. " +
			"Denise Simmons-REMOTE-7:14 PM-IN PERSON\n                 Mayor Ana Poe\nAbsent:          None\n", "Ayah A. Al-Zubi/Councillor/Present; " +
			"Burhan Azeem/Vice Mayor/Present; E. Denise Simmons/Councillor/Remote; Ana Poe/Mayor/Present"},
		"signatures": {"Present: Mayor Ann Lee, Councillors Bo Ray and Cy Poe.\nMinutes follow.\n\nMayor:\n\nCAO-Clerk:\n",
			"Ann Lee/Mayor/Present; Bo Ray/Councillor/Present; Cy Poe/Councillor/Present"},
		"two lists side by side": {"Members Present:        Members Absent:\nAnn Lee                 Cy Poe\nBo Ray\n",
			"Ann Lee//Present; Bo Ray//Present; Cy Poe//Absent"},
		"two lists whose columns are lost": {"Members Present:        Members Absent:\n\nAnn Lee\nBo Ray\n\nCy Poe\n\nStaff Present:\nDi Roe\n", "PART"},
		"French rows": {"PROCÈS-VERBAL\nSont présents :\nM. Jean Roy, maire\nMme Ana Poe, conseillère, district 1\nSiège #3 - Mme Eva Roux\n\nEst " +
			"absent : M. Paul Lam, conseiller\nSont également présents : Mme Lise Doe, greffière\n", "Jean Roy/maire/Present; Ana Poe/conseillère, " +
			"district 1/Present; Eva Roux//Present; Paul Lam/conseiller/Absent"},
		"Spanish roles": {"ACTA DE LA SESIÓN ORDINARIA\nASISTENTES\nAlcaldesa-Presidenta:\nDª. Ana Ruiz Gómez\nConcejales:\nD. Juan Pérez López\nDª. Eva Gil " +
			"Mora\nSecretario:\nD. Pablo Vega Díaz\n\nNo asiste: D. Iván Soto\n", "Ana Ruiz Gómez/Alcaldesa-Presidenta/Present; Juan Pérez López//Present; Eva Gil " +
			"Mora//Present; Iván Soto//Absent"},
		"a heading below": {"PRESENT: Mayor Ann Lee, Councilor Bo Ray\nII. Business\n1. Pays Bills\nCouncilor Ray moved to pay.\n",
			"Ann Lee/Mayor/Present; Bo Ray/Councilor/Present"},
		"a label in the middle of its list": {"Present:   Ann Lee\n           Bo Ray\n\n           Cy Poe\nAbsent:\n           Di Roe\n",
			"Ann Lee//Present; Bo Ray//Present; Cy Poe//Absent; Di Roe//Absent"},
		"labels apart": {"Board Members\nPresent:\n\nBoard Members\nAbsent:\n\nChair Kemp; Directors Doe, Roe and Poe.\nDirector Moe\n", "PART"},
		"French": {"Sont présents : M. le maire Jean Roy, les conseillères Ana Poe et Eva Côté.\nEst absent : Luc Roux\nEst également " +
			"présente : Lise Doe, greffière\n", "Jean Roy/maire/Present; Ana Poe/conseillère/Present; Eva Côté/conseillère/Present; Luc Roux//Absent"},
		"Spanish": {"Asistentes:\nAlcaldesa Ana Ruiz\nConcejal Juan Pérez\nConcejala Eva Gil\nAusentes: Luis Roca\n", "Ana " +
			"Ruiz/Alcaldesa/Present; Juan Pérez/Concejal/Present; Eva Gil/Concejala/Present; Luis Roca//Absent"},
		"a vote's rows are no attendance": {"Motion to pay the bills.\nAYES: Huber, Morgan\nABSENT: Stone\n", "PART"},
		"nothing":                         {"The Board discussed the present state of the road. Bo Roe was present at the fire.\n", "PART"},
	} {
		if diff := cmp.Diff(c.want, show(read(c.text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzRead checks that nobody without the form of a name attends, and that the time is bounded.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"Present: A, B\n\nAbsent:", "Attendee Name\nTitle\nStatus", "Roll Call\n(\n(\n", ": : :", "Present:\n(a)\n",
		"X were present and were absent and was", "Councilmembers:    Staff:\nDoe     Roe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := read(text)
		for _, a := range s.Attendance {
			if strings.TrimSpace(a.Name) == "" {
				t.Errorf("%q: somebody without a name attends", text)
			}
		}
		if s.From > s.To {
			t.Errorf("%q: lines %d to %d", text, s.From, s.To)
		}
	})
}

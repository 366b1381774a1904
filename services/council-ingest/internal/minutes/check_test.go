package minutes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// chamber returns minutes with one table and fifteen members, the last of whom is absent.
func chamber(table string) string {
	var b strings.Builder
	b.WriteString("Alder Bay City Council\nRegular Meeting\nMinutes ~ January 13, 2026\n\n  Attendee Name          " +
		"Title            Status    Arrived\n")
	for i, name := range members15 {
		status := "Present"
		if i == len(members15)-1 {
			status = "Absent"
		}
		fmt.Fprintf(&b, "  %-22s Councilmember    %s\n", name, status)
	}
	return b.String() + "\nI. Ordinances\n\n1. 2026-14 Sewer Rates\n\n" + table + "\nII. Adjournment\n"
}

var members15 = strings.Split("Odile Brandt,Teodor Vance,Suki Arano,Pilar Ruiz,Walter Finch,Mina Okafor,Jonas "+
	"Keller,Ada Marsh,Ivo Petrov,Lena Holt,Omar Reyes,Nora Quill,Hugo Stein,Vera Lund,Ruth Abel", ",")

// An impossible roll call is withheld, and an anomaly says why. The tally is kept.
func TestImpossibleRollsAreWithheld(t *testing.T) {
	t.Parallel()
	list := func(names []string) string { return strings.Join(names, ", ") }
	table := func(result, mover, seconder string, aye, absent []string) string {
		return fmt.Sprintf("  RESULT:   %s\n  MOVER:    %s, Councilmember\n  SECONDER: %s, Councilmember\n  AYES:     %s\n "+
			" ABSENT:   %s\n", result, mover, seconder, list(aye), list(absent))
	}
	all := members15
	for name, c := range map[string]struct {
		table    string
		withheld string // text of the anomaly; empty if the roll call is shown
		ayes     int
	}{
		"half of a unanimous roll is absent": {table("ADOPTED [UNANIMOUS]", all[0], all[1], all[:7], all[7:]),
			"unanimous, and Ada Marsh,", 0},
		"a third of it": {table("ADOPTED [UNANIMOUS]", all[0], all[1], all[:9], all[9:]),
			"unanimous, and Lena Holt,", 0},
		"less than a third, with one who left": {table("ADOPTED [UNANIMOUS]", all[0], all[1], all[:12], all[12:]), "",
			12},
		"the one who is absent by the list": {table("ADOPTED [UNANIMOUS]", all[0], all[1], all[:14], all[14:]), "",
			14},
		"as many as the tally says, though half": {table("ADOPTED [8 TO 0]", all[0], all[1], all[:8], all[8:]), "", 8},
		"fewer than the tally says": {table("ADOPTED [14 TO 0]", all[0], all[1], all[:7], all[7:]),
			"unanimous, and Ada Marsh,", 14},
		"a voice vote without two": {strings.Replace(table("ADOPTED [VV13]", all[0], all[1], nil, all[13:]),
			"  AYES:     \n", "", 1), "", 13},
		"no ayes named, two absent": {
			strings.Replace(table("ADOPTED [13 TO 0]", all[0], all[1], nil, all[13:]), "  AYES:     \n", "", 1), "", 13},
		"the mover": {table("ADOPTED [13 TO 0]", all[13], all[1], all[:13], all[13:]),
			"the mover Vera Lund", 13},
		"the seconder": {table("ADOPTED [13 TO 0]", all[0], all[13], all[:13], all[13:]),
			"the seconder Vera Lund", 13},
		"the mover of a vote that is not unanimous": {strings.Replace(table("ADOPTED [12 TO 1]", all[13], all[1], all[:12],
			all[13:]), "  ABSENT", "  NAYS:     "+all[12]+"\n  ABSENT", 1), "the mover Vera Lund", 12},
	} {
		r := Parse(chamber(c.table), Options{})
		if len(r.Items) != 1 || len(r.Items[0].Votes) != 1 {
			t.Errorf("%s: the record has %d items", name, len(r.Items))
			continue
		}
		v := r.Items[0].Votes[0]
		at := slices.IndexFunc(r.Anomalies, func(a record.Anomaly) bool { return a.Code == council.CodeRollWithheld })
		if v.AyesCount != c.ayes || v.Mover == nil || v.Seconder == nil || v.Result != council.Adopted {
			t.Errorf("%s: tally or movers were not kept: %+v", name, v)
		}
		switch {
		case c.withheld == "":
			if named := len(v.Roll); at >= 0 || named != len(all) && named != 2 {
				t.Errorf("%s: the roll call is %v, the anomalies are %+v", name, v.Roll, r.Anomalies)
			}
		case at < 0 || !strings.Contains(r.Anomalies[at].Message, c.withheld) ||
			strings.Contains(codesOf(r), string(council.CodeNamesMissing)):
			t.Errorf("%s: wrong anomalies %+v", name, r.Anomalies)
		case len(v.Roll) > 0:
			t.Errorf("%s: the roll call is not withheld: %v", name, v.Roll)
		}
	}
}

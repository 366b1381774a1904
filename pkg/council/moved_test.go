package council_test

import (
	"testing"

	"github.com/townline/townline/pkg/council"
)

func TestMoved(t *testing.T) {
	t.Parallel()
	words := council.NewResultWords(map[string]council.Result{"Ordained": council.Adopted, "Waived": council.NoAction})
	for text, want := range map[string]council.Result{
		// labels of portals
		"deferred": council.Continued, "Continued": council.Continued, "postponed": council.Continued,
		"Held":      council.Continued,
		"laid over": council.Continued, "Held in Committee": council.Continued, "tabled": council.Tabled,
		"Laid on the table": council.Tabled,
		"withdrawn":         council.NoAction, "referred": council.Other, "Read and referred": council.Other,
		"Referred for approval":    council.Other,
		"Read, Received and Filed": council.Other, "public hearing closed": council.Other, "adjourned": council.Other,
		"approved": council.Adopted, "Passed Finally": council.Adopted, "approved on the Consent Agenda": council.Adopted,
		"recommended for approval": council.Adopted, "ORDAINED": council.Adopted, "Waived under Rule 8": council.NoAction,
		// sentences
		"A motion was made by Council Member Roe, seconded by Council Member Doe, that the Action Item be deferred. The " +
			"motion carried by the following vote:": council.Continued,
		"A motion was made by Roe, seconded by Doe, that the Action Item be approved. The motion carried by the following " +
			"vote:": council.Adopted,
		"A motion was made that the agreement to continue services be approved. The motion carried.": council.Adopted,
		"Roe moved to approve the resolution that the hearing be continued.":                         council.Adopted,
		"A motion was made by Roe, seconded by Doe, to unanimously approve the Consent Agenda.":      council.Adopted,
		"Roe moved to approve the deferred compensation plan":                                        council.Adopted,
		"Motion to continue the hearing to May 5":                                                    council.Continued,
		"Roe motioned to table the ordinance":                                                        council.Tabled,
		"Motion to table the ordinance":                                                              council.Tabled,
		"Motion to lay the ordinance on the table":                                                   council.Tabled,
		"Motion to lay the ordinance over for a week":                                                council.Continued,
		"Roe moved to withdraw item 7":                                                               council.NoAction,
		"Roe moved that the bill be referred to Public Works":                                        council.Other,
		"I move for adoption of the proposed budget, to be continued in June":                        council.Adopted,
		"Approve the minutes of May 4":                                                               council.Adopted,
		"Approval of the minutes of May 4 and of the retreat":                                        council.Adopted,
		"This item was approved as shown above":                                                      council.Adopted,
		"On a motion by Roe, the resolution was adopted. The vote was":                               council.Adopted,
		"Motion to deny the appeal":                                                                  council.Other,
	} {
		if got, ok := words.Moved(text); !ok || got != want {
			t.Errorf("Moved(%q) = %s, %t, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Failed", "not approved", "6. Consent Agenda",
		"Motion to direct staff to report on tabled items", "Motion to continue using calcium chloride on the roads",
		"A motion was made that a public hearing be held on May 4", "The motion carried"} {
		if got, ok := words.Moved(text); ok {
			t.Errorf("Moved(%q) = %s, want false", text, got)
		}
	}
}

package minutes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// motionsOf returns the motions on an item with the given text.
func motionsOf(text string) []string {
	r := Parse("City Council\nMay 5, 2026\nI. Roll Call\nAttendee Name Title Status Arrived\nOdile Brandt Mayor "+
		"Present\nTeodor Vance Trustee Present\n"+
		"Suki Arano Trustee Present\n\nII. Business\n1. Harbor Study\n"+text+"III. Adjournment\n", Options{})
	var out []string
	for _, it := range r.Items {
		for _, v := range it.Votes {
			out = append(out, v.MotionText)
		}
	}
	return out
}

func TestMotionText(t *testing.T) {
	t.Parallel()
	vote := "RESULT: PASSED [3 TO 0]\nMOVER: Odile Brandt, Mayor\nSECONDER: Suki Arano, Trustee\nAYES: Brandt, Vance, " +
		"Arano\n\n"
	byVance := "RESULT: PASSED [3 TO 0]\nMOVER: Teodor Vance, Trustee\nSECONDER: Suki Arano, Trustee\nAYES: Brandt, " +
		"Vance, Arano\n\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"none": {vote, []string{""}},
		"a sentence, and one for the seconder": {"Mayor Brandt made the motion to approve the study. Trustee Arano " +
			"seconded the motion.\n" + vote,
			[]string{"Mayor Brandt made the motion to approve the study."}},
		"a broken sentence": {"Mayor Brandt made\nthe motion to approve the study at a cost of\nno more than $5,000. " +
			"Trustee Arano\nseconded the motion.\n" + vote,
			[]string{"Mayor Brandt made the motion to approve the study at a cost of no more than $5,000."}},
		"a label before it": {"Motion: Mayor Brandt made the motion to approve the study.\nTrustee Arano seconded the " +
			"motion.\n" + vote,
			[]string{"Mayor Brandt made the motion to approve the study."}},
		"moved": {"Mayor Brandt moved to approve the study, seconded by Trustee Arano.\n" + vote,
			[]string{"Mayor Brandt moved to approve the study"}},
		"a member speaks after it": {"Mayor Brandt made the motion to approve the study. It may cost $5. Trustee Vance " +
			"asked why.\n" + vote,
			[]string{"Mayor Brandt made the motion to approve the study. It may cost $5."}},
		"a member speaks in what it quotes": {"Mayor Brandt made the motion to read: “We agree. Trustee Vance asked why.” " +
			"Trustee Arano seconded the motion.\n" + vote,
			[]string{"Mayor Brandt made the motion to read: “We agree. Trustee Vance asked why.”"}},
		"a motion of the clerk's": {"The item moved to the list of old business.\n" + vote, []string{""}},
		"an amendment, voted first": {"Mayor Brandt made the motion to approve the study.\n\nTrustee Vance made the motion " +
			"to amend it.\n\n" + byVance + vote,
			[]string{"Trustee Vance made the motion to amend it.", "Mayor Brandt made the motion to approve the study."}},
		"labels decide": {"Mayor Brandt made the motion to approve the study.\n\nMayor Brandt made the motion to amend " +
			"it.\n\nVOTE ON THE MOTION TO AMEND\n" + vote +
			"VOTE ON THE MAIN MOTION\n" + vote, []string{"Mayor Brandt made the motion to amend it.",
			"Mayor Brandt made the motion to approve the study."}},
		"a motion withdrawn": {"Mayor Brandt made the motion to approve the study.\n\nTrustee Vance made the motion to " +
			"table it.\n\nTrustee Vance withdrew the motion.\n\n" + vote,
			[]string{"Mayor Brandt made the motion to approve the study."}},
		"ended by what came on top": {"Mayor Brandt made the motion to approve the study.\n\nTrustee Vance made the motion " +
			"to table it.\n\n" + vote + byVance,
			[]string{"Mayor Brandt made the motion to approve the study.", ""}},
	} {
		if diff := cmp.Diff(c.want, motionsOf(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestProseTally(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"agrees":        {"The motion passed with 3 in favor (Brandt, Vance, Arano) and 0 opposed.\n", ""},
		"other figures": {"The motion passed with 2 in favor (Brandt, Arano) and 1 opposed (Vance).\n", "prose-mismatch"},
		"other names":   {"The motion passed with 3 in favor (Brandt, Arano).\n", "prose-mismatch"},
		"no verb":       {"There were 14 letters in favor of the study.\n", ""},
		"no figure":     {"The motion passed with all in favor.\n", ""},
		"two sentences": {"The motion passed with 1 in favor.\n\nThe motion passed with 2 in favor.\n", ""},
	} {
		r := Parse("City Council\nMay 5, 2026\nI. Roll Call\nAttendee Name Title Status Arrived\nOdile Brandt Mayor "+
			"Present\nTeodor Vance Trustee Present\n"+
			"Suki Arano Trustee Present\n\nII. Business\n1. Harbor Study\n"+c.text+
			"RESULT: PASSED [3 TO 0]\nMOVER: Odile Brandt, Mayor\nSECONDER: Suki Arano, Trustee\nAYES: Brandt, Vance, "+
			"Arano\n\nIII. Adjournment\n", Options{})
		if got := codesOf(r); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

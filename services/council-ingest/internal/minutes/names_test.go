package minutes

import (
	"strings"
	"testing"
)

func TestAnUnknownOfficeIsReported(t *testing.T) {
	t.Parallel()
	const head = "Town Board\nMay 5, 2026\n\nI. Call to Order\nII. Business\n1. Sets Fees\n"
	roll := func(office string) string {
		return strings.ReplaceAll("RESULT: ADOPTED [UNANIMOUS]\nMOVER: #Nadia Frost\nSECONDER: #Oscar Pell\nAYES: #Percy "+
			"Lamb, #Nadia Frost, #Oscar Pell\n", "#", office)
	}
	for office, want := range map[string]string{"Portreeve ": "member-unknown", "Trustee ": "", "": ""} {
		if got := codesOf(Parse(head+roll(office)+"III. Adjournment\n", Options{})); got != want {
			t.Errorf("%q: %s", office, got)
		}
	}
}

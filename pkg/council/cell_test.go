package council

import "testing"

func TestStartsFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]bool{
		"": false, "Sewer Rates": false, "'=1+1": false, " =1+1": false, "1-2": false, "ﬁ": false, "\xef": false, "\xef\xbc": false,
		"=HYPERLINK(\"https://evil.example\")": true, "+1": true, "-1": true, "@SUM(A1)": true, "\t=1": true, "\r=1": true, "\n=1": true, "＝1": true, "＋1": true, "－1": true, "＠x": true,
	} {
		if StartsFormula(cell) != want || StartsFormula([]byte(cell)) != want {
			t.Errorf("%q: not %v", cell, want)
		}
	}
}

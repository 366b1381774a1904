package council

import "testing"

func TestStartsFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]bool{
		"": false, "Sewer Rates": false, "'=1+1": false, " =1+1": false, "1-2": false, "ﬁ": false, "\xef": false,
		"\xef\xbc":                             false,
		"=HYPERLINK(\"https://evil.example\")": true, "+1": true, "-1": true, "@SUM(A1)": true, "\t=1": true, "\r=1": true,
		"\n=1": true, "＝1": true, "＋1": true, "－1": true, "＠x": true,
	} {
		if startsFormula([]byte(cell)) != want {
			t.Errorf("%q: not %v", cell, want)
		}
	}
}

func TestAppendRow(t *testing.T) {
	t.Parallel()
	got := string(AppendRow([]byte("id,text\r\n"), "1", "", "a,b", `say "no"`, "two\nlines", " blank", "=1+1", "@a,b"))
	want := "id,text\r\n" + `1,,"a,b","say ""no""","two` + "\n" + `lines", blank,'=1+1,"'@a,b"` + "\r\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

package gtfs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
)

// Every rule says what is wrong and what to do, is there once, and stands in the documentation.
func TestRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[gtfs.Code]bool{}
	for _, r := range gtfs.Rules() {
		if seen[r.Code] {
			t.Errorf("%s is there twice", r.Code)
		}
		seen[r.Code] = true
		if !strings.HasSuffix(r.Reason, ".") || !strings.HasSuffix(strings.TrimRight(r.Advice, ")"), ".") || r.Effect == "" ||
			r.Severity == "" {
			t.Errorf("%+v", r)
		}
		if !strings.Contains(string(text), "| `"+string(r.Code)+"` | "+string(r.Severity)+" |") {
			t.Errorf("deploy/docs/report.md does not have %s as %s", r.Code, r.Severity)
		}
	}
}

func TestTextsOfCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind gtfs.ColumnType
		good string
		bad  string
	}{
		{gtfs.URL, "http://a https://a.example/b?c=d", "a.example www.a.example ftp://a https:// mailto:a@b.example"},
		{gtfs.Email, "a@b.example a.b+c@d.e.example", "a a@ @b.example a@b a@b. a@b@c.example a@b.example,c@d.example"},
		{gtfs.Language, "en fr-CA zh-Hant-TW mul es-419", "e english en_US en- -en 12 en-verylongpart"},
	} {
		for cell := range strings.FieldsSeq(c.good) {
			if !c.kind.OK([]byte(cell)) {
				t.Errorf("kind %d refuses %q", c.kind, cell)
			}
		}
		for cell := range strings.FieldsSeq(c.bad) {
			if c.kind.OK([]byte(cell)) {
				t.Errorf("kind %d allows %q", c.kind, cell)
			}
		}
	}
}

func TestCodesOfCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind gtfs.ColumnType
		cell string
		want gtfs.Code
	}{
		{gtfs.Latitude, "91", gtfs.OutOfRange}, {gtfs.Latitude, "47,1", gtfs.BadFloat},
		{gtfs.Distance, "-1", gtfs.OutOfRange}, {gtfs.Distance, "far", gtfs.BadFloat},
		{gtfs.Positive, "0", gtfs.OutOfRange}, {gtfs.Integer, "-3", gtfs.OutOfRange}, {gtfs.Integer, "1.5", gtfs.BadInteger},
		{gtfs.Binary, "2", gtfs.BadEnum},
		{gtfs.Enum, "-999", gtfs.BadEnum}, {gtfs.Enum, "bus", gtfs.BadInteger}, {gtfs.Time, "7:10", gtfs.BadTime},
		{gtfs.Email, "a", gtfs.BadEmail},
	} {
		if got := c.kind.Code([]byte(c.cell)); got != c.want || c.kind.OK([]byte(c.cell)) {
			t.Errorf("kind %d, %q: %s, want %s", c.kind, c.cell, got, c.want)
		}
	}
}

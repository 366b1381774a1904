package minutes

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// TestAttendanceOfManyBodies reads the heads of minutes as clerks of many countries print them: who came, who did not,
// and nobody else.
func TestAttendanceOfManyBodies(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/forms/heads.txt")
	if err != nil {
		t.Fatal(err)
	}
	for section := range strings.SplitSeq(string(data), "### ") {
		name, text, _ := strings.Cut(section, "\n")
		text, want, found := strings.Cut(text, "\n---")
		if !found {
			continue
		}
		if got := whoCame(text); got != foldNames(strings.TrimSpace(want)) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, foldNames(strings.TrimSpace(want)))
		}
	}
}

// whoCame writes the attendance of minutes, without the order of the names and the accents and capitals of their
// letters.
func whoCame(text string) string {
	here, away := "", ""
	for _, a := range Parse(text, Options{}).Attendance {
		switch status := council.OrZero(a.Status); status {
		case "Absent", "Excused":
			away += "; " + a.Name
		default:
			here += "; " + a.Name
		}
	}
	out := ""
	if here != "" {
		out = "here: " + here[2:]
	}
	if away != "" {
		out += " | away: " + away[2:]
	}
	return foldNames(out)
}

func foldNames(text string) string {
	var parts []string
	for part := range strings.SplitSeq(text, " | ") {
		label, list, _ := strings.Cut(part, ": ")
		names := strings.Split(list, "; ")
		for i, name := range names {
			names[i] = council.FoldName(name)
		}
		slices.Sort(names)
		parts = append(parts, fmt.Sprintf("%s: %s", label, strings.Join(names, "; ")))
	}
	return strings.Join(parts, " | ")
}

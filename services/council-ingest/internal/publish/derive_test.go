package publish

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// If a result in the portal's agenda contradicts the minutes, that is an anomaly and changes no
// vote.
func TestOutlineResultsAreCompared(t *testing.T) {
	t.Parallel()
	text := `                 City Council Regular Meeting Minutes
                      Tuesday, March 10, 2026 – 6:00 PM

I.    Call to Order
      The meeting was called to order at 6:04 PM by Mayor Ann Archer

II.   Resolutions

      1. 2026-101  Street sweeping contract

          RESULT:       ADOPTED [3 TO 1]
          MOVER:        Ann Archer
          SECONDER:     Ben Baker
          AYES:         Ann Archer, Ben Baker, Cy De Witt
          NAYS:         Dee O'Dell

      2. 2026-102  Receive the report

          RESULT:       ADOPTED [UNANIMOUS]
          MOVER:        Cy De Witt
          SECONDER:     Dee O'Dell
          AYES:         Ann Archer, Ben Baker, Cy De Witt, Dee O'Dell
`
	r := newReader(&settings.Settings{})
	derive := func(first, second string) (votes string, differs []string) {
		g := archive.Input{ID: 7, Date: "2026-03-10", Outline: []portal.Item{
			{Title: "Business", Section: true}, {Level: 1, Number: "1.", Title: "Street sweeping contract", Result: first},
			{Level: 1, Number: "2.", Title: "Receive the report", Result: second}}}
		d := &derived{Input: g, good: &archive.MinutesText{Verdict: council.VerdictWhole, Text: &text,
			MediaType: "text/plain"}}
		err := r.derive(d)
		s := d.state
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range s.Items {
			for _, v := range it.Votes {
				votes += v.ResultRaw + "; "
			}
		}
		for _, a := range s.Anomalies {
			if a.Code == council.CodeOutlineDiffers {
				differs = append(differs, s.Items[a.Item].Title+": "+a.Message)
			}
		}
		return votes, differs
	}
	votes, differs := derive("", "")
	if len(differs) > 0 || votes == "" {
		t.Errorf("an agenda without results gives differences: %v", differs)
	}
	first, second, _ := strings.Cut(votes, "; ")
	second = strings.TrimSuffix(second, "; ")
	if again, differs := derive(strings.ToLower(first), second); len(differs) > 0 || again != votes {
		t.Errorf("the same results give other votes or differences: %q, %v", again, differs)
	}
	again, differs := derive("FAILED [1 TO 6]", second)
	if again != votes || len(differs) != 1 || !strings.HasPrefix(differs[0], "Street sweeping") ||
		!strings.Contains(differs[0], "FAILED [1 TO 6]") {
		t.Errorf("another result gives the votes and differences %q, %v", again, differs)
	}
}

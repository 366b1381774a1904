package councilingest

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
)

// A result in the portal's agenda that the minutes contradict becomes an anomaly, and changes no vote.
func TestTheOutlinesResultIsCompared(t *testing.T) {
	t.Parallel()
	text := minutesText("Tuesday, March 10, 2026", item("1.", "2026-101", sweeping, split), item("2.", "2026-102", report, unanimous))
	p := publish.New(run.Deps{}, testSettings(t))
	derive := func(first, second string) (votes string, differs []string) {
		g := archive.Ground{ID: 7, Date: "2026-03-10", Outline: []portal.Item{
			{Title: "Business", Section: true}, {Level: 1, Number: "1.", Title: sweeping, Result: first}, {Level: 1, Number: "2.", Title: report, Result: second}}}
		s, _, err := p.Derive(g, &archive.Source{Verdict: council.VerdictWhole, Text: &text, MediaType: "text/plain"}, nil)
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
		t.Errorf("without results: %v", differs)
	}
	first, second, _ := strings.Cut(votes, "; ")
	second = strings.TrimSuffix(second, "; ")
	if again, differs := derive(strings.ToLower(first), second); len(differs) > 0 || again != votes {
		t.Errorf("the same results: %q, %v", again, differs)
	}
	again, differs := derive("FAILED [1 TO 6]", second)
	if again != votes || len(differs) != 1 || !strings.HasPrefix(differs[0], sweeping) || !strings.Contains(differs[0], "FAILED [1 TO 6]") {
		t.Errorf("another result: %q, %v", again, differs)
	}
}

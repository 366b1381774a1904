package transitcmd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/internal/session"
)

// printFindings prints the findings of a feed, most severe first. Each code has its first line and
// advice.
func printFindings(s *session.Session, r *gtfsimport.Report) {
	type kind struct {
		code   gtfs.Code
		file   string
		effect gtfs.Effect
	}
	first := map[kind]gtfsimport.Line{}
	for _, l := range r.Lines {
		k := kind{l.Code, l.File, l.Effect}
		if _, known := first[k]; !known {
			first[k] = l
		}
	}
	rank := func(f gtfsimport.Finding) int {
		rule, _ := check.RuleOf(f.Code)
		return rule.Severity.Rank()
	}
	findings := slices.Clone(r.Findings)
	slices.SortStableFunc(findings, func(a, b gtfsimport.Finding) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Code, b.Code), cmp.Compare(a.File, b.File))
	})
	before := gtfs.Code("")
	for _, f := range findings {
		if f.Code != before {
			rule, known := check.RuleOf(f.Code)
			fmt.Fprintf(s.Stdout, "\n%s %s: %s\n", rule.Severity, f.Code, f.Reason)
			if known {
				fmt.Fprintf(s.Stdout, "    What to do: %s\n", rule.Advice(notice.English()))
			}
			before = f.Code
		}
		fmt.Fprintf(s.Stdout, "    %d × in %s (%s)", f.Count, f.File, f.Effect)
		if l, ok := first[kind{f.Code, f.File, f.Effect}]; ok {
			if l.Line > 0 { // otherwise the finding is about the whole file
				fmt.Fprintf(s.Stdout, ", first in line %d", l.Line)
			}
			if l.Field != "" {
				fmt.Fprintf(s.Stdout, ", %s", l.Field)
			}
			if l.Value != "" {
				fmt.Fprintf(s.Stdout, ": %q", l.Value)
			}
		}
		fmt.Fprintln(s.Stdout)
	}
}

func printLines(s *session.Session, r *gtfsimport.Report) {
	for _, l := range r.Lines {
		fmt.Fprintf(s.Stdout, "%s:%d: %s %q: %s (%s)\n", l.File, l.Line, l.Field, l.Value, l.Reason, l.Effect)
	}
}

package transitcmd

import (
	"fmt"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/internal/session"
)

type feedCheckCmd struct {
	Source   string `arg:"" name:"zip" help:"Zip or folder with the files of a feed."`
	Encoding string `help:"Encoding of text that is not UTF-8. Default: windows-1252."`
	Inner    string `placeholder:"NAME" help:"Zip or folder in the zip that has the feed, if there are several."`
	Lines    bool   `help:"Print the findings line by line, not only their totals."`
	JSON     bool   `name:"json" help:"Print everything as JSON."`
}

func (*feedCheckCmd) Help() string {
	return `Reads the feed as an import does and prints the same findings, worst first. It needs no database, no network
and no configuration, so it can run in the job that exports the feed.

The status is 0 without errors, 1 with errors or if an import would refuse the feed, and 2 if the file
cannot be read. Warnings and notes do not change it.

  townline feed check gtfs.zip
  townline feed check gtfs.zip --lines
  townline feed check gtfs.zip --json`
}

func (c *feedCheckCmd) Run(s *session.Session) error {
	bar := s.Progress(c.Source)
	defer bar.Close()
	r, err := gtfsimport.Check(s.Ctx, gtfsimport.Request{Source: c.Source, Encoding: c.Encoding, Inner: c.Inner,
		Progress: bar.Step})
	bar.Close()
	if r == nil {
		return &session.StatusError{Err: err, Status: 2}
	}
	if printErr := c.print(s, r); printErr != nil {
		return printErr
	}
	if n := kinds(r)[check.Error]; n > 0 && err == nil {
		return fmt.Errorf("%s has errors of %d kinds", c.Source, n)
	}
	return err
}

func (c *feedCheckCmd) print(s *session.Session, r *gtfsimport.Report) error {
	if c.JSON {
		return s.Print(true, r, "")
	}
	of := kinds(r)
	fmt.Fprintf(s.Stdout, "%s: kinds of errors: %d, of warnings: %d, of notes: %d", c.Source, of[check.Error],
		of[check.Warning], of[check.Info])
	if r.FirstDay != "" {
		fmt.Fprintf(s.Stdout, "; service %s to %s", r.FirstDay, r.LastDay)
	}
	fmt.Fprintln(s.Stdout)
	printFindings(s, r)
	if c.Lines {
		printLines(s, r)
	}
	return nil
}

// kinds counts the kinds of findings by severity.
func kinds(r *gtfsimport.Report) map[check.Severity]int {
	of, seen := map[check.Severity]int{}, map[gtfs.Code]bool{}
	for _, f := range r.Findings {
		if rule, _ := check.RuleOf(f.Code); !seen[f.Code] {
			seen[f.Code] = true
			of[rule.Severity]++
		}
	}
	return of
}

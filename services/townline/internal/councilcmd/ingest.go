package councilcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
)

type ingestCmd struct {
	Portal  string `placeholder:"URL" help:"Address of the portal. Default: those in council.yaml."`
	Since   string `placeholder:"DATE" help:"First local date, YYYY-MM-DD."`
	Until   string `placeholder:"DATE" help:"Last local date, YYYY-MM-DD."`
	Meeting int64  `placeholder:"ID" help:"Only this meeting, by the portal's id."`
	Body    string `placeholder:"NAME" help:"Only this body of council.yaml, by its name."`
	All     bool   `help:"Also read meetings of the range that have not changed."`
	Accept  bool   `help:"Publish records with fewer votes or positions than before. Default: they are not published."`
	DryRun  bool   `help:"Store nothing."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (*ingestCmd) Help() string {
	return `Reads the portal of council.yaml (or of the running demo) and stores its meetings and votes. You can
interrupt it at any moment; the next ingest continues there. A meeting that fails is printed and retried at
the next ingest, and the command exits with 1. It also exits with 1 if the portal's robots.txt forbids pages
or documents; they are counted but not requested.

  townline council ingest                               # meetings that may have changed
  townline council ingest --since 2020-01-01 --all      # everything from 2020 on, again
  townline council ingest --body 'Planning Commission'  # only this body
  townline council ingest --meeting 2090 --dry-run      # print what would be stored`
}

func (c *ingestCmd) Run(s *session.Session) error {
	for _, day := range []struct{ flag, text string }{{"--since", c.Since}, {"--until", c.Until}} {
		if _, err := time.Parse(time.DateOnly, day.text); day.text != "" && err != nil {
			return fmt.Errorf("%s %q is not a day, written YYYY-MM-DD", day.flag, day.text)
		}
	}
	if c.Portal != "" {
		if err := portalAddress(c.Portal); err != nil {
			return fmt.Errorf("--portal: %w", err)
		}
	}
	return withSettings(s, "council-ingest", func(deps run.Deps, set *councilingest.Settings) error {
		if c.Portal != "" {
			set.Portal.URL, set.Portals = c.Portal, nil
		}
		bar := s.Progress("meetings")
		defer bar.Close()
		out := s.Stdout
		if c.JSON || !c.DryRun {
			out = io.Discard
		}
		sum, err := councilingest.Ingest(s.Ctx, deps, set, councilingest.Request{
			Since: c.Since, Until: c.Until, MeetingID: c.Meeting, Body: c.Body, All: c.All, Accept: c.Accept,
			DryRun: c.DryRun, AllowPrivate: s.Set.AllowPrivate,
			Waiting: bar.Note,
			Progress: func(p councilingest.Progress) {
				bar.Step("meetings", int64(p.Done), int64(p.Total))
				if p.Err != nil {
					bar.Note(fmt.Sprintf("%s: meeting %d of %s: %v", p.Body, p.MeetingID, p.Date, p.Err))
				} else if p.Changed {
					fmt.Fprintf(out, "meeting %d of %s would be %s with %s and %s\n", p.MeetingID, p.Date, p.Status,
						council.Count(p.Votes, "vote"), council.Count(p.Anomalies, "anomaly"))
				}
			},
		})
		bar.Close()
		if err != nil {
			return err
		}
		err = s.Print(c.JSON, sum, fmt.Sprintf("%s read, %d changed, %s, %s, %d failed, %d forbidden by robots.txt",
			council.Count(sum.Meetings, "meeting"), sum.Changed, found(sum),
			council.Count(sum.Unreadable, "unreadable document"), sum.Failed, sum.Forbidden))
		if err == nil {
			err = sum.Incomplete()
		}
		return err
	})
}

type reparseCmd struct {
	All  bool `help:"Parse every document. Default: only those that another version of the parser has read."`
	JSON bool `name:"json" help:"Print JSON."`
}

func (*reparseCmd) Help() string {
	return `Reads texts and votes again from the archived documents. If the result is the same, nothing is written;
ids stay.`
}

func (c *reparseCmd) Run(s *session.Session) error {
	return withSettings(s, "council-reparse", func(deps run.Deps, set *councilingest.Settings) error {
		sum, err := councilingest.Reparse(s.Ctx, deps, set, c.All)
		if err != nil && sum.Changed == 0 {
			return err
		}
		printed := s.Print(c.JSON, sum, fmt.Sprintf("%s read again, %d changed, %s", council.Count(sum.Meetings, "meeting"),
			sum.Changed, found(sum)))
		if err != nil {
			return err
		}
		return printed
	})
}

type verifyCmd struct{}

func (*verifyCmd) Help() string {
	return `Proves that the stored votes follow from the archive. It extracts and parses every archived document again,
leaves nothing written, prints each difference, and exits with 1 if there is one. Refused documents are listed with
the reason; they are no differences.`
}

func (*verifyCmd) Run(s *session.Session) error {
	return withSettings(s, "council-verify", func(deps run.Deps, set *councilingest.Settings) error {
		wrong, err := councilingest.Verify(s.Ctx, deps, set, s.Stdout)
		if err != nil {
			return err
		}
		if wrong > 0 {
			return fmt.Errorf("%d differences between the tables and the archive; run townline council reparse --all to read "+
				"the archive again", wrong)
		}
		fmt.Fprintln(s.Stdout, "the tables agree with the archive")
		return nil
	})
}

type checkCmd struct {
	LeastSure int  `name:"least-sure" placeholder:"N" help:"Also list the N least certain votes, with meeting, item, page and reason."`
	JSON      bool `name:"json" help:"Print JSON."`
}

func (*checkCmd) Help() string {
	return `Finds contradictions in the stored votes that have no anomaly: it compares rolls with tallies, names with
rosters, results with counts. Prints them, and exits with 1 if there are any. With --least-sure it also
lists the votes with the most serious anomalies, which you should check in the minutes first.`
}

// checked is the output of `townline council check --json`.
type checked struct {
	Votes          int                   `json:"votes"`
	Contradictions []string              `json:"contradictions"`
	LeastSure      []councilingest.Doubt `json:"least_sure"`
}

func (c *checkCmd) Run(s *session.Session) error {
	if c.LeastSure < 0 {
		return fmt.Errorf("--least-sure %d: the number of votes must not be negative", c.LeastSure)
	}
	return s.With("council-check", func(deps run.Deps) error {
		wrong, votes, err := councilingest.Check(s.Ctx, deps)
		if err != nil {
			return err
		}
		doubts := []councilingest.Doubt{}
		if c.LeastSure > 0 {
			doubts, err = councilingest.LeastSure(s.Ctx, deps, c.LeastSure)
			if err != nil {
				return err
			}
		}
		if c.JSON {
			err = s.Print(true, checked{Votes: votes, Contradictions: wrong, LeastSure: doubts}, "")
		} else {
			for _, line := range wrong {
				fmt.Fprintln(s.Stdout, line)
			}
			_, err = fmt.Fprint(s.Stdout, doubtful(doubts))
		}
		switch {
		case err != nil:
			return err
		case len(wrong) > 0:
			return fmt.Errorf("%s without an anomaly in %s", council.Count(len(wrong), "contradiction"),
				council.Count(votes, "vote"))
		case !c.JSON:
			fmt.Fprintf(s.Stdout, "%s, no contradiction without an anomaly\n", council.Count(votes, "vote"))
		}
		return nil
	}, schema.Council)
}

// doubtful prints each vote with its anomalies.
func doubtful(doubts []councilingest.Doubt) string {
	var b strings.Builder
	for _, d := range doubts {
		number, page := "", "page unknown"
		if d.ItemNumber != nil {
			number = *d.ItemNumber + " "
		}
		if d.Page != nil {
			page = fmt.Sprintf("page %d", *d.Page)
		}
		fmt.Fprintf(&b, "%s meeting %d, %s: %s%s, motion %d: %s\n", d.Date, d.Meeting, page, number, d.Title, d.MotionSeq,
			d.ResultRaw)
		for _, why := range d.Why {
			fmt.Fprintf(&b, "    %s\n", why)
		}
	}
	return b.String()
}

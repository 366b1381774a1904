package councilcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
)

// Review has the sub-commands of `townline council review`.
type Review struct {
	List   reviewListCmd   `cmd:"" help:"List anomalies by review state, with the progress."`
	Show   reviewShowCmd   `cmd:"" help:"Show one anomaly with its decisions, replies and corrections."`
	Accept reviewAcceptCmd `cmd:"" help:"Confirm that the document contains the error."`
	Reject reviewRejectCmd `cmd:"" help:"Declare that nothing is wrong."`
	Reply  reviewReplyCmd  `cmd:"" help:"Publish a reply; readers see it with the anomaly."`
	Undo   reviewUndoCmd   `cmd:"" help:"Undo the last decision."`
}

func (*Review) Help() string {
	return `An anomaly is a place where the minutes contradict themselves or could not be read. To review it, look at
the page and decide: accept (the minutes contain the error), reject (nothing is wrong), or correct the vote
with townline council correct … --anomaly ID. You can also publish a reply. Every decision is kept with name
and time, and served at /v1/anomalies/ID. If a later parse changes an anomaly, it is reopened.

  townline council review list
  townline council review accept 12 --by 'Ann Clerk' --note 'the minutes were approved like that'
  townline council review reply 12 --by 'Ann Clerk' --text 'A clerical error; the council voted 4 to 1.'`
}

type reviewListCmd struct {
	State   string `enum:"open,accepted,rejected,corrected,reopened,gone,all," default:"" placeholder:"STATE" help:"open, accepted, rejected, corrected, reopened, gone or all. Default: open and reopened."`
	Meeting *int64 `placeholder:"ID" help:"List only anomalies of this meeting."`
	Limit   int    `default:"50" help:"Largest number of anomalies."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// reviewList is the output of `townline council review list --json`.
type reviewList struct {
	Progress  map[clerk.State]int `json:"progress"`
	Anomalies []clerk.Anomaly     `json:"anomalies"`
}

func (c *reviewListCmd) Run(s *session.Session) error {
	if c.Limit < 1 {
		return fmt.Errorf("--limit %d: at least 1", c.Limit)
	}
	return s.With("council-review", func(deps run.Deps) error {
		f := clerk.Filter{Limit: c.Limit, ToDo: c.State == "", Meeting: c.Meeting}
		if state := clerk.State(c.State); c.State != "" && c.State != "all" {
			f.State = &state
		}
		progress, err := clerk.Progress(s.Ctx, deps.DB, f.Meeting)
		if err != nil {
			return err
		}
		all, err := clerk.Anomalies(s.Ctx, deps.DB, f)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.Print(true, reviewList{progress, append([]clerk.Anomaly{}, all...)}, "")
		}
		for _, a := range all {
			printAnomaly(s.Stdout, a)
		}
		fmt.Fprintln(s.Stdout, progressLine(progress))
		return nil
	}, schema.Council)
}

func progressLine(progress map[clerk.State]int) string {
	total, parts := 0, []string{}
	for _, state := range clerk.States() {
		if n := progress[state]; n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	done := total - progress[clerk.Open] - progress[clerk.Reopened]
	if len(parts) == 0 {
		return "there are no anomalies"
	}
	return fmt.Sprintf("%d of %s reviewed: %s", done, council.Count(total, "anomaly"), strings.Join(parts, ", "))
}

func printAnomaly(w io.Writer, a clerk.Anomaly) {
	where := fmt.Sprintf("meeting %d", a.Meeting)
	if a.Page != nil {
		where += fmt.Sprintf(", page %d", *a.Page)
	}
	if a.VoteID != nil {
		where += fmt.Sprintf(", vote %d", *a.VoteID)
	} else if a.ItemID != nil {
		where += fmt.Sprintf(", item %d", *a.ItemID)
	}
	fmt.Fprintf(w, "%d  %s  %s  %s  %s\n    %s\n", a.ID, a.State, a.Date, where, a.Code, oneLine(a.Message))
	if a.ItemTitle != nil {
		fmt.Fprintf(w, "    item: %s\n", oneLine(*a.ItemTitle))
	}
	if a.Reply != nil {
		fmt.Fprintf(w, "    reply: %s\n", oneLine(*a.Reply))
	}
}

// oneLine makes text from documents safe for terminals: it may contain control characters.
func oneLine(text string) string {
	return council.Clip(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text), 300)
}

type reviewShowCmd struct {
	ID   int64 `arg:"" help:"The anomaly."`
	JSON bool  `name:"json" help:"Print JSON."`
}

// reviewShow is the output of `townline council review show --json`.
type reviewShow struct {
	clerk.Anomaly
	History []clerk.Review `json:"history"`
}

func (c *reviewShowCmd) Run(s *session.Session) error {
	return s.With("council-review", func(deps run.Deps) error {
		found, err := clerk.Anomalies(s.Ctx, deps.DB, clerk.Filter{ID: &c.ID, Limit: 1})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("anomaly %d: %w", c.ID, clerk.ErrNotFound)
		}
		history, err := clerk.Reviews(s.Ctx, deps.DB, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.Print(true, reviewShow{found[0], append([]clerk.Review{}, history...)}, "")
		}
		printAnomaly(s.Stdout, found[0])
		for _, r := range history {
			what := string(r.Act)
			if r.Undoes != nil {
				what = fmt.Sprintf("undone: act %d", *r.Undoes)
			}
			fmt.Fprintf(s.Stdout, "    %s  act %d by %s: %s", r.MadeAt.UTC().Format("2006-01-02 15:04"), r.ID, r.Author, what)
			if r.Body != "" {
				fmt.Fprintf(s.Stdout, ": %s", oneLine(r.Body))
			}
			fmt.Fprintln(s.Stdout)
			if r.Message != found[0].Message {
				fmt.Fprintf(s.Stdout, "        the anomaly said then: %s\n", oneLine(r.Message))
			}
		}
		return nil
	}, schema.Council)
}

// reviewing has the flags that every decision needs.
type reviewing struct {
	ID   int64  `arg:"" help:"The anomaly."`
	By   string `required:"" placeholder:"NAME" help:"Your name and office; it is public."`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c *reviewing) act(s *session.Session, act clerk.Act, text string) error {
	return s.With("council-review", func(deps run.Deps) error {
		r, err := clerk.AddReview(s.Ctx, deps.DB, c.ID, act, text, c.By, time.Now().UTC().Truncate(time.Second), nil)
		if err != nil {
			return err
		}
		live, err := councilingest.ApplyIfAllowed(s.Ctx, deps)
		if err != nil {
			return fmt.Errorf("stored as act %d, and readers do not see it yet; council-ingest tries again: %w", r.ID, err)
		}
		when := "; readers see it now"
		if !live {
			when = "; readers see it in a few seconds"
		}
		return s.Print(c.JSON, r, fmt.Sprintf("anomaly %d: %s by %s, stored as act %d%s", c.ID, act, c.By, r.ID, when))
	}, schema.Council)
}

type reviewAcceptCmd struct {
	reviewing
	Note string `help:"What you saw; it is public."`
}

func (c *reviewAcceptCmd) Run(s *session.Session) error { return c.act(s, clerk.Accepted, c.Note) }

type reviewRejectCmd struct {
	reviewing
	Note string `help:"What you saw; it is public."`
}

func (c *reviewRejectCmd) Run(s *session.Session) error { return c.act(s, clerk.Rejected, c.Note) }

type reviewReplyCmd struct {
	reviewing
	Text string `required:"" help:"The reply; it is public."`
}

func (c *reviewReplyCmd) Run(s *session.Session) error { return c.act(s, clerk.Replied, c.Text) }

type reviewUndoCmd struct {
	reviewing
	Note string `help:"Why; it is public."`
}

func (c *reviewUndoCmd) Run(s *session.Session) error { return c.act(s, clerk.Undone, c.Note) }

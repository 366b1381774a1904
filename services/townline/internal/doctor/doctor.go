// Package doctor is `townline doctor`: it checks everything that the services need, and reports
// problems with solutions. It changes nothing.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/townline/townline/services/townline/internal/session"
)

// Command is `townline doctor`.
type Command struct {
	Only    string        `enum:"council,transit," default:"" placeholder:"HALF" help:"Check one half only: council or transit."`
	Timeout time.Duration `default:"20s" help:"Longest time that all checks together may take. Default: 20s"`
	JSON    bool          `name:"json" help:"Print JSON."`
}

func (*Command) Help() string {
	return `Checks configuration, database, NATS, feeds, realtime sources, the council's portal and archive, disk and
clock as the services see them, and reports what is wrong and what to do. It changes nothing, starts nothing,
and prints no secrets.

If only one half has a configuration file or tables, the other is reported as not used, which is not an error.

The exit status is 1 if something is wrong, and 0 if there are only warnings.`
}

// The states of a finding.
const (
	statusOK      = "ok"
	statusWarning = "warning" // works, but needs attention
	statusProblem = "problem" // does not work
	statusSkipped = "skipped" // not checked: not used here, or another finding prevents the check
)

type finding struct {
	// Check is the type of check: configuration, database, nats, feed …
	Check string `json:"check"`
	// Subject names the checked object if a type of check has several.
	Subject string `json:"subject,omitempty"`
	Status  string `json:"status"`
	// Found describes the state in a sentence.
	Found string `json:"found"`
	// Next is the solution; empty if nothing needs to be done.
	Next string `json:"next,omitempty"`
}

// A report collects the findings of the checks.
type report struct {
	s    *session.Session
	only string

	mu       sync.Mutex
	findings []finding
}

func (p *report) note(check, subject, status, found, next string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.findings = append(p.findings, finding{Check: check, Subject: subject, Status: status, Found: found, Next: next})
}

func (p *report) half(name string) bool { return p.only == "" || p.only == name }

var checkOrder = []string{"configuration", "database", "schema", "rights", "clock", "nats", "feed", "realtime",
	"portal", "archive", "disk"}

func (c *Command) Run(s *session.Session) error {
	s.UseDemo()
	p := &report{s: s, only: c.Only}
	ctx, cancel := context.WithTimeout(s.Ctx, c.Timeout)
	defer cancel()
	cfg := p.checkConfiguration()
	var wg sync.WaitGroup
	for _, check := range []func(context.Context){
		func(ctx context.Context) { p.checkDatabase(ctx, cfg) },
		p.checkNATS,
		func(ctx context.Context) { p.checkSources(ctx, cfg) },
		func(ctx context.Context) { p.checkPortal(ctx, cfg) },
		p.checkArchive,
		func(context.Context) { p.checkDisk() },
	} {
		wg.Go(func() { check(ctx) })
	}
	wg.Wait()
	slices.SortStableFunc(p.findings, func(a, b finding) int {
		if by := slices.Index(checkOrder, a.Check) - slices.Index(checkOrder, b.Check); by != 0 {
			return by
		}
		return strings.Compare(a.Subject, b.Subject)
	})
	if err := c.print(s.Stdout, p.findings); err != nil {
		return err
	}
	problems := 0
	for _, f := range p.findings {
		if f.Status == statusProblem {
			problems++
		}
	}
	switch problems {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("1 problem")
	}
	return fmt.Errorf("%d problems", problems)
}

func (c *Command) print(out io.Writer, all []finding) error {
	if c.JSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(all)
	}
	for _, f := range all {
		what := f.Check
		if f.Subject != "" {
			what += " " + f.Subject
		}
		line := fmt.Sprintf("%-8s %s: %s\n", f.Status, what, f.Found)
		if f.Next != "" {
			line += fmt.Sprintf("         → %s\n", f.Next)
		}
		if _, err := io.WriteString(out, line); err != nil {
			return err
		}
	}
	return nil
}

// Package councilcmd has the sub-commands of `townline council`: their flags and their output.
// Package councilingest does the work.
package councilcmd

import (
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
)

// Council has the sub-commands of `townline council`.
type Council struct {
	Parse   parseCmd   `cmd:"" help:"Parse minutes and print the result as JSON; stores nothing."`
	Dialect dialectCmd `cmd:"" help:"Print how the parser classifies each line of minutes, and why; stores nothing."`
	Probe   probeCmd   `cmd:"" help:"Identify the portal at an address, its bodies and documents; stores nothing."`
	Load    loadCmd    `cmd:"" help:"Store the minutes of one meeting from a file."`
	Ingest  ingestCmd  `cmd:"" help:"Read the portal now."`
	Reparse reparseCmd `cmd:"" help:"Read the archived documents again."`
	Verify  verifyCmd  `cmd:"" help:"Prove that all stored votes follow from the archive."`
	Check   checkCmd   `cmd:"" help:"Find contradictions that have no anomaly."`
	Correct Correct    `cmd:"" help:"Correct parsed votes: vote, item, missing, unread, doubled, person, withdraw, list."`
	Review  Review     `cmd:"" help:"Review anomalies: list, show, accept, reject, reply, undo."`
}

type parseCmd struct {
	Files []string `arg:"" name:"file" type:"existingfile" help:"Minutes, as PDF, DOCX, HTML or text."`
}

func (*parseCmd) Help() string {
	return `Prints one JSON document for each file: body, date, attendance, every item with its votes (result, tally,
mover, seconder, each member's position, page) and all anomalies. It uses the dialect of council.yaml, if
there is one. An ingest stores the same.`
}

func (c *parseCmd) Run(s *session.Session) error {
	set, err := councilingest.ReadSettings(s.Set.CouncilConfig, s.Env)
	if err != nil {
		return err
	}
	return councilingest.Parse(s.Ctx, set, c.Files, s.Stdout, s.Stderr)
}

type dialectCmd struct {
	File string `arg:"" type:"existingfile" help:"Minutes, as PDF, DOCX, HTML or text."`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (*dialectCmd) Help() string {
	return `Prints a line for each line of the document: page and line, its type, the reason, and its text. If a label
is unknown, or a heading is classified as text, add the town's words under dialect in council.yaml, and run
the command again.`
}

func (c *dialectCmd) Run(s *session.Session) error {
	set, err := councilingest.ReadSettings(s.Set.CouncilConfig, s.Env)
	if err != nil {
		return err
	}
	return councilingest.Explain(s.Ctx, set, c.File, s.Stdout, c.JSON)
}

type loadCmd struct {
	Files     []string `arg:"" name:"file" type:"existingfile" help:"Minutes, as PDF, DOCX, HTML or text. Several files belong to several meetings, with ids counting up from --meeting-id."`
	MeetingID int64    `name:"meeting-id" required:"" help:"The portal's id of the meeting."`
	Date      string   `required:"" help:"Its local date, YYYY-MM-DD."`
	Type      string   `default:"Regular Meeting" help:"Its type, as the portal would write it."`
	JSON      bool     `name:"json" help:"Print JSON."`
}

func (*loadCmd) Help() string {
	return `Archives the file as the approved minutes of the meeting and stores its votes; a running API shows them at
once. Loading the same file again changes nothing. Loading another file for the same meeting replaces it; ids stay.

  townline council load minutes.pdf --meeting-id 2090 --date 2026-09-08`
}

// maxMinutes is the maximum size of a file. It is larger than any real packet.
const maxMinutes = 128 << 20

func (c *loadCmd) Run(s *session.Session) error {
	return withSettings(s, "council-load", func(deps run.Deps, set *councilingest.Settings) error {
		var total councilingest.Summary
		for i, file := range c.Files {
			data, err := session.ReadFile(file, maxMinutes)
			if err != nil {
				return err
			}
			sum, err := councilingest.Load(s.Ctx, deps, set, councilingest.Minutes{
				MeetingID: c.MeetingID + int64(i), Date: c.Date, Type: c.Type, Bytes: data,
			})
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			total = total.Plus(sum)
			if !c.JSON {
				fmt.Fprintf(s.Stdout, "%s: %s\n", file, describe(sum))
			}
		}
		if c.JSON {
			return s.Print(true, total, "")
		}
		return nil
	})
}

// withSettings runs fn with the database and with council.yaml. Without that file, it uses that of
// a running demo.
func withSettings(s *session.Session, name string, fn func(run.Deps, *councilingest.Settings) error) error {
	s.UseDemo()
	set, err := councilingest.ReadSettings(s.Set.CouncilConfig, s.Env)
	if err != nil {
		return err
	}
	return s.With(name, func(deps run.Deps) error { return fn(deps, set) }, schema.Council)
}

func describe(sum councilingest.Summary) string {
	switch {
	case sum.Unreadable > 0:
		return "archived, but its text cannot be read: the meeting is in parse_error, see its anomaly"
	case sum.Changed == 0:
		return "nothing new: " + found(sum)
	}
	return "stored " + found(sum)
}

// found describes the stored data.
func found(sum councilingest.Summary) string {
	return council.Count(sum.Votes, "vote") + ", " + council.Count(sum.Anomalies, "anomaly")
}

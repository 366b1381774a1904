package townline

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
)

type councilCmd struct {
	Parse   councilParseCmd   `cmd:"" help:"Print what the parser reads in minutes, as JSON; stores nothing."`
	Load    councilLoadCmd    `cmd:"" help:"Store the minutes of one meeting from a file."`
	Ingest  councilIngestCmd  `cmd:"" help:"Read the portal now."`
	Reparse councilReparseCmd `cmd:"" help:"Derive everything again from the archive."`
	Verify  councilVerifyCmd  `cmd:"" help:"Prove that what is stored follows from the archive."`
	Check   councilCheckCmd   `cmd:"" help:"Find contradictions that no anomaly tells of."`
}

type councilParseCmd struct {
	Files []string `arg:"" name:"file" type:"existingfile" help:"Minutes, as PDF or text."`
}

// Help is printed by `townline council parse --help`.
func (*councilParseCmd) Help() string {
	return `Prints one JSON document a file: body, date, attendance, every item with its votes (result, tally, mover, seconder, each
member's position, page) and everything that contradicts itself. It is what an ingest would store.`
}

// Run is `townline council parse`.
func (c *councilParseCmd) Run(s *session) error {
	return councilingest.Parse(s.ctx, c.Files, s.stdout, s.stderr)
}

type councilLoadCmd struct {
	Files     []string `arg:"" name:"file" type:"existingfile" help:"Minutes, as PDF or text. Several files are those of several meetings, with ids counting up from --meeting-id."`
	MeetingID int64    `name:"meeting-id" required:"" help:"The portal's id of the meeting."`
	Date      string   `required:"" help:"Its local date, YYYY-MM-DD."`
	Type      string   `default:"Regular Meeting" help:"Its type, as the portal would write it."`
	JSON      bool     `name:"json" help:"Print JSON."`
}

// Help is printed by `townline council load --help`.
func (*councilLoadCmd) Help() string {
	return `Archives the file as the approved minutes of the meeting, derives the votes, and shows them in a running API at once.
Loading the same file again changes nothing; loading another one for the same meeting replaces it, and ids stay.

  townline council load minutes.pdf --meeting-id 2090 --date 2026-09-08`
}

// maxMinutes is more than any real packet; what is larger is not minutes.
const maxMinutes = 128 << 20

// Run is `townline council load`.
func (c *councilLoadCmd) Run(s *session) error {
	s.useDemo()
	set, err := councilingest.ReadSettings(s.set.CouncilConfig, s.env)
	if err != nil {
		return err
	}
	return s.with("council-load", func(deps run.Deps) error {
		var total councilingest.Summary
		for i, file := range c.Files {
			data, err := readFile(file, maxMinutes)
			if err != nil {
				return err
			}
			sum, err := councilingest.Load(s.ctx, deps, set, councilingest.Document{
				MeetingID: c.MeetingID + int64(i), Date: c.Date, Type: c.Type, Bytes: data,
			})
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			total.Meetings += sum.Meetings
			total.Changed += sum.Changed
			total.Votes += sum.Votes
			total.Anomalies += sum.Anomalies
			total.Unreadable += sum.Unreadable
			if !c.JSON {
				fmt.Fprintf(s.stdout, "%s: %s\n", file, describe(sum))
			}
		}
		if c.JSON {
			return s.tell(true, total, "")
		}
		return nil
	}, schema.Council)
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

// found says what is stored now.
func found(sum councilingest.Summary) string {
	return council.Count(sum.Votes, "vote") + ", " + council.Count(sum.Anomalies, "anomaly")
}

// readFile reads a whole file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if int64(len(data)) > limit {
		return nil, errors.New(path + " is too large to be minutes")
	}
	return data, nil
}

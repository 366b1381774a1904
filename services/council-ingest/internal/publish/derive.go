package publish

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/recorded"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/witness"
)

// A reader derives rows from what is stored of a meeting. It writes nothing.
type reader struct {
	names   merge.Names
	results map[string]council.Result
	parsers map[bool]*minutes.Parser // by whether the text has pages
}

func newReader(set *settings.Settings) reader {
	return reader{names: merge.NewNames(set.Members), results: set.Results, parsers: map[bool]*minutes.Parser{
		true: minutes.NewParser(set.Minutes(true)), false: minutes.NewParser(set.Minutes(false))}}
}

// A Refusal is the error of a document that cannot be kept.
type Refusal struct {
	Document int64
	Why      string // for readers
	err      error  // for the log
}

func (r *Refusal) Error() string { return fmt.Sprintf("document %d: %s: %v", r.Document, r.Why, r.err) }
func (r *Refusal) Unwrap() error { return r.err }

// derived is what the tables should hold of a meeting.
type derived struct {
	archive.Input
	good  *archive.MinutesText // the document that the votes come from
	twins []archive.Twin       // the meetings with the same minutes
	// leader is the one of them that carries the votes, nil if it is this one.
	leader *int64
	state  merge.State
}

// read derives a meeting from its ground. A [Refusal] is the error of a document on which the
// parser fails.
func (r *reader) read(ctx context.Context, tx pgx.Tx, meeting int64) (*derived, error) {
	g, err := archive.ReadGround(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	d := &derived{Input: g, good: g.Good}
	if g.Latest != nil && g.Latest.Verdict.Readable() {
		d.good = g.Latest
	}
	if d.good != nil {
		d.twins, err = archive.Twins(ctx, tx, d.good.DocumentID)
		if err != nil {
			return nil, err
		}
	}
	return d, r.derive(d)
}

// derive fills in what follows from the ground. It is pure.
func (r *reader) derive(d *derived) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			if d.good != nil {
				err = &Refusal{d.good.DocumentID, "the parser failed on the document", err}
			}
		}
	}()
	s := &d.state
	switch {
	case d.good == nil && d.Record != nil && !d.Record.NoItems:
		*s = r.fromRecord(d.Input)
	case d.good == nil:
		*s = merge.Compose(d.Outline, nil, r.names)
	case !d.good.Verdict.Readable(): // an earlier version could read it, and what that version published stays
		s.Kept, d.leader = true, d.SameAs
	default:
		r.fromMinutes(d)
	}
	s.Source = council.SourcePDF
	if s.Recorded || d.good != nil && d.good.MediaType == "text/html" {
		s.Source = council.SourceHTML
	}
	if d.Record != nil && d.Shown != nil {
		if less := recorded.Less(*d.Record, *d.Shown); less != "" {
			s.Note(council.CodeRecordShrank, less+"; what was recorded before stays")
		}
	}
	if d.Latest != nil {
		if code, is := d.Latest.Verdict.Anomaly(); is {
			s.Note(code, d.Latest.Error)
		}
	}
	return nil
}

// fromMinutes derives what the minutes say, and compares it with the portal.
func (r *reader) fromMinutes(d *derived) {
	rec, s := r.parse(d.good), &d.state
	if leader := leaderOf(d, rec.MeetingDate); leader != d.ID {
		d.leader = &leader
		s.Note(council.CodeMinutesShared, fmt.Sprintf("the portal shows the minutes of meeting %d here too; the votes are "+
			"listed there", leader))
	} else {
		*s = merge.Compose(d.Outline, &rec, r.names)
		voteless := !slices.ContainsFunc(rec.Items, func(it record.Item) bool { return len(it.Votes) > 0 })
		switch {
		case d.Record == nil:
		case voteless && len(d.Record.Votes) > 0: // until the minutes say something, the record does
			said := s.Anomalies
			*s = r.fromRecord(d.Input)
			s.Anomalies = append(s.Anomalies, slices.DeleteFunc(said, func(a record.Anomaly) bool { return a.Item >= 0 })...)
		default:
			s.Anomalies = append(s.Anomalies, witness.Compare(s.Items, r.fromRecord(d.Input).Items).Differences...)
		}
		s.Reread = d.Good != nil && d.Good.DocumentID == d.good.DocumentID && d.SameAs == nil
		r.compareOutline(s)
	}
	if rec.MeetingDate != nil && *rec.MeetingDate != d.Date {
		s.Note(council.CodeDateDiffers, fmt.Sprintf("the minutes say %s, the calendar %s", *rec.MeetingDate, d.Date))
	}
}

// fromRecord is what the portal's own record says, for as long as there are no minutes with votes.
func (r *reader) fromRecord(g archive.Input) merge.State {
	rec := recorded.Read(*g.Record, council.NewResultWords(r.results))
	s := merge.Compose(nil, &rec, r.names)
	s.Recorded = true
	return s
}

// compareOutline compares the results that the portal shows in its agenda with the votes of the
// minutes. The portal changes no vote.
func (r *reader) compareOutline(s *merge.State) {
	for i, it := range s.Items {
		if n := len(it.Votes); it.Shown != "" && n > 0 && !r.parsers[true].Agrees(it.Shown, it.Votes) {
			a := s.Note(council.CodeOutlineDiffers, fmt.Sprintf("the portal shows %q, the minutes say %q", it.Shown,
				it.Votes[n-1].ResultRaw))
			a.Item, a.Page = i, it.Votes[n-1].Page
		}
	}
}

func (r *reader) parse(s *archive.MinutesText) record.Record {
	if s.Text == nil {
		return record.Record{}
	}
	rec := r.parsers[s.MediaType == "application/pdf"].Parse(*s.Text)
	for _, n := range s.Notes {
		rec.Note(n.Code, n.Page, n.Message)
	}
	return rec
}

// leaderOf chooses among the meetings with the same minutes the one that carries the votes: one
// whose date the minutes print, and of those the lowest id.
func leaderOf(d *derived, printed *string) int64 {
	leader, fits := d.ID, printed != nil && *printed == d.Date
	for _, t := range d.twins {
		f := printed != nil && *printed == t.Date
		if f && !fits || f == fits && t.ID < leader {
			leader, fits = t.ID, f
		}
	}
	return leader
}

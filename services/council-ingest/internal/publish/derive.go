package publish

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/match"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/recorded"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// A reader derives the state of a meeting from the archive. It writes nothing.
type reader struct {
	names   merge.Names
	shared  map[string]bool // folded names that mean one person on all bodies
	results map[string]council.Result
	parsers map[bool]*minutes.Parser // the key says whether the text has pages
}

func newReader(set *settings.Settings) reader { return readerOf(set, set, "") }

func readerOf(all, set *settings.Settings, body string) reader {
	r := reader{results: set.Results, parsers: map[bool]*minutes.Parser{
		true: minutes.NewParser(set.Minutes(true)), false: minutes.NewParser(set.Minutes(false))}}
	r.names, r.shared = merge.NamesOnBody(all.Spellings(), body)
	return r
}

// withNames returns a reader for which names mean the people that a record has under them.
func (r *reader) withNames(only map[string]string) *reader {
	if len(only) == 0 {
		return r
	}
	more := *r
	more.names = merge.Names{}
	maps.Copy(more.names, r.names)
	for plain, spelling := range only {
		more.names[plain] = r.names.Of(spelling)
	}
	return &more
}

// A Refusal is the error for a document that cannot be published.
type Refusal struct {
	Document int64
	Why      string // reason, for readers
	err      error  // cause, for the log
}

func (r *Refusal) Error() string { return fmt.Sprintf("document %d: %s: %v", r.Document, r.Why, r.err) }
func (r *Refusal) Unwrap() error { return r.err }

type derived struct {
	archive.Input
	good    *archive.MinutesText // document with the votes
	sharing []archive.Twin       // meetings with the same minutes
	leader  *int64               // the one of sharing that has the votes; nil if this meeting has them
	state   merge.State
}

// read derives a meeting from the archive. It returns a [Refusal] if the parser fails on a
// document.
func (r *reader) read(ctx context.Context, tx pgx.Tx, meeting int64) (*derived, error) {
	in, err := archive.ReadInput(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	if in.Record != nil {
		known, err := archive.Namesakes(ctx, tx, in.Source, meeting)
		if err != nil {
			return nil, err
		}
		known.IsOne = func(name, spelling string) bool { return r.names.Of(name) == r.names.Of(spelling) }
		apart, only := recorded.TellApart(*in.Record, known)
		in.Record = &apart
		r = r.withNames(only)
	}
	d := &derived{Input: in, good: in.Good}
	if in.Latest != nil && in.Latest.Verdict.Readable() {
		d.good = in.Latest
	}
	if d.good != nil {
		d.sharing, err = archive.Twins(ctx, tx, d.good.DocumentID)
		if err != nil {
			return nil, err
		}
	}
	if err := r.derive(d); err != nil {
		return d, err
	}
	d.state.Shared = r.shared
	if d.Record != nil {
		d.state.Persons, d.state.PersonSource = r.persons(*d.Record), d.Source
	}
	return d, nil
}

// persons returns the portal's ids of people, by folded name. It omits a name with two ids.
func (r *reader) persons(d portal.Detail) map[string]string {
	ids := map[string]string{}
	add := func(name, id string) {
		key := council.FoldName(r.names.Of(name))
		if before, ok := ids[key]; ok && before != id {
			id = ""
		}
		ids[key] = id
	}
	for _, v := range d.Votes {
		for _, p := range v.Positions {
			add(p.Name, p.PersonID)
		}
	}
	for _, a := range d.Attendance {
		add(a.Name, a.PersonID)
	}
	maps.DeleteFunc(ids, func(_, id string) bool { return id == "" })
	return ids
}

// derive sets the state and the leader. It is pure.
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
	case !d.good.Verdict.Readable(): // an earlier parser could read it, but this one cannot
		s.KeepStored, d.leader = true, d.SameAs
	default:
		r.fromMinutes(d)
	}
	s.Source = council.SourcePDF
	if s.Origin == council.FromRecord || d.good != nil && d.good.MediaType == "text/html" {
		s.Source = council.SourceHTML
	}
	if d.Record != nil && d.Shown != nil {
		if loss := recorded.LossOf(*d.Record, *d.Shown); loss != "" {
			s.Note(council.CodeRecordShrank, loss+"; what was recorded before stays")
		}
	}
	if d.Latest != nil {
		if code, is := d.Latest.Verdict.Anomaly(); is {
			s.Note(code, d.Latest.Error)
		}
	}
	return nil
}

// unread reports whether the minutes speak of votes, and none was read.
func (d *derived) unread() bool {
	if d.good == nil || d.leader != nil ||
		slices.ContainsFunc(d.state.Items, func(it record.Item) bool { return len(it.Votes) > 0 }) {
		return false
	}
	return slices.ContainsFunc(d.state.Anomalies, func(a record.Anomaly) bool {
		return a.Code == council.CodeVotesUnread
	})
}

// fromMinutes derives the state from the minutes, and compares it with the portal's record.
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
		case voteless && len(d.Record.Votes) > 0: // the portal's record counts until the minutes have votes
			ofMinutes := s.Anomalies
			*s = r.fromRecord(d.Input)
			s.Anomalies = append(s.Anomalies, slices.DeleteFunc(ofMinutes, func(a record.Anomaly) bool {
				return a.Item >= 0
			})...)
		default:
			s.Anomalies = append(s.Anomalies, match.Compare(s.Items, r.fromRecord(d.Input).Items).Differences...)
		}
		s.Reread = d.Good != nil && d.Good.DocumentID == d.good.DocumentID && d.SameAs == nil
		r.compareOutline(s)
	}
	if rec.MeetingDate != nil && *rec.MeetingDate != d.Date {
		s.Note(council.CodeDateDiffers, fmt.Sprintf("the minutes say %s, the calendar %s", *rec.MeetingDate, d.Date))
	}
}

// fromRecord derives the state from the portal's record. It is used while there are no minutes with
// votes.
func (r *reader) fromRecord(in archive.Input) merge.State {
	rec := recorded.Read(*in.Record, council.NewResultWords(r.results))
	s := merge.Compose(nil, &rec, r.names)
	s.Origin = council.FromRecord
	return s
}

// compareOutline adds an anomaly for each result in the portal's agenda that contradicts the
// minutes.
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

// leaderOf returns the meeting that gets the votes, among meetings with the same minutes. It
// prefers meetings on the printed date, and then the lowest id.
func leaderOf(d *derived, printed *string) int64 {
	leader, fits := d.ID, printed != nil && *printed == d.Date
	for _, t := range d.sharing {
		f := printed != nil && *printed == t.Date
		if f && !fits || f == fits && t.ID < leader {
			leader, fits = t.ID, f
		}
	}
	return leader
}

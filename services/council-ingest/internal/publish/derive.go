package publish

import (
	"fmt"
	"runtime/debug"
	"slices"

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
	r := reader{names: merge.NewNames(set.Members), results: set.Results, parsers: map[bool]*minutes.Parser{}}
	for _, paged := range []bool{true, false} {
		r.parsers[paged] = minutes.NewParser(set.Minutes(paged))
	}
	return r
}

// A Refusal is the error of a document that cannot be kept.
type Refusal struct {
	Document int64
	verdict  council.Verdict
	Why      string // for readers
	err      error  // for the log
}

func (r *Refusal) Error() string { return fmt.Sprintf("document %d: %s: %v", r.Document, r.Why, r.err) }
func (r *Refusal) Unwrap() error { return r.err }

// goodSource is the document that the votes come from: the latest if it can be
// read, else the last that could be.
func goodSource(g archive.Ground) *archive.Source {
	if g.Latest != nil && g.Latest.Verdict.Readable() {
		return g.Latest
	}
	return g.Good
}

// Derive returns what the tables should hold of a meeting. It is pure. twins are the meetings with the same minutes; sameAs is the one
// of them that carries the votes, nil when it is this one. The error is a refusal: the parser failed on the document.
func (r *reader) Derive(g archive.Ground, good *archive.Source, twins []archive.Twin) (s merge.State, sameAs *int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			if good != nil {
				err = &Refusal{good.DocumentID, council.VerdictUnreadable, "the parser failed on the document", err}
			}
		}
	}()
	switch {
	case good == nil && g.Record != nil && !g.Record.NoItems:
		s = r.fromRecord(g)
	case good == nil:
		s = merge.Compose(g.Outline, nil, r.names)
	case !good.Verdict.Readable(): // an earlier version could read it, and what that version published stays
		s.Kept, sameAs = true, g.SameAs
	default:
		rec := r.parse(good)
		if leader := leaderOf(g, rec.MeetingDate, twins); leader != g.ID {
			s, sameAs = merge.State{}, &leader
			s.Anomalies = []record.Anomaly{merge.Note(council.CodeMinutesShared,
				fmt.Sprintf("the portal shows the minutes of meeting %d here too; the votes are listed there", leader))}
		} else {
			s = merge.Compose(g.Outline, &rec, r.names)
			if voteless(rec) && g.Record != nil && len(g.Record.Votes) > 0 { // until the minutes say something, the record does
				said := s.Anomalies
				s = r.fromRecord(g)
				for _, a := range said {
					if a.Item < 0 {
						s.Anomalies = append(s.Anomalies, a)
					}
				}
			} else if g.Record != nil {
				s.Anomalies = append(s.Anomalies, r.witnessed(s, g)...)
			}
			s.Reread = g.Good != nil && g.Good.DocumentID == good.DocumentID && g.SameAs == nil
			s.Anomalies = append(s.Anomalies, r.outlineDiffers(s.Items)...)
		}
		if good.MediaType == "text/html" || s.Recorded {
			s.Source = council.SourceHTML
		}
		if rec.MeetingDate != nil && *rec.MeetingDate != g.Date {
			s.Anomalies = append(s.Anomalies, merge.Note(council.CodeDateDiffers,
				fmt.Sprintf("the minutes say %s, the calendar %s", *rec.MeetingDate, g.Date)))
		}
	}
	if g.Record != nil && g.Shown != nil {
		if less := recorded.Less(*g.Record, *g.Shown); less != "" {
			s.Anomalies = append(s.Anomalies, merge.Note(council.CodeRecordShrank, less+"; what was recorded before stays"))
		}
	}
	if s.Source == "" {
		s.Source = council.SourcePDF
	}
	if g.Latest != nil {
		if code, is := g.Latest.Verdict.Anomaly(); is {
			s.Anomalies = append(s.Anomalies, merge.Note(code, g.Latest.Error))
		}
	}
	return s, sameAs, nil
}

// fromRecord is what the portal's own record says, for as long as there are no minutes with votes.
func (r *reader) fromRecord(g archive.Ground) merge.State {
	rec := recorded.Read(*g.Record, council.NewResultWords(r.results))
	s := merge.Compose(nil, &rec, r.names)
	s.Source, s.Recorded = council.SourceHTML, true
	return s
}

// witnessed compares the votes of the minutes with those that the portal records; the votes follow the minutes.
func (r *reader) witnessed(s merge.State, g archive.Ground) []record.Anomaly {
	return witness.Compare(s.Items, r.fromRecord(g).Items).Differences
}

// voteless reports whether minutes have no vote.
func voteless(rec record.Record) bool {
	return !slices.ContainsFunc(rec.Items, func(it record.Item) bool { return len(it.Votes) > 0 })
}

// outlineDiffers compares the results that the portal shows in its agenda with the votes of the minutes. The portal changes no vote.
func (r *reader) outlineDiffers(items []record.Item) []record.Anomaly {
	var out []record.Anomaly
	for i, it := range items {
		if n := len(it.Votes); it.Shown != "" && n > 0 && !r.parsers[true].Agrees(it.Shown, it.Votes) {
			note := merge.Note(council.CodeOutlineDiffers, fmt.Sprintf("the portal shows %q, the minutes say %q", it.Shown, it.Votes[n-1].ResultRaw))
			note.Item, note.Page = i, it.Votes[n-1].Page
			out = append(out, note)
		}
	}
	return out
}

func (r *reader) parse(s *archive.Source) record.Record {
	if s.Text == nil {
		return record.Record{}
	}
	rec := r.parsers[s.MediaType == "application/pdf"].Parse(*s.Text)
	for _, n := range s.Notes {
		rec.Note(n.Code, n.Page, n.Message)
	}
	return rec
}

// leaderOf chooses among the meetings with the same minutes the one that carries
// the votes: one whose date the minutes print, and of those the lowest id.
func leaderOf(g archive.Ground, printed *string, twins []archive.Twin) int64 {
	leader, fits := g.ID, printed != nil && *printed == g.Date
	for _, t := range twins {
		f := printed != nil && *printed == t.Date
		if f && !fits || f == fits && t.ID < leader {
			leader, fits = t.ID, f
		}
	}
	return leader
}

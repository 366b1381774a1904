package councilingest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/recorded"
	"github.com/townline/townline/services/council-ingest/internal/witness"
)

// publish derives a meeting's rows and its status from what is stored about it, and writes what changed. A document on which
// the parser or the tables fail is refused. Its meetings then keep what was published before.
func (d *desk) publish(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	for refusals := false; ; refusals = true {
		var changed bool
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // a savepoint: it undoes the writes of a refused document
			var err error
			changed, err = d.publishWithTwins(ctx, tx, meeting)
			return err
		})
		var r *refusal
		if !errors.As(err, &r) {
			return changed || refusals, err
		}
		// A refused document is not read again, so the loop ends: each round has one document less.
		fresh, markErr := archive.Refuse(ctx, tx, r.document, r.verdict, r.why)
		if markErr != nil || !fresh {
			return false, errors.Join(err, markErr)
		}
		d.refused[r.document] = r.why
		d.deps.Log.ErrorContext(ctx, "a document is refused; what was published of its meetings stays", "document", r.document, "meeting", meeting, "why", r.why, "error", r.err)
	}
}

// A refusal is the error of a document that cannot be kept.
type refusal struct {
	document int64
	verdict  council.Verdict
	why      string // for readers
	err      error  // for the log
}

func (r *refusal) Error() string { return fmt.Sprintf("document %d: %s: %v", r.document, r.why, r.err) }
func (r *refusal) Unwrap() error { return r.err }

func (d *desk) publishWithTwins(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	g, err := archive.ReadGround(ctx, tx, meeting)
	if err != nil {
		return false, err
	}
	changed, err := d.publishOne(ctx, tx, g)
	if err != nil {
		return false, err
	}
	// Another meeting with the same document may gain or lose the votes.
	documents := []*archive.Source{g.Good, g.Latest}
	seen := map[int64]bool{meeting: true}
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		twins, err := archive.Twins(ctx, tx, doc.DocumentID)
		if err != nil {
			return false, err
		}
		for _, t := range twins {
			if seen[t.ID] {
				continue
			}
			seen[t.ID] = true
			other, err := archive.ReadGround(ctx, tx, t.ID)
			if err != nil {
				return false, err
			}
			more, err := d.publishOne(ctx, tx, other)
			if err != nil {
				return false, err
			}
			changed = changed || more
		}
	}
	return changed, nil
}

func (d *desk) publishOne(ctx context.Context, tx pgx.Tx, g archive.Ground) (bool, error) {
	now := d.now()
	var twins []archive.Twin
	good := goodSource(g)
	var goodID *int64
	if good != nil {
		goodID = &good.MinutesID
		var err error
		if twins, err = archive.Twins(ctx, tx, good.DocumentID); err != nil {
			return false, err
		}
	}
	state, sameAs, err := d.derive(g, good, twins)
	if err != nil {
		return false, err
	}
	changed, err := archive.SetSources(ctx, tx, g.ID, goodID, sameAs)
	if err != nil {
		return false, err
	}
	merged, err := merge.Apply(ctx, tx, g.ID, state, merge.Cause{Run: d.run, Reason: d.reason(g, good, sameAs)}, now)
	if pg.FaultOf(err) == pg.FaultData && good != nil {
		return false, &refusal{good.DocumentID, council.VerdictUnreadable, "what was read from the document cannot be stored" + sqlState(err), err}
	}
	if err != nil {
		return false, err
	}
	passed, err := d.passStatus(ctx, tx, g, now)
	return changed || merged || passed, err
}

// sqlState is the database's code for an error, in brackets.
func sqlState(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return " (SQLSTATE " + e.Code + ")"
	}
	return ""
}

// reason says why the votes of a meeting may read differently than before.
func (d *desk) reason(g archive.Ground, good *archive.Source, sameAs *int64) string {
	switch {
	case d.again:
		return "reparse with parser " + run.Version
	case good != nil && g.Good == nil:
		return "new document"
	case good != nil && good.MinutesID != g.Good.MinutesID:
		return "minutes replaced"
	case (sameAs == nil) != (g.SameAs == nil):
		return "another meeting has the same minutes"
	}
	return "agenda or settings changed"
}

// goodSource is the document that the votes come from: the latest if it can be
// read, else the last that could be.
func goodSource(g archive.Ground) *archive.Source {
	if g.Latest != nil && g.Latest.Verdict.Readable() {
		return g.Latest
	}
	return g.Good
}

// derive returns what the tables should hold of a meeting. It is pure. twins are the meetings with the same minutes; sameAs is the one
// of them that carries the votes, nil when it is this one. The error is a refusal: the parser failed on the document.
func (d *desk) derive(g archive.Ground, good *archive.Source, twins []archive.Twin) (s merge.State, sameAs *int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			if good != nil {
				err = &refusal{good.DocumentID, council.VerdictUnreadable, "the parser failed on the document", err}
			}
		}
	}()
	switch {
	case good == nil && g.Record != nil && !g.Record.NoItems:
		s = d.fromRecord(g)
	case good == nil:
		s = merge.Compose(g.Outline, nil, d.names)
	case !good.Verdict.Readable(): // an earlier version could read it, and what that version published stays
		s.Kept, sameAs = true, g.SameAs
	default:
		rec := d.parse(good)
		if leader := leaderOf(g, rec.MeetingDate, twins); leader != g.ID {
			s, sameAs = merge.State{}, &leader
			s.Anomalies = []merge.Anomaly{merge.Note(council.CodeMinutesShared,
				fmt.Sprintf("the portal shows the minutes of meeting %d here too; the votes are listed there", leader))}
		} else {
			s = merge.Compose(g.Outline, &rec, d.names)
			if voteless(rec) && g.Record != nil && len(g.Record.Votes) > 0 { // until the minutes say something, the record does
				said := s.Anomalies
				s = d.fromRecord(g)
				for _, a := range said {
					if a.Item < 0 {
						s.Anomalies = append(s.Anomalies, a)
					}
				}
			} else if g.Record != nil {
				s.Anomalies = append(s.Anomalies, d.witnessed(s, g)...)
			}
			s.Reread = g.Good != nil && g.Good.DocumentID == good.DocumentID && g.SameAs == nil
			s.Anomalies = append(s.Anomalies, d.outlineDiffers(s.Items)...)
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
func (d *desk) fromRecord(g archive.Ground) merge.State {
	rec := recorded.Read(*g.Record, council.NewResultWords(d.set.Results))
	s := merge.Compose(nil, &rec, d.names)
	s.Source, s.Recorded = council.SourceHTML, true
	return s
}

// witnessed compares the votes of the minutes with those that the portal records; the votes follow the minutes.
func (d *desk) witnessed(s merge.State, g archive.Ground) []merge.Anomaly {
	minutes, at := rollsOf(s.Items)
	recorded, _ := rollsOf(d.fromRecord(g).Items)
	var out []merge.Anomaly
	for _, diff := range witness.Compare(minutes, recorded).Differences {
		note := merge.Note(diff.Code, diff.Message)
		if diff.Item >= 0 {
			note.Item = at[diff.Item]
		}
		if diff.MotionSeq > 0 {
			note.MotionSeq = &diff.MotionSeq
		}
		if diff.Page > 0 {
			note.Page = &diff.Page
		}
		out = append(out, note)
	}
	return out
}

// rollsOf are the items with votes as witnesses are compared, and where each stands.
func rollsOf(items []merge.Item) (out []witness.Item, at []int) {
	word := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for i, it := range items {
		if len(it.Votes) > 0 {
			out, at = append(out, witness.Item{File: word(it.FileNumber), Number: word(it.ItemNumber), Title: it.Title, Votes: it.Votes}), append(at, i)
		}
	}
	return out, at
}

// voteless reports whether minutes have no vote.
func voteless(rec record.Record) bool {
	return !slices.ContainsFunc(rec.Items, func(it record.Item) bool { return len(it.Votes) > 0 })
}

// outlineDiffers compares the results that the portal shows in its agenda with the votes of the minutes. The portal changes no vote.
func (d *desk) outlineDiffers(items []merge.Item) []merge.Anomaly {
	var out []merge.Anomaly
	for i, it := range items {
		if n := len(it.Votes); it.Shown != "" && n > 0 && !d.parser[true].Agrees(it.Shown, it.Votes) {
			note := merge.Note(council.CodeOutlineDiffers, fmt.Sprintf("the portal shows %q, the minutes say %q", it.Shown, it.Votes[n-1].ResultRaw))
			note.Item, note.Page = i, it.Votes[n-1].Page
			out = append(out, note)
		}
	}
	return out
}

func (d *desk) parse(s *archive.Source) record.Record {
	if s.Text == nil {
		return record.Record{}
	}
	rec := d.parser[s.MediaType == "application/pdf"].Parse(*s.Text)
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

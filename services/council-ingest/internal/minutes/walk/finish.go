package walk

import (
	"slices"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/proof"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// finish turns what the walk found into the record: consent votes are spread over their items, items put into document order, repeated
// tables compared, and every vote is proved.
func (s *Walk) finish(sheet layout.Sheet) {
	s.SpreadConsent()
	s.items = s.Voted()
	index := map[*agenda.Item]int{}
	for n, it := range s.items {
		index[it] = n
		for _, b := range it.Blocks {
			proof.Judge(b, s.Attendance)
		}
		s.Items = append(s.Items, s.itemOf(it))
	}
	s.CompareAttachments(s.strays, index)
	p := proof.New(s.Doc, s.Writer, s.items)
	p.Prove(s.items)
	s.ReportPending()
	p.ProveNames()
	s.reportUnread(sheet)
	s.Finish()
}

// Blocks are the tables that were read, attachments included.
func (s *Walk) Blocks() []*vote.Block {
	var out []*vote.Block
	for _, stray := range s.strays {
		out = append(out, stray.Block)
	}
	for _, it := range s.items {
		out = append(out, it.Blocks...)
	}
	return out
}

func (s *Walk) itemOf(it *agenda.Item) record.Item {
	out := record.Item{ItemNumber: record.Text(it.Number), FileNumber: record.Text(it.File), Title: it.Title, IsConsent: it.Consent, Page: record.Page(it.Page)}
	if !it.Heading {
		out.Section = record.Text(it.Sec.Title)
	} else if it.Sec.Parent != nil {
		out.Section = record.Text(it.Sec.Parent.Title)
	}
	for k, b := range it.Blocks {
		out.Votes = append(out.Votes, s.voteOf(it, b, k+1))
	}
	return out
}

func (s *Walk) voteOf(it *agenda.Item, b *vote.Block, seq int) record.Vote {
	v := record.Vote{MotionSeq: seq, ResultRaw: b.Result, Result: s.Dialect.Classify(b.Result), ViaConsent: it.Consent && (it.Shared || b.ViaConsent),
		Page: record.Page(b.Page), Mover: record.Text(b.Mover), Seconder: record.Text(b.Seconder), Positions: b.Positions}
	if b.Withheld != "" {
		v.Positions = record.Positions{}
	}
	v.Positions.Fill()
	v.MotionText = b.Moved
	if b.Motion != nil {
		v.MotionText = b.Motion.Text
		if slices.Contains(b.Movers, b.Motion.Who) {
			v.Mover = &b.Motion.Who
		}
		if b.Stated && v.Result == council.Other && dialect.Decides(b.Motion.Text) {
			v.Result = s.Dialect.Classify(b.Motion.Text) // "On a motion by …, the resolution was adopted. The vote was as follows:"
		}
	}
	if b.Stated && v.Result == council.Adopted {
		v.Result = s.carried(b)
	}
	v.AyesCount, v.NaysCount = len(v.Positions.Aye), len(v.Positions.Nay)
	if b.Tally.Counted {
		v.AyesCount, v.NaysCount = b.Tally.Ayes, b.Tally.Nays
	}
	v.Unanimous = unanimous(v.Positions, b.Tally)
	return v
}

// carried returns what a sentence such as "The motion carried by the following vote" means, which follows what was moved: the item can be
// deferred by it. The words of a RESULT line need no such reading: they are the clerk's own word for what became of the item.
func (s *Walk) carried(b *vote.Block) council.Result {
	moved := []string{b.Result, b.Moved}
	if b.Motion != nil {
		moved = append(moved, b.Motion.Text)
	}
	for _, text := range moved {
		if r, ok := s.Dialect.Moved(text); ok {
			return r
		}
	}
	return council.Adopted
}

// unanimous says whether there was an aye, and no nay and no abstention: by names, and by the bracket where nobody is named.
func unanimous(p record.Positions, t shape.Tally) bool {
	switch {
	case len(p.Nay) > 0 || len(p.Abstain) > 0:
		return false
	case len(p.Aye) > 0:
		return true
	case t.Unanimous:
		return true
	}
	return t.Counted && t.Ayes > 0 && t.Nays == 0 && t.Others == 0
}

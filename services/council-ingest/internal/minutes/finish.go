package minutes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// finish turns what the walk found into the record: consent votes are spread
// over their items, repeated tables compared, items put into document order,
// and every vote is proved.
func (s *scan) finish() {
	for n, sec := range s.sections {
		s.settleConsent(sec, s.sections[n+1:])
	}
	var items []*item
	for _, sec := range s.sections {
		if sec.own != nil && len(sec.own.blocks) > 0 {
			items = append(items, sec.own)
		}
		for _, it := range sec.items {
			if len(it.blocks) > 0 {
				items = append(items, it)
			}
		}
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].line < items[j].line })
	for _, it := range items {
		for _, b := range it.blocks {
			s.judge(b)
		}
	}
	s.index = map[*item]int{}
	for n, it := range items {
		s.index[it] = n
		s.record.Items = append(s.record.Items, s.itemOf(it))
	}
	s.survey(items)
	s.settleAttachments()
	for n, it := range items {
		s.prove(n, it)
	}
	s.pending()
	s.proveNames()
	s.sumUp()
	sort.SliceStable(s.record.Anomalies, func(i, j int) bool {
		a, b := s.record.Anomalies[i], s.record.Anomalies[j]
		return a.item < b.item
	})
}

// survey looks at all votes at once: does the document print movers, how many
// rolls are there, and on how many of them does everybody stand.
func (s *scan) survey(items []*item) {
	s.standing = map[string]int{}
	seen := map[*block]bool{}
	for _, it := range items {
		for _, b := range it.blocks {
			if seen[b] {
				continue
			}
			seen[b] = true
			s.movers = s.movers || b.mover != ""
			if b.rolled {
				s.rolls++
			}
			for _, name := range b.positions.all() {
				s.standing[name]++
			}
		}
	}
}

func (s *scan) itemOf(it *item) Item {
	out := Item{Title: it.title, IsConsent: it.consent, Page: pageOf(it.Page)}
	if it.number != "" {
		out.ItemNumber = &it.number
	}
	if it.file != "" {
		out.FileNumber = &it.file
	}
	switch {
	case !it.heading:
		out.Section = textOf(it.sec.title)
	case it.sec.parent != nil:
		out.Section = textOf(it.sec.parent.title)
	}
	for k, b := range it.blocks {
		out.Votes = append(out.Votes, s.voteOf(it, b, k+1))
	}
	return out
}

func textOf(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func pageOf(page int) *int {
	if page == 0 {
		return nil
	}
	return &page
}

func (s *scan) voteOf(it *item, b *block, seq int) Vote {
	v := Vote{MotionSeq: seq, ResultRaw: b.result, Result: s.p.dialect.Classify(b.result), ViaConsent: it.consent && (it.shared || b.viaConsent),
		Page: pageOf(b.Page), Mover: textOf(b.mover), Seconder: textOf(b.seconder), Positions: b.positions, block: b}
	if b.withheld != "" {
		v.Positions = Positions{}
	}
	v.Positions.fill()
	v.MotionText = b.moved
	if b.motion != nil {
		v.MotionText = b.motion.Text
		if len(b.movers) > 1 && b.motion.who != "" {
			for _, name := range b.movers {
				if name == b.motion.who {
					v.Mover = &b.motion.who
				}
			}
		}
	}
	v.AyesCount, v.NaysCount = len(v.Positions.Aye), len(v.Positions.Nay)
	if b.tally.Counted {
		v.AyesCount, v.NaysCount = b.tally.Ayes, b.tally.Nays
	}
	v.Unanimous = unanimous(v.Positions, b.tally)
	return v
}

// unanimous says whether there was an aye, and no nay and no abstention: by
// names, and by the bracket where nobody is named.
func unanimous(p Positions, t shape.Tally) bool {
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

// all lists everybody on a roll.
func (p Positions) all() []string {
	return slices.Concat(p.Aye, p.Nay, p.Abstain, p.Absent, p.Recused)
}

// fill makes the lists of a roll empty rather than null.
func (p *Positions) fill() {
	for _, list := range []*[]string{&p.Aye, &p.Nay, &p.Abstain, &p.Absent, &p.Recused} {
		if *list == nil {
			*list = []string{}
		}
	}
}

// alike is what anomalies have in common of which a page has only so many.
type alike struct {
	code council.AnomalyCode
	Page int
}

// report adds an anomaly; item is an index into the record's items, or -1. What
// a page has too many of is counted only.
func (s *scan) report(code council.AnomalyCode, item int, motionSeq *int, page int, message string) {
	key := alike{code, page}
	if len(s.record.Anomalies) >= maxAnomalies {
		key.Page = everyPage
	}
	if s.alike == nil {
		s.alike = map[alike]int{}
	}
	if s.alike[key]++; s.alike[key] > maxAlike || key.Page == everyPage {
		return
	}
	a := Anomaly{Kind: council.KindOf(code), Code: code, MotionSeq: motionSeq, Page: pageOf(page), Message: shape.Fold(message), item: item}
	if item >= 0 {
		a.ItemNumber = s.record.Items[item].ItemNumber
	}
	s.record.Anomalies = append(s.record.Anomalies, a)
}

// everyPage stands for the page where anomalies are counted without regard to pages.
const everyPage = -1

// sumUp adds an anomaly for those that were counted only.
func (s *scan) sumUp() {
	keys := slices.SortedFunc(maps.Keys(s.alike), func(a, b alike) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.code, b.code))
	})
	for _, key := range keys {
		n := s.alike[key]
		more, where := n-maxAlike, "on this page"
		if key.Page == everyPage {
			more, where = n, "in the document"
		}
		if more > 0 {
			s.record.Anomalies = append(s.record.Anomalies, Anomaly{Kind: council.KindOf(key.code), Code: key.code, Page: pageOf(max(key.Page, 0)),
				Message: fmt.Sprintf("%d more of the same %s", more, where), item: -1})
		}
	}
}

// reportAt reports an anomaly of an item at another page than the item's.
func (s *scan) reportAt(code council.AnomalyCode, it *item, page int, message string) {
	n, ok := s.index[it]
	if !ok {
		n = -1
	}
	s.report(code, n, nil, page, message)
}

// pending reports what no vote shows: an item that stands among voted ones and
// has no RESULT line.
func (s *scan) pending() {
	for _, sec := range s.sections {
		voted := 0
		for _, it := range sec.items {
			if len(it.blocks) > 0 {
				voted++
			}
		}
		if voted*2 <= len(sec.items) || sec.consent {
			continue
		}
		for _, it := range sec.items {
			if len(it.blocks) == 0 && it.parent == nil && !it.pulled && it.Kind != shape.Bullet {
				s.report(council.CodeVoteMissing, -1, nil, it.Page, strings.TrimSpace(it.number+" "+it.title)+": no RESULT line, though other items of its section have one")
			}
		}
	}
}

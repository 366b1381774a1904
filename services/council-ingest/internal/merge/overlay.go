package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// A conflict is a correction that the reading under it does not bear out any more.
type conflict struct {
	code       council.AnomalyCode
	correction int64
	item       *int64 // whose anomaly it is; nil when it is gone
	motionSeq  *int32
	page       *int32
	message    string
}

// overlay lays corrections over what was read of a meeting. It is pure: what was read stays as it is, and the answer depends on the corrections
// and not on their order. Laid over its own answer it changes nothing. A correction holds whatever is read; where the reading is neither what it was when the correction
// was made nor what the correction says, there is a conflict besides. What a correction is about and cannot be found is a conflict, too.
func overlay(read rows, acts []clerk.Correction, p *people) (rows, []conflict) {
	o := layOver(read, acts, p)
	return o.rows, o.conflicts
}

func layOver(read rows, acts []clerk.Correction, p *people) *overlaid {
	o := &overlaid{rows: read.clone(), read: read, p: p, touched: map[int64]bool{}, said: map[int64]bool{}, added: map[int64]bool{},
		put: map[int64][]positionRow{}, met: map[int64]*string{}, missed: map[int64]bool{}}
	laid := clerk.InForce(acts)
	// Items and votes are added before anything is said of them, and votes taken out last.
	rank := func(c clerk.Correction) int {
		switch {
		case c.Kind == clerk.Missing && c.Vote.Item != nil:
			return 0
		case c.Kind == clerk.Missing:
			return 1
		case c.Kind == clerk.Doubled:
			return 3
		}
		return 2
	}
	slices.SortStableFunc(laid, func(a, b clerk.Correction) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range laid {
		if c := &laid[i]; c.Kind == clerk.Missing {
			o.added[*c.VoteID] = true
		}
	}
	for i := range laid {
		if c := &laid[i]; c.Kind != clerk.Doubled {
			o.lay(c)
		}
	}
	o.recount()
	for i := range laid {
		if c := &laid[i]; c.Kind == clerk.Doubled {
			o.takeOut(c)
		}
	}
	for i := range o.votes {
		o.votes[i].Ord = int32(i + 1)
	}
	o.contradictions(laid)
	slices.SortFunc(o.conflicts, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(a.correction, b.correction), cmp.Compare(a.code, b.code))
	})
	return o
}

// overlaid are rows with corrections on their way.
type overlaid struct {
	rows
	read      rows
	p         *people
	touched   map[int64]bool          // votes whose roll or tally was corrected
	said      map[int64]bool          // votes whose tally a correction says
	added     map[int64]bool          // votes that corrections put in
	put       map[int64][]positionRow // their rolls, before others are corrected
	conflicts []conflict
	// By correction: the value that it is about, as read or as another correction put it in, and whether there is nothing that it is about.
	met    map[int64]*string
	missed map[int64]bool
}

func (o *overlaid) lay(c *clerk.Correction) {
	switch c.Kind {
	case clerk.Title:
		at := o.item(c.ItemID)
		if at < 0 {
			o.lost(c)
			return
		}
		title := o.items[at].Title
		o.against(c, &title, c.ItemID, nil)
		o.items[at].Title = council.Text(c.Becomes)
	case clerk.Missing:
		o.putIn(c)
	default:
		at := o.vote(c.VoteID)
		if at < 0 {
			o.lost(c)
			return
		}
		v := &o.votes[at]
		was := o.readVote(v)
		switch c.Kind {
		case clerk.Result:
			o.against(c, &was.Result, &v.ItemID, v)
			v.Result = council.Text(c.Becomes)
		case clerk.Mover:
			o.against(c, o.p.nameOf(was.MoverID), &v.ItemID, v)
			v.MoverID = o.p.idOf(c.Becomes)
		case clerk.Seconder:
			o.against(c, o.p.nameOf(was.SeconderID), &v.ItemID, v)
			v.SeconderID = o.p.idOf(c.Becomes)
		case clerk.Ayes:
			o.against(c, decimal(was.AyesCount), &v.ItemID, v)
			o.touched[v.ID], o.said[v.ID] = true, true
			v.AyesCount = countIn(c.Becomes)
		case clerk.Nays:
			o.against(c, decimal(was.NaysCount), &v.ItemID, v)
			o.touched[v.ID], o.said[v.ID] = true, true
			v.NaysCount = countIn(c.Becomes)
		case clerk.Position:
			member := *o.p.idOf(c.Member)
			o.against(c, positionOf(was.Roll, member), &v.ItemID, v)
			o.touched[v.ID] = true
			v.Roll = withPosition(v.Roll, member, c.Becomes)
		}
	}
}

// readItem is an item as it was read; nil for one that a correction put in.
func (o *overlaid) readItem(id int64) *itemRow {
	if i := slices.IndexFunc(o.read.items, func(r itemRow) bool { return r.ID == id }); i >= 0 {
		return &o.read.items[i]
	}
	return nil
}

// readVote is a vote as it was read; one that a correction put in is what that says.
func (o *overlaid) readVote(v *voteRow) voteRow {
	for i := range o.read.votes {
		if o.read.votes[i].ID == v.ID {
			return o.read.votes[i]
		}
	}
	return *v
}

// against adds a conflict if the reading is neither as it was nor as the correction says. Names are compared as names are.
func (o *overlaid) against(c *clerk.Correction, now *string, item *int64, v *voteRow) {
	o.met[c.ID] = now
	if v == nil && o.readItem(*item) == nil || v != nil && !slices.ContainsFunc(o.read.votes, func(r voteRow) bool { return r.ID == v.ID }) {
		return // put in by a correction: there is no reading
	}
	same := func(a, b *string) bool { return (a == nil) == (b == nil) && council.Text(a) == council.Text(b) }
	if c.Kind == clerk.Mover || c.Kind == clerk.Seconder {
		same = func(a, b *string) bool { return council.FoldName(council.Text(a)) == council.FoldName(council.Text(b)) }
	}
	if same(now, c.Was) || same(now, c.Becomes) {
		return
	}
	o.conflict(c, item, v, fmt.Sprintf("it was made when %s was read, and now %s is read", shown(c.Was), shown(now)))
}

func (o *overlaid) lost(c *clerk.Correction) {
	o.missed[c.ID] = true
	o.conflict(c, nil, nil, "what it is about is not read any more, so that it is not shown")
}

func (o *overlaid) conflict(c *clerk.Correction, item *int64, v *voteRow, why string) {
	n := conflict{code: council.CodeCorrectionConflict, correction: c.ID, message: fmt.Sprintf("correction %d (%s) by %s does not fit what is read now: %s; withdraw it, or correct again", c.ID, describeCorrection(c), c.Author, why)}
	if at := o.item(item); at >= 0 {
		id := o.items[at].ID
		n.item = &id
	}
	if v != nil {
		seq := v.MotionSeq
		n.motionSeq, n.page = &seq, v.SourcePage
	}
	o.conflicts = append(o.conflicts, n)
}

// describeCorrection says in words what a correction changes.
func describeCorrection(c *clerk.Correction) string {
	switch c.Kind {
	case clerk.Missing:
		if c.Vote.Item != nil {
			return fmt.Sprintf("the item %q with the vote %q is missing", council.Clip(c.Vote.Item.Title, 200), c.Vote.ResultRaw)
		}
		return fmt.Sprintf("the vote %q is missing", c.Vote.ResultRaw)
	case clerk.Doubled:
		return fmt.Sprintf("vote %d is read twice", orZero(c.VoteID))
	case clerk.Position:
		return fmt.Sprintf("position of %s: %s", council.Text(c.Member), shown(c.Becomes))
	}
	return fmt.Sprintf("%s: %s", c.Kind, shown(c.Becomes))
}

func shown(value *string) string {
	if value == nil {
		return clerk.NotNamed
	}
	return strconv.Quote(council.Clip(*value, 200))
}

func (o *overlaid) item(id *int64) int {
	return slices.IndexFunc(o.items, func(r itemRow) bool { return id != nil && r.ID == *id })
}

func (o *overlaid) vote(id *int64) int {
	return slices.IndexFunc(o.votes, func(r voteRow) bool { return id != nil && r.ID == *id })
}

// recount makes tallies follow the rolls that were corrected where the two agreed as read or put in, and unanimity follow both. A tally that
// differs from its roll in print stays as printed.
func (o *overlaid) recount() {
	for i := range o.votes {
		v := &o.votes[i]
		if !o.touched[v.ID] {
			continue
		}
		was := o.readVote(v)
		roll, added := o.put[v.ID]
		if !added {
			roll = was.Roll
		}
		ayes, nays := counted(roll)
		if !o.said[v.ID] && ayes == was.AyesCount && nays == was.NaysCount {
			v.AyesCount, v.NaysCount = counted(v.Roll)
		}
		v.Unanimous = unanimous(v.Roll, v.AyesCount, v.NaysCount)
	}
}

// contradictions adds a conflict for each vote that contradicts itself as it was corrected and did not as it was read. It belongs to the
// last correction of the vote.
func (o *overlaid) contradictions(all []clerk.Correction) {
	last := map[int64]*clerk.Correction{}
	for i := range all {
		if c := &all[i]; c.VoteID != nil && (last[*c.VoteID] == nil || last[*c.VoteID].ID < c.ID) {
			last[*c.VoteID] = c
		}
	}
	for i := range o.votes {
		v := &o.votes[i]
		c := last[v.ID]
		if c == nil {
			continue
		}
		why := contradiction(v)
		if was := o.readVote(v); why == "" || !o.added[v.ID] && contradiction(&was) == why {
			continue
		}
		seq, item := v.MotionSeq, v.ItemID
		o.conflicts = append(o.conflicts, conflict{code: council.CodeCorrectionDoubtful, correction: c.ID, item: &item, motionSeq: &seq, page: v.SourcePage,
			message: fmt.Sprintf("correction %d by %s leaves a vote that contradicts itself: %s", c.ID, c.Author, why)})
	}
}

func decimal(n int32) *string {
	s := strconv.Itoa(int(n))
	return &s
}

func countIn(s *string) int32 {
	n, _ := strconv.ParseInt(council.Text(s), 10, 32) // checked when it was stored
	return int32(n)
}

// withConflicts adds an anomaly for each conflict, under the id that the one of the same correction has already.
func (r *rows) withConflicts(conflicts []conflict, stored []anomalyRow) {
	for i, c := range conflicts {
		row := anomalyRow{ID: freshConflict - int64(i), Ord: int32(len(r.anomalies) + 1), ItemID: c.item, MotionSeq: c.motionSeq, SourcePage: c.page,
			Kind: string(council.KindOf(c.code)), Code: string(c.code), Message: council.Clip(c.message, maxMessage)}
		begins := fmt.Sprintf("correction %d ", c.correction)
		for _, s := range stored {
			if s.Code == row.Code && strings.HasPrefix(s.Message, begins) {
				row.ID = s.ID
			}
		}
		r.anomalies = append(r.anomalies, row)
	}
}

// freshConflict is the first of the ids of new conflicts, below those of everything else that is new.
const freshConflict = -1 << 40

// withoutConflicts are the anomalies that come from sources.
func withoutConflicts(all []anomalyRow) []anomalyRow {
	return slices.DeleteFunc(slices.Clone(all), func(a anomalyRow) bool {
		return a.Code == string(council.CodeCorrectionConflict) || a.Code == string(council.CodeCorrectionDoubtful)
	})
}

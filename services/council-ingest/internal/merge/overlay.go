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
	anomalyRow // without id and place
	correction int64
}

// overlay applies corrections to what was read of a meeting. It is pure: what was read stays as it
// is, and the answer depends on the corrections and not on their order. Applied to its own answer
// it changes nothing. A correction holds whatever is read. There is a conflict besides if the
// reading is not what it was when the correction was made, nor what the correction says; and if
// nothing is found that a correction could be about.
func overlay(read rows, acts []clerk.Correction) (rows, []conflict) {
	o := apply(read, acts)
	return o.rows, o.conflicts
}

func apply(read rows, acts []clerk.Correction) *overlaid {
	o := &overlaid{rows: read.clone(), read: read, touched: map[int64]bool{}, said: map[int64]bool{},
		added: map[int64]bool{},
		put:   map[int64][]clerk.RollEntry{}, met: map[int64]*string{}, missed: map[int64]bool{}}
	all := clerk.InForce(acts)
	// Items and votes are added before anything is said of them, and votes taken out last.
	slices.SortStableFunc(all, func(a, b clerk.Correction) int { return cmp.Compare(rank(a), rank(b)) })
	doubled := slices.IndexFunc(all, func(c clerk.Correction) bool { return c.Kind == clerk.Doubled })
	if doubled < 0 {
		doubled = len(all)
	}
	for _, c := range all {
		if c.Kind == clerk.Missing {
			o.added[*c.VoteID] = true
		}
	}
	for i := range all[:doubled] {
		o.correct(&all[i])
	}
	o.recount()
	for i := range all[doubled:] {
		o.takeOut(&all[doubled+i])
	}
	for i := range o.votes {
		o.votes[i].Ord = i + 1
	}
	o.contradictions(all)
	slices.SortFunc(o.conflicts, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(a.correction, b.correction), cmp.Compare(a.Code, b.Code))
	})
	return o
}

func rank(c clerk.Correction) int {
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

// overlaid are rows to which corrections are being applied.
type overlaid struct {
	rows
	read      rows
	touched   map[int64]bool              // votes whose roll or tally was corrected
	said      map[int64]bool              // votes whose tally a correction says
	added     map[int64]bool              // votes that corrections put in
	put       map[int64][]clerk.RollEntry // their rolls, before others are corrected
	conflicts []conflict
	// By correction: the value that it is about, as read or as another correction put it in, and
	// whether there is nothing that it is about.
	met    map[int64]*string
	missed map[int64]bool
}

func (o *overlaid) correct(c *clerk.Correction) {
	switch c.Kind {
	case clerk.Missing:
		o.putIn(c)
		return
	case clerk.Title:
		at := o.itemAt(c.ItemID)
		if at < 0 {
			o.lost(c)
			return
		}
		title := o.items[at].Title
		o.against(c, &title, c.ItemID, nil)
		o.items[at].Title = council.Text(c.Becomes)
		return
	}
	at := o.voteAt(c.VoteID)
	if at < 0 {
		o.lost(c)
		return
	}
	v := &o.votes[at]
	was := o.readVote(v)
	o.against(c, was.value(c), &v.ItemID, v)
	switch c.Kind {
	case clerk.Result:
		v.Result = council.Result(council.Text(c.Becomes))
	case clerk.Mover:
		v.Mover = c.Becomes
	case clerk.Seconder:
		v.Seconder = c.Becomes
	case clerk.Ayes:
		v.AyesCount = countIn(c.Becomes)
	case clerk.Nays:
		v.NaysCount = countIn(c.Becomes)
	case clerk.Position:
		v.Roll = withPosition(v.Roll, *c.Member, c.Becomes)
	}
	tally := c.Kind == clerk.Ayes || c.Kind == clerk.Nays
	o.said[v.ID] = o.said[v.ID] || tally
	o.touched[v.ID] = o.touched[v.ID] || tally || c.Kind == clerk.Position
}

// value is what a vote says of what a correction is about.
func (v *voteRow) value(c *clerk.Correction) *string {
	switch c.Kind {
	case clerk.Result:
		result := string(v.Result)
		return &result
	case clerk.Mover:
		return v.Mover
	case clerk.Seconder:
		return v.Seconder
	case clerk.Ayes:
		return decimal(v.AyesCount)
	case clerk.Nays:
		return decimal(v.NaysCount)
	}
	if at := rowOf(v.Roll, council.Text(c.Member)); at >= 0 {
		position := string(v.Roll[at].Position)
		return &position
	}
	return nil
}

// readVote is a vote as it was read; one that a correction put in is what that says.
func (o *overlaid) readVote(v *voteRow) voteRow {
	if at := o.read.voteAt(&v.ID); at >= 0 {
		return o.read.votes[at]
	}
	return *v
}

// against adds a conflict if the reading is neither as it was nor as the correction says. Names are
// compared as names are.
func (o *overlaid) against(c *clerk.Correction, now *string, item *int64, v *voteRow) {
	o.met[c.ID] = now
	if v == nil && o.read.itemAt(item) < 0 || v != nil && o.read.voteAt(&v.ID) < 0 {
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
	if o.itemAt(item) < 0 {
		item = nil
	}
	o.add(council.CodeCorrectionConflict, c, item, v, fmt.Sprintf("correction %d (%s) by %s does not fit what is read "+
		"now: %s; withdraw it, or correct again",
		c.ID, describeCorrection(c), c.Author, why))
}

func (o *overlaid) add(code council.AnomalyCode, c *clerk.Correction, item *int64, v *voteRow, message string) {
	n := conflict{anomalyRow{Kind: council.KindOf(code), Code: code, Message: council.Clip(message, maxMessage)}, c.ID}
	if item != nil {
		id := *item
		n.ItemID = &id
	}
	if v != nil {
		seq := v.MotionSeq
		n.MotionSeq, n.SourcePage = &seq, v.SourcePage
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

// recount makes tallies follow the rolls that were corrected if the two agreed as read or put in,
// and unanimity follow both. A tally that differs from its roll in print stays as printed.
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

// contradictions adds a conflict for each vote that contradicts itself as it was corrected and did
// not as it was read. It belongs to the last correction of the vote.
func (o *overlaid) contradictions(all []clerk.Correction) {
	last := map[int64]*clerk.Correction{}
	for i := range all {
		if c := &all[i]; c.VoteID != nil && (last[*c.VoteID] == nil || last[*c.VoteID].ID < c.ID) {
			last[*c.VoteID] = c
		}
	}
	for i := range o.votes {
		v := &o.votes[i]
		c, why, was := last[v.ID], contradiction(v), o.readVote(v)
		if c == nil || why == "" || !o.added[v.ID] && contradiction(&was) == why {
			continue
		}
		o.add(council.CodeCorrectionDoubtful, c, &v.ItemID, v,
			fmt.Sprintf("correction %d by %s leaves a vote that contradicts itself: %s", c.ID, c.Author, why))
	}
}

func decimal(n int) *string {
	s := strconv.Itoa(n)
	return &s
}

func countIn(s *string) int {
	n, _ := strconv.Atoi(council.Text(s)) // checked when it was stored
	return n
}

// withConflicts adds an anomaly for each conflict, under the stored id of the one of the same
// correction.
func (r *rows) withConflicts(conflicts []conflict, stored []anomalyRow) {
	for _, c := range conflicts {
		row := c.anomalyRow
		row.Ord = len(r.anomalies) + 1
		begins := fmt.Sprintf("correction %d ", c.correction)
		for _, s := range stored {
			if s.Code == row.Code && strings.HasPrefix(s.Message, begins) {
				row.ID = s.ID
			}
		}
		r.anomalies = append(r.anomalies, row)
	}
}

// withoutConflicts are the anomalies that come from sources.
func withoutConflicts(all []anomalyRow) []anomalyRow {
	return slices.DeleteFunc(slices.Clone(all), func(a anomalyRow) bool {
		return a.Code == council.CodeCorrectionConflict || a.Code == council.CodeCorrectionDoubtful
	})
}

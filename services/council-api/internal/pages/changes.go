package pages

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// manyChanges is the number of changes that a page reads if it folds most of them into one line per
// meeting.
const manyChanges = 200

func (a *Pages) pageChanges(ctx context.Context, v *page, p review.ChangesParams) error {
	v.also(asJSON("JSON", v.c.URL("/changes")+withoutPaging(v.c)))
	v.Title, v.About = v.TitleOf("nav.changes"), v.Text("changes.about")
	kinds := options(v, "change.", review.ChangeKind("").Values())
	v.Find = v.form(v.c.Path("/changes"), v.withBodies(v.field("", "kind", kinds...), v.field("date", "since")))
	has := changes{Each: p.Kind != nil || p.VoteID != nil}
	if !has.Each {
		p.Limit, p.Fetch = manyChanges, manyChanges+1
	}
	list, err := wire.Walk(ctx, v.c, review.ChangeRows, p)
	if err != nil {
		return err
	}
	if has.Each {
		has.Imports = each(list.Data, func(one *review.Change) change { return v.changed([]review.Change{*one}) })
	} else {
		for _, group := range published(list.Data) {
			if kind := group[0].Kind; kind != "vote_changed" && kind != "vote_removed" {
				has.Imports = append(has.Imports, v.changed(group))
			}
		}
	}
	if !has.Each && p.After == nil {
		if err := has.addCorrections(ctx, v, p); err != nil {
			return err
		}
	}
	v.Has = &has
	v.paged(list.NextCursor)
	return nil
}

type changes struct {
	Corrections []change
	Links       []ref // link to all corrections, if there are more
	Imports     []change
	Each        bool // the list is filtered, so no change is folded
}

type change struct {
	Date, What, Reason string
	Fields             string
	Counts             []string
	Values             []string         // before and after
	More               []*review.Change // the changes folded into the line
	ref
}

// addCorrections adds the newest changes of published votes, even if many other changes are newer.
func (l *changes) addCorrections(ctx context.Context, v *page, p review.ChangesParams) error {
	var all []review.Change
	for _, kind := range []review.ChangeKind{"vote_changed", "vote_removed"} {
		p.Kind, p.Keyset = &kind, shorten(p.Keyset)
		list, err := wire.Walk(ctx, v.c, review.ChangeRows, p)
		if err != nil {
			return err
		}
		all = append(all, list.Data...)
		if list.NextCursor != nil {
			l.Links = append(l.Links, ref{v.Text("changes." + string(kind)), v.Query("/changes", "kind", kind)})
		}
	}
	slices.SortFunc(all, func(a, b review.Change) int { return cmp.Compare(b.ID, a.ID) })
	l.Corrections = each(all, func(one *review.Change) change { return v.changed([]review.Change{*one}) })
	return nil
}

// published groups the changes that readers see as one: the first publication of a meeting, and one
// update of the calendar. Corrections, removals and cancelled meetings are not grouped.
func published(list []review.Change) [][]review.Change {
	groups := each(list, func(one *review.Change) []review.Change { return []review.Change{*one} })
	groups = merge(groups, func(a, b []review.Change) bool { return same(a[0].MeetingID, b[0].MeetingID) })
	return merge(groups, func(a, b []review.Change) bool { return isCalendar(a) && isCalendar(b) })
}

// merge merges adjacent groups of one run if all their changes only add data and may allows it.
func merge(groups [][]review.Change, may func(a, b []review.Change) bool) (all [][]review.Change) {
	for _, next := range groups {
		last := len(all) - 1
		if last >= 0 && all[last][0].RunID == next[0].RunID && isAddition(&all[last][0]) && isAddition(&next[0]) &&
			may(all[last], next) {
			all[last] = append(all[last], next...)
		} else {
			all = append(all, next)
		}
	}
	return all
}

func isAddition(one *review.Change) bool {
	switch one.Kind {
	case "meeting_added", "vote_added", "member_added":
		return true
	case "meeting_status":
		return one.After == nil || one.After.Status == nil || *one.After.Status != council.StatusCancelled
	}
	return false
}

func same(a, b *int64) bool { return a != nil && b != nil && *a == *b }

func isCalendar(group []review.Change) bool {
	return !slices.ContainsFunc(group, func(one review.Change) bool {
		return one.Kind != "meeting_added" && one.Kind != "meeting_status"
	})
}

// changed makes a line from a group of changes; the newest is first.
func (p *page) changed(group []review.Change) change {
	newest := &group[0]
	line := change{Date: p.Moment(newest.ChangedAt.Time)}
	if !isAddition(newest) {
		line.Reason = p.Reason(newest.Reason)
	}
	meetings := map[int64]bool{}
	var votes, members int64
	for i := range group {
		one := &group[i]
		switch {
		case one.Kind == "vote_added":
			votes++
		case one.Kind == "member_added":
			members++
		}
		if one.MeetingID != nil && !meetings[*one.MeetingID] {
			meetings[*one.MeetingID] = true
			line.More = append(line.More, one)
		}
	}
	switch {
	case len(group) == 1:
		return p.single(newest, line)
	case len(meetings) > 1:
		line.What, line.Text = p.Text("change.calendar"), p.Many("change.meetings", len(meetings))
		return line
	case votes > 0:
		line.What, line.Counts = p.Text("change.vote_added"), append(line.Counts, p.Many("votes", votes))
	default:
		line.What = p.Text("change." + string(newest.Kind))
		if len(line.More) > 0 && p.NewStatus(line.More[0]) != "" {
			line.Counts = append(line.Counts, p.NewStatus(line.More[0]))
		}
	}
	if members > 0 {
		line.Counts = append(line.Counts, p.Many("change.members", members))
	}
	if newest.MeetingID != nil {
		line.Text, line.Address = p.MeetingName(newest), p.Link("/meetings/{id}", newest.MeetingID)
	}
	line.More = nil
	return line
}

// NewStatus returns the state of a meeting after a change.
func (p *page) NewStatus(one *review.Change) string {
	if one.After == nil {
		return ""
	}
	return wordOf(p, "status.", one.After.Status)
}

// MeetingName names the meeting of a change.
func (p *page) MeetingName(one *review.Change) string {
	if one.MeetingDate == nil {
		return p.Text("change.meeting", number(*one.MeetingID))
	}
	return p.Text("anomaly.meeting", p.Date(one.MeetingDate.Time))
}

// single completes the line for one change with the values before and after.
func (p *page) single(one *review.Change, line change) change {
	line.What, line.Fields = p.Text("change."+string(one.Kind)), p.Fields(one.Fields)
	line.More = nil
	reading := cmp.Or(one.After, one.Before, &review.Reading{})
	switch {
	case one.VoteID != nil:
		line.Text = p.Text("change.vote", number(*one.VoteID))
		if reading.ItemTitle != nil {
			line.Text = *reading.ItemTitle
		}
		if one.Kind != "vote_removed" {
			line.Address = p.Link("/votes/{id}", one.VoteID)
		}
	case one.MemberID != nil:
		line.Text = number(*one.MemberID)
		if reading.FullName != nil {
			line.Text = *reading.FullName
		}
	case one.MeetingID != nil:
		line.Text = p.MeetingName(one)
		if one.MeetingDate != nil {
			line.Address = p.Link("/meetings/{id}", one.MeetingID)
		}
	}
	if one.Before != nil && one.After != nil {
		line.Values = p.differences(one.Before, one.After)
	}
	return line
}

// A correction's reason has its number and is otherwise in its author's words.
var ofCorrection = regexp.MustCompile(`^correction (\d+)( withdrawn)? by (.*)$`)

// Reason returns the reason of a change in the language of the page. The reader of minutes and portals
// writes the others in English; a reason without a sentence of its own is only on English pages.
func (p *page) Reason(text string) string {
	if m := ofCorrection.FindStringSubmatch(text); m != nil {
		return p.Text("reason.correction"+strings.ReplaceAll(m[2], " ", "."), m[1], m[3])
	}
	what, _, _ := strings.Cut(text, ":")
	if strings.HasPrefix(what, "reparse with ") {
		what = "reparse"
	}
	if said, err := p.Say("reason." + strings.ReplaceAll(strings.ReplaceAll(what, ",", ""), " ", "-")); err == nil {
		return said
	}
	return p.Detail(text)
}

// Fields names the fields of a change.
func (p *page) Fields(names []string) string {
	said := make([]string, 0, len(names))
	for _, name := range names {
		text, err := p.Say("changed." + name)
		if err != nil {
			text = p.Detail(name)
		}
		if text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, ", ")
}

// differences returns the values before and after a change: texts, the tally, and changed
// positions.
func (p *page) differences(before, after *review.Reading) (all []string) {
	add := func(name, was, is string) {
		if was != is {
			all = append(all, p.Text("motion.title", name, orDash(was)+" → "+orDash(is)))
		}
	}
	was, is := p.values(before), p.values(after)
	for i, key := range []string{"filter.status", "change.title", "change.motion", "filter.result", "change.printed",
		"vote.tally", "vote.mover", "vote.seconder"} {
		add(p.Text(key), was[i], is[i])
	}
	positions := map[string]string{}
	for _, m := range before.Positions {
		positions[m.MemberName] = wordOf(p, "position.", &m.Position)
	}
	for _, m := range after.Positions {
		add(m.MemberName, positions[m.MemberName], wordOf(p, "position.", &m.Position))
		delete(positions, m.MemberName)
	}
	for _, m := range before.Positions {
		add(m.MemberName, positions[m.MemberName], "")
	}
	return all
}

// values returns the values of a reading as texts; a missing value is "".
func (p *page) values(r *review.Reading) []string {
	tally := ""
	if r.AyesCount != nil && r.NaysCount != nil {
		tally = p.Text("say.count", *r.AyesCount, *r.NaysCount)
	}
	return []string{wordOf(p, "status.", r.Status), council.Text(r.ItemTitle), brief(council.Text(r.MotionText), whole),
		wordOf(p, "result.", r.Result), council.Text(r.ResultRaw), tally, council.Text(r.MoverName),
		council.Text(r.SeconderName)}
}

func wordOf[T ~string](p *page, prefix string, value *T) string {
	if value == nil {
		return ""
	}
	return p.Text(prefix + string(*value))
}

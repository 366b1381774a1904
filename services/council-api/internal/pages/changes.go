package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/review"
)

func (a *Pages) changePages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.changes", Path: "/changes", Summary: "What changed after publication"}, a.pageChanges),
	}
}

// manyChanges is how many entries a page reads that shows most of them as one line for a meeting.
const manyChanges = 200

func (a *Pages) pageChanges(ctx context.Context, c *rest.Call, p review.ChangesParams) ([]byte, error) {
	v := a.page(c, "/changes", asJSON("JSON", c.URL("/changes")+withoutPaging(c)))
	v.Title, v.About = v.Text("nav.changes"), v.Text("changes.about")
	kinds := options(v, "change.", review.ChangeKind("").Values())
	v.Find = v.form(c.Path("/changes"), []field{v.field("", "kind", kinds...), v.field("date", "since")})
	has := changes{Each: p.Kind != nil || p.VoteID != nil}
	if !has.Each {
		p.Limit, p.Fetch = manyChanges, manyChanges+1
	}
	list, err := review.ListChanges(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for _, group := range published(list.Data, has.Each) {
		if has.Each || !takesBack(&group[0]) {
			has.Imports = append(has.Imports, v.changed(group))
		}
	}
	if !has.Each && p.After == nil {
		if err := has.addCorrections(ctx, v, p); err != nil {
			return nil, err
		}
	}
	v.Has = &has
	v.paged(list.NextCursor)
	return a.show("changes.html", v)
}

// changes are what the page lists.
type changes struct {
	Corrections []change
	Ways        []ref // to all corrections, where there are more
	Imports     []change
	Each        bool // the list was asked for by its filters: nothing is folded
}

// A change is a line.
type change struct {
	Date, What, Reason string
	Fields             string
	Counts             []string // of what was published, in words
	Values             []fact   // before and after
	More               []fact   // what the line stands for
	ref
}

// A fact is a name and what it is.
type fact struct {
	Name string
	ref
}

// addCorrections adds the newest changes of published votes, whatever else was published since.
func (l *changes) addCorrections(ctx context.Context, v *page, p review.ChangesParams) error {
	var all []review.Change
	for _, kind := range []review.ChangeKind{"vote_changed", "vote_removed"} {
		p.Kind, p.Keyset = &kind, shorter(p.Keyset)
		list, err := review.ListChanges(ctx, v.c, p)
		if err != nil {
			return err
		}
		all = append(all, list.Data...)
		if list.NextCursor != nil {
			l.Ways = append(l.Ways, ref{v.Text("changes." + string(kind)), v.Query("/changes", "kind", kind)})
		}
	}
	slices.SortFunc(all, func(a, b review.Change) int { return cmp.Compare(b.ID, a.ID) })
	for i := range all {
		l.Corrections = append(l.Corrections, v.changed(all[i:i+1]))
	}
	return nil
}

// takesBack reports whether a change says that a published vote was otherwise.
func takesBack(one *review.Change) bool {
	return one.Kind == "vote_changed" || one.Kind == "vote_removed"
}

// published puts together what readers see as one: all that one reading of a meeting published for the first time, and what one reading of
// the calendar said of meetings. A correction, a removal and a cancelled meeting stand alone, and so does every entry if each is wanted.
func published(list []review.Change, each bool) [][]review.Change {
	var meetings [][]review.Change
	for i := range list {
		last := len(meetings) - 1
		if !each && last >= 0 && adds(&list[i]) && together(&meetings[last][0], &list[i]) && same(list[i].MeetingID, meetings[last][0].MeetingID) {
			meetings[last] = append(meetings[last], list[i])
			continue
		}
		meetings = append(meetings, []review.Change{list[i]})
	}
	var groups [][]review.Change
	for _, m := range meetings {
		last := len(groups) - 1
		if !each && last >= 0 && together(&groups[last][0], &m[0]) && ofCalendar(groups[last]) && ofCalendar(m) {
			groups[last] = append(groups[last], m...)
			continue
		}
		groups = append(groups, m)
	}
	return groups
}

// adds reports whether a change takes nothing back that was published.
func adds(one *review.Change) bool {
	switch one.Kind {
	case "meeting_added", "vote_added", "member_added":
		return true
	case "meeting_status":
		return one.After == nil || one.After.Status == nil || *one.After.Status != council.StatusCancelled
	}
	return false
}

// together reports whether one run made both changes, and none takes back anything.
func together(a, b *review.Change) bool { return a.RunID == b.RunID && adds(a) && adds(b) }

func same(a, b *int64) bool { return a != nil && b != nil && *a == *b }

// ofCalendar reports whether a group has neither a vote nor a member.
func ofCalendar(group []review.Change) bool {
	for i := range group {
		if k := group[i].Kind; k != "meeting_added" && k != "meeting_status" {
			return false
		}
	}
	return true
}

// changed is a group, or a change that stands alone, as a line; the newest comes first.
func (p *page) changed(group []review.Change) change {
	newest := &group[0]
	line := change{Date: p.Moment(newest.ChangedAt.Time)}
	if !adds(newest) { // what is published for the first time needs no reason
		line.Reason = newest.Reason
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
			more := fact{Name: p.meetingName(one), ref: ref{Address: p.Link("/meetings/{id}", one.MeetingID)}}
			if one.After != nil && one.After.Status != nil {
				more.Text = p.Text("status." + string(*one.After.Status))
			}
			line.More = append(line.More, more)
		}
	}
	switch {
	case len(group) == 1:
		return p.alone(newest, line)
	case len(meetings) > 1:
		line.What, line.Text = p.Text("change.calendar"), p.Many("change.meetings", len(meetings))
		return line
	case votes > 0:
		line.What, line.Counts = p.Text("change.vote_added"), append(line.Counts, p.Many("votes", votes))
	default:
		line.What = p.Text("change." + string(newest.Kind))
		if len(line.More) > 0 && line.More[0].Text != "" {
			line.Counts = append(line.Counts, line.More[0].Text)
		}
	}
	if members > 0 {
		line.Counts = append(line.Counts, p.Many("change.members", members))
	}
	if newest.MeetingID != nil {
		line.Text, line.Address = p.meetingName(newest), p.Link("/meetings/{id}", newest.MeetingID)
	}
	line.More = nil
	return line
}

func (p *page) meetingName(one *review.Change) string {
	if one.MeetingDate == nil {
		return p.Text("change.meeting", number(*one.MeetingID))
	}
	return p.Text("anomaly.meeting", p.Date(one.MeetingDate.Time))
}

// alone is a change with its values before and after.
func (p *page) alone(one *review.Change, line change) change {
	line.What, line.Fields, line.More = p.Text("change."+string(one.Kind)), strings.Join(one.Fields, ", "), nil
	reading := one.After
	if reading == nil {
		reading = one.Before
	}
	switch {
	case one.VoteID != nil:
		line.Text = p.Text("change.vote", number(*one.VoteID))
		if reading != nil && reading.ItemTitle != nil {
			line.Text = *reading.ItemTitle
		}
		if one.Kind != "vote_removed" {
			line.Address = p.Link("/votes/{id}", one.VoteID)
		}
	case one.MemberID != nil:
		line.Text = number(*one.MemberID)
		if reading != nil && reading.FullName != nil {
			line.Text = *reading.FullName
		}
	case one.MeetingID != nil:
		line.Text = p.meetingName(one)
		if one.MeetingDate != nil {
			line.Address = p.Link("/meetings/{id}", one.MeetingID)
		}
	}
	if one.Before != nil && one.After != nil {
		line.Values = p.differences(one.Before, one.After)
	}
	return line
}

// differences are the values before and after a change that a reader can compare at a glance: texts, the tally, and who is said to have
// voted otherwise.
func (p *page) differences(before, after *review.Reading) []fact {
	var all []fact
	add := func(name, was, is string) {
		if was != is {
			all = append(all, fact{Name: name, ref: ref{Text: orDash(was) + " → " + orDash(is)}})
		}
	}
	status := func(s *council.Status) string {
		if s == nil {
			return ""
		}
		return p.Text("status." + string(*s))
	}
	tally := func(r *review.Reading) string {
		if r.AyesCount == nil || r.NaysCount == nil {
			return ""
		}
		return p.Text("say.count", *r.AyesCount, *r.NaysCount)
	}
	result := func(r *review.Reading) string {
		if r.Result == nil {
			return ""
		}
		return p.Text("result." + string(*r.Result))
	}
	add(p.Text("filter.status"), status(before.Status), status(after.Status))
	add(p.Text("change.title"), council.Text(before.ItemTitle), council.Text(after.ItemTitle))
	add(p.Text("change.motion"), brief(council.Text(before.MotionText), whole), brief(council.Text(after.MotionText), whole))
	add(p.Text("filter.result"), result(before), result(after))
	add(p.Text("change.printed"), council.Text(before.ResultRaw), council.Text(after.ResultRaw))
	add(p.Text("vote.tally"), tally(before), tally(after))
	add(p.Text("vote.mover"), council.Text(before.MoverName), council.Text(after.MoverName))
	add(p.Text("vote.seconder"), council.Text(before.SeconderName), council.Text(after.SeconderName))
	stood := map[string]council.Position{}
	for _, p := range before.Positions {
		stood[p.MemberName] = p.Position
	}
	position := func(took council.Position) string {
		if took == "" {
			return ""
		}
		return p.Text("position." + string(took))
	}
	for _, m := range after.Positions {
		add(m.MemberName, position(stood[m.MemberName]), position(m.Position))
		delete(stood, m.MemberName)
	}
	for _, m := range before.Positions {
		if was, gone := stood[m.MemberName]; gone {
			add(m.MemberName, position(was), "")
		}
	}
	return all
}

package pages

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func (a *Pages) changePages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.changes", Path: "/changes", Summary: "What changed after publication"}, a.pageChanges),
	}
}

// manyChanges is how many entries a page reads that shows most of them as one line for a meeting.
const manyChanges = 200

func (a *Pages) pageChanges(ctx context.Context, c *rest.Call, p review.ChangesParams) ([]byte, error) {
	v := &view.Changes{Head: a.head(c, "/changes", asJSON("JSON", c.URL("/changes")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.changes"), say.Text("changes.about"), say.Text("changes.intro")
	v.Find = form(&v.Head, say, c.Path("/changes"), []view.Field{field(c, say, "", "kind", options(say, "change.", kindsOfChange())...), field(c, say, "date", "since")})
	each := p.Kind != nil || p.VoteID != nil // who asks for these wants to see each
	if !each {
		p.Limit, p.Fetch = manyChanges, manyChanges+1
	}
	page, err := review.ListChanges(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v.Each = each
	for _, group := range published(page.Data, each) {
		if each || !takesBack(&group[0]) {
			v.Imports = append(v.Imports, changeLine(&v.Head, say, group))
		}
	}
	if !each && p.After == nil {
		if err := addCorrections(ctx, c, say, v, p); err != nil {
			return nil, err
		}
	}
	v.Pager, v.Report = pager(&v.Head, c, page.NextCursor), a.report(say, c, v.Title, "")
	return a.site.Render("changes.html", v)
}

// addCorrections adds the newest changes of published votes, whatever else was published since.
func addCorrections(ctx context.Context, c *rest.Call, say view.Speaker, v *view.Changes, p review.ChangesParams) error {
	var all []review.Change
	for _, kind := range []review.ChangeKind{"vote_changed", "vote_removed"} {
		p.Kind, p.Keyset = &kind, shorter(p.Keyset)
		page, err := review.ListChanges(ctx, c, p)
		if err != nil {
			return err
		}
		all = append(all, page.Data...)
		if page.NextCursor != nil {
			to := v.ToQuery(url.Values{"kind": {string(kind)}}, "/changes")
			v.Ways = append(v.Ways, view.Ref{Text: say.Text("changes." + string(kind)), Address: to})
		}
	}
	slices.SortFunc(all, func(a, b review.Change) int { return cmp.Compare(b.ID, a.ID) })
	for i := range all {
		v.Corrections = append(v.Corrections, changeLine(&v.Head, say, all[i:i+1]))
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

// changeLine is a group, or a change that stands alone, as a line; the newest comes first.
func changeLine(h *site.Head, say view.Speaker, group []review.Change) view.Change {
	newest := &group[0]
	line := view.Change{Date: say.Moment(newest.ChangedAt.Time)}
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
			more := view.Fact{Name: meetingName(say, one), Ref: view.Ref{Address: h.To("/meetings/{id}", number(*one.MeetingID))}}
			if one.After != nil && one.After.Status != nil {
				more.Text = say.Text("status." + string(*one.After.Status))
			}
			line.More = append(line.More, more)
		}
	}
	switch {
	case len(group) == 1:
		return alone(h, say, newest, line)
	case len(meetings) > 1:
		line.What, line.Text = say.Text("change.calendar"), say.Many("change.meetings", int64(len(meetings)))
		return line
	case votes > 0:
		line.What, line.Counts = say.Text("change.vote_added"), append(line.Counts, say.Many("votes", votes))
	default:
		line.What = say.Text("change." + string(newest.Kind))
		if len(line.More) > 0 && line.More[0].Text != "" {
			line.Counts = append(line.Counts, line.More[0].Text)
		}
	}
	if members > 0 {
		line.Counts = append(line.Counts, say.Many("change.members", members))
	}
	if newest.MeetingID != nil {
		line.Text, line.Address = meetingName(say, newest), h.To("/meetings/{id}", number(*newest.MeetingID))
	}
	line.More = nil
	return line
}

func meetingName(say view.Speaker, one *review.Change) string {
	if one.MeetingDate == nil {
		return say.Text("change.meeting", number(*one.MeetingID))
	}
	return say.Text("anomaly.meeting", say.Date(one.MeetingDate.Time))
}

// alone is a change with its values before and after.
func alone(h *site.Head, say view.Speaker, one *review.Change, line view.Change) view.Change {
	line.What, line.Fields, line.More = say.Text("change."+string(one.Kind)), strings.Join(one.Fields, ", "), nil
	reading := one.After
	if reading == nil {
		reading = one.Before
	}
	switch {
	case one.VoteID != nil:
		line.Text = say.Text("change.vote", number(*one.VoteID))
		if reading != nil && reading.ItemTitle != nil {
			line.Text = *reading.ItemTitle
		}
		if one.Kind != "vote_removed" {
			line.Address = h.To("/votes/{id}", number(*one.VoteID))
		}
	case one.MemberID != nil:
		line.Text = number(*one.MemberID)
		if reading != nil && reading.FullName != nil {
			line.Text = *reading.FullName
		}
	case one.MeetingID != nil:
		line.Text = meetingName(say, one)
		if one.MeetingDate != nil {
			line.Address = h.To("/meetings/{id}", number(*one.MeetingID))
		}
	}
	if one.Before != nil && one.After != nil {
		line.Values = differences(say, one.Before, one.After)
	}
	return line
}

// differences are the values before and after a change that a reader can compare at a glance: texts, the tally, and who is said to have
// voted otherwise.
func differences(say view.Speaker, before, after *review.Reading) []view.Fact {
	var all []view.Fact
	add := func(name, was, is string) {
		if was != is {
			all = append(all, view.Fact{Name: name, Ref: view.Ref{Text: orDash(was) + " → " + orDash(is)}})
		}
	}
	status := func(s *council.Status) string {
		if s == nil {
			return ""
		}
		return say.Text("status." + string(*s))
	}
	tally := func(r *review.Reading) string {
		if r.AyesCount == nil || r.NaysCount == nil {
			return ""
		}
		return say.Text("say.count", *r.AyesCount, *r.NaysCount)
	}
	result := func(r *review.Reading) string {
		if r.Result == nil {
			return ""
		}
		return say.Text("result." + string(*r.Result))
	}
	add(say.Text("filter.status"), status(before.Status), status(after.Status))
	add(say.Text("change.title"), wire.Text(before.ItemTitle), wire.Text(after.ItemTitle))
	add(say.Text("change.motion"), brief(wire.Text(before.MotionText), whole), brief(wire.Text(after.MotionText), whole))
	add(say.Text("filter.result"), result(before), result(after))
	add(say.Text("change.printed"), wire.Text(before.ResultRaw), wire.Text(after.ResultRaw))
	add(say.Text("vote.tally"), tally(before), tally(after))
	add(say.Text("vote.mover"), wire.Text(before.MoverName), wire.Text(after.MoverName))
	add(say.Text("vote.seconder"), wire.Text(before.SeconderName), wire.Text(after.SeconderName))
	stood := map[string]council.Position{}
	for _, p := range before.Positions {
		stood[p.MemberName] = p.Position
	}
	position := func(p council.Position) string {
		if p == "" {
			return ""
		}
		return say.Text("position." + string(p))
	}
	for _, p := range after.Positions {
		add(p.MemberName, position(stood[p.MemberName]), position(p.Position))
		delete(stood, p.MemberName)
	}
	for _, p := range before.Positions {
		if was, gone := stood[p.MemberName]; gone {
			add(p.MemberName, position(was), "")
		}
	}
	return all
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func kindsOfChange() []review.ChangeKind {
	var kinds []review.ChangeKind
	for _, k := range review.ChangeKind("").Values() {
		kinds = append(kinds, review.ChangeKind(k))
	}
	return kinds
}

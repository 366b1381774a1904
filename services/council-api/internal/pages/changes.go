package pages

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func (a *Pages) changePages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.changes", Path: "/changes", Summary: "What changed after publication"}, a.pageChanges),
	}
}

func (a *Pages) pageChanges(ctx context.Context, c *rest.Call, p review.ChangesParams) ([]byte, error) {
	v := &view.Changes{Head: a.head(c, "/changes", asJSON("JSON", c.URL("/changes")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.changes"), say.Text("changes.about"), say.Text("changes.intro")
	v.Find = form(&v.Head, say, c.Path("/changes"), []view.Field{field(c, say, "", "kind", options(say, "change.", kindsOfChange())...), field(c, say, "date", "since")})
	page, err := review.ListChanges(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for i := range page.Data {
		one := &page.Data[i]
		line := view.Change{Date: say.Moment(one.ChangedAt.Time), What: say.Text("change." + string(one.Kind)), Reason: one.Reason, Fields: strings.Join(one.Fields, ", ")}
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
				line.Address = v.To("/votes/{id}", number(*one.VoteID))
			}
		case one.MemberID != nil:
			if line.Text = number(*one.MemberID); reading != nil && reading.FullName != nil {
				line.Text = *reading.FullName
			}
		case one.MeetingID != nil:
			line.Text = say.Text("change.meeting", number(*one.MeetingID))
			if one.MeetingDate != nil {
				line.Text, line.Address = say.Text("anomaly.meeting", say.Short(one.MeetingDate.Time)), v.To("/meetings/{id}", number(*one.MeetingID))
			}
		}
		if one.Before != nil && one.After != nil {
			line.Values = differences(one)
		}
		v.Lines = append(v.Lines, line)
	}
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return a.site.Render("changes.html", v)
}

// differences are the values before and after a change that a reader can compare at a glance.
func differences(ch *review.Change) []view.Fact {
	var all []view.Fact
	for _, d := range []struct{ name, before, after string }{
		{"result_raw", wire.Text(ch.Before.ResultRaw), wire.Text(ch.After.ResultRaw)}, {"mover_name", wire.Text(ch.Before.MoverName), wire.Text(ch.After.MoverName)},
		{"seconder_name", wire.Text(ch.Before.SeconderName), wire.Text(ch.After.SeconderName)}, {"item_title", wire.Text(ch.Before.ItemTitle), wire.Text(ch.After.ItemTitle)},
		{"motion_text", brief(wire.Text(ch.Before.MotionText), whole), brief(wire.Text(ch.After.MotionText), whole)}, {"status", wire.Text(ch.Before.Status), wire.Text(ch.After.Status)},
	} {
		if d.before != d.after {
			all = append(all, view.Fact{Name: d.name, Ref: view.Ref{Text: d.before + " → " + d.after}})
		}
	}
	return all
}

func kindsOfChange() []review.ChangeKind {
	var kinds []review.ChangeKind
	for _, k := range review.ChangeKind("").Values() {
		kinds = append(kinds, review.ChangeKind(k))
	}
	return kinds
}

package councilapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *pages) votePages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.votes", Path: "/votes", Summary: "Votes by words and filters"}, a.pageVotes),
		rest.Page(rest.Spec{ID: "page.vote", Path: "/votes/{id}", Summary: "One vote with its roll call and the proof of it", NotFound: "unknown vote"}, a.pageVote),
	}
}

func (a *pages) pageVotes(ctx context.Context, c *rest.Call, p foundParams) ([]byte, error) {
	query := withoutPaging(c)
	v := &view.Votes{Files: []view.Ref{{Text: "Atom", Address: c.URL("/search/votes.atom") + query}, {Text: "CSV", Address: c.URL("/search/votes.csv") + query}, {Text: "JSON", Address: c.URL("/search/votes") + query}}}
	v.Head = a.head(c, "/votes", site.Other{Type: "application/json", Title: "JSON", Address: v.Files[2].Address},
		site.Other{Type: atomMedia, Title: "Atom", Address: v.Files[0].Address}, site.Other{Type: "text/csv", Title: "CSV", Address: v.Files[1].Address})
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Unlisted = say.Text("nav.votes"), say.Text("votes.about"), query != ""
	members, err := memberOptions(ctx, c)
	if err != nil {
		return nil, err
	}
	yes, no := say.Text("filter.yes"), say.Text("filter.no")
	v.Find = form(&v.Head, say, c.Path("/votes"), []view.Field{
		field(c, say, "search", "q"), field(c, say, "", "topic", options(say, "topic.", council.Topics())...),
		field(c, say, "", "split", view.Option{Value: "true", Text: say.Text("filter.splityes")}, view.Option{Value: "false", Text: say.Text("filter.splitno")})},
		field(c, say, "", "result", options(say, "result.", council.Results())...), field(c, say, "date", "from"), field(c, say, "date", "to"),
		field(c, say, "", "mover", members...), field(c, say, "", "seconder", members...),
		field(c, say, "text", "margin"), field(c, say, "number", "ayes"), field(c, say, "number", "nays"),
		field(c, say, "", "via_consent", view.Option{Value: "true", Text: yes}, view.Option{Value: "false", Text: no}))
	page, err := searchVotes(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v.Lines = foundLines(&v.Head, say, page.Data)
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return a.site.Render("votes.html", v)
}

// withoutPaging is the query of a page without the parameters that choose a part of the list.
func withoutPaging(c *rest.Call) string {
	_, raw, _ := strings.Cut(c.SelfWith("cursor", ""), "?")
	q, err := url.ParseQuery(raw)
	if err != nil {
		return "" // cannot happen: the address was made of parameters
	}
	q.Del("limit")
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// memberOptions are all members as answers to a question.
func memberOptions(ctx context.Context, c *rest.Call) ([]view.Option, error) {
	members, err := listMembers(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	list := make([]view.Option, len(members.Data))
	for i, m := range members.Data {
		list[i] = view.Option{Value: number(m.ID), Text: m.FullName}
	}
	return list, nil
}

func (a *pages) pageVote(ctx context.Context, c *rest.Call, p idParams) ([]byte, error) {
	d, err := getVote(ctx, c, p)
	if err != nil {
		return nil, err
	}
	item, err := getItem(ctx, c, idParams{d.ItemID})
	if err != nil {
		return nil, err
	}
	meeting, err := oneMeeting.One(ctx, c, idLinks{idParams{d.MeetingID}, links{c.URL("")}})
	if err != nil {
		return nil, missing(err, "meeting", d.MeetingID)
	}
	v := &view.Vote{ID: d.ID, Head: a.head(c, "/votes", asJSON("JSON", c.URL("/votes/{id}", number(p.ID))))}
	say := a.speaker(v.Lang)
	v.Item, v.Number, v.Motion, v.Consent = view.Ref{Text: item.Title}, textOr(item.ItemNumber), d.MotionText, d.ViaConsent
	v.Meeting = view.Ref{Text: say.Text("meeting.title", meeting.Title, say.Short(d.MeetingDate.Time)), Address: v.To("/meetings/{id}", number(d.MeetingID)) + "#item-" + number(d.ItemID)}
	v.Outcome = say.Outcome(d.Result, d.ResultRaw, d.AyesCount, d.NaysCount, d.Unanimous)
	v.Title = brief(item.Title)
	v.About = say.Text("vote.about", v.Outcome.Word, v.Outcome.Count, meeting.Body, say.Day(d.MeetingDate.Time))
	v.Named, v.Roll = len(d.Positions) > 0, rollOf(&v.Head, say, d.Positions, true)
	v.Label = label(&v.Head, say, &item)
	for _, who := range []struct {
		key  string
		id   *int64
		name *string
	}{{"vote.mover", d.MoverID, d.MoverName}, {"vote.seconder", d.SeconderID, d.SeconderName}} {
		fact := view.Fact{Name: say.Text(who.key), Ref: view.Ref{Text: say.Text("vote.notsaid")}}
		if who.id != nil {
			fact.Ref = view.Ref{Text: textOr(who.name), Address: v.To("/members/{id}", number(*who.id))}
		}
		v.Moved = append(v.Moved, fact)
	}
	a.proof(say, v, &d, &meeting)
	if err := a.printedAt(ctx, c, say, v, &d); err != nil {
		return nil, err
	}
	v.Report = a.report(say, c, say.Text("vote.reported", number(d.ID), sourcePage(d.SourceURL)), d.ResultRaw)
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "VoteAction", "name": item.Title, "description": v.About, "url": a.root + c.Self(),
		"startTime": d.MeetingDate.String(), "agent": map[string]any{"@type": "GovernmentOrganization", "name": meeting.Body}}
	return a.site.Render("vote.html", v)
}

// proof fills in what supports or contradicts the vote.
func (a *pages) proof(say view.Speaker, v *view.Vote, d *VoteDetail, m *Meeting) {
	v.Printed = d.Proof.Tally.Printed
	source := view.Ref{Text: say.Text("vote.document"), Address: d.SourceURL}
	if page := sourcePage(d.SourceURL); page != "" {
		source.Text = say.Text("vote.page", page)
	}
	v.Sources = append(v.Sources, source)
	if m.ArchivedMinutesURL != nil {
		archived := *m.ArchivedMinutesURL
		if page := sourcePage(d.SourceURL); page != "" {
			archived += "#page=" + page
		}
		if archived != d.SourceURL {
			v.Sources = append(v.Sources, view.Ref{Text: say.Text("meeting.pdf"), Address: archived})
		}
	}
	named := d.Proof.Named
	for _, row := range []struct {
		position council.Position
		printed  string
		named    int64
	}{{council.Aye, number(int64(d.Proof.Tally.Ayes)), named.Aye}, {council.Nay, number(int64(d.Proof.Tally.Nays)), named.Nay}, {council.Abstain, "", named.Abstain}, {council.Absent, "", named.Absent}, {council.Recused, "", named.Recused}} {
		v.Checks = append(v.Checks, view.Check{Word: say.Text("position." + string(row.position)), Printed: row.printed, Named: number(row.named),
			Differs: v.Named && row.printed != "" && row.printed != number(row.named)})
	}
	switch differs := slices.ContainsFunc(v.Checks, func(k view.Check) bool { return k.Differs }); {
	case !v.Named:
		v.Verdict = say.Text("vote.nonames")
	case differs:
		v.Verdict = say.Text("vote.differ")
	default:
		v.Verdict = say.Text("vote.agree")
	}
	v.Source = say.Text("vote.source."+string(d.ParseSource), say.Moment(d.ParsedAt.Time))
	for _, p := range d.Proof.Attendance {
		line := view.Presence{Ref: view.Ref{Text: p.Name}, Title: p.Title, Status: p.Status}
		if p.MemberID != nil {
			line.Address = v.To("/members/{id}", number(*p.MemberID))
		}
		v.Present = append(v.Present, line)
	}
	for i := range d.Proof.Anomalies {
		line := anomalyOf(say, &d.Proof.Anomalies[i])
		line.Address, line.Title = v.To("/anomalies/{id}", number(d.Proof.Anomalies[i].ID)), say.Text("anomaly.open")
		v.Anomalies = append(v.Anomalies, line)
	}
	for _, change := range d.Proof.History {
		v.Changes = append(v.Changes, view.Change{Date: say.Moment(change.ChangedAt.Time), What: say.Text("change." + string(change.Kind)), Reason: change.Reason, Fields: strings.Join(change.Fields, ", ")})
	}
	for i := range d.Proof.Corrections {
		v.Corrections = append(v.Corrections, correctionOf(say, &d.Proof.Corrections[i]))
	}
	v.AllChanges = v.ToQuery(url.Values{"vote_id": {number(d.ID)}}, "/changes")
}

// printedAt adds the way to the text of the page with the vote, whose lines are marked there if they can be found.
func (a *pages) printedAt(ctx context.Context, c *rest.Call, say view.Speaker, v *view.Vote, d *VoteDetail) error {
	at, err := strconv.Atoi(sourcePage(d.SourceURL))
	if err != nil {
		return nil // the page is not known
	}
	page, err := getMinutesPage(ctx, c, minutesPageParams{ID: d.MeetingID, Page: at})
	var e *rest.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	link := view.Ref{Text: say.Text("vote.text", at), Address: v.ToQuery(url.Values{"page": {strconv.Itoa(at)}}, "/meetings/{id}/minutes", number(d.MeetingID))}
	if slices.ContainsFunc(page.Votes, func(m MarkedVote) bool { return m.VoteID == d.ID }) {
		link.Text, link.Address = say.Text("vote.markedtext", at), link.Address+"#vote-"+number(d.ID)
	}
	v.Sources = append([]view.Ref{link}, v.Sources...)
	return nil
}

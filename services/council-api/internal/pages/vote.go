package pages

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
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func (a *Pages) pageVote(ctx context.Context, c *rest.Call, p record.IDParams) ([]byte, error) {
	d, err := review.GetVote(ctx, c, p)
	if err != nil {
		return nil, err
	}
	item, err := record.GetItem(ctx, c, record.IDParams{ID: d.ItemID})
	if err != nil {
		return nil, err
	}
	meeting, err := record.FindMeeting(ctx, c, d.MeetingID)
	if err != nil {
		return nil, err
	}
	v := &view.Vote{ID: d.ID, Head: a.head(c, "/votes", asJSON("JSON", c.URL("/votes/{id}", number(p.ID))))}
	say := a.speaker(v.Lang)
	v.Item, v.Number, v.Motion, v.Consent = view.Ref{Text: item.Title}, wire.Text(item.ItemNumber), d.MotionText, d.ViaConsent
	v.Meeting = view.Ref{Text: say.Text("meeting.title", meeting.Title, say.Date(d.MeetingDate.Time)), Address: v.To("/meetings/{id}", number(d.MeetingID)) + "#item-" + number(d.ItemID)}
	v.Outcome = outcome(say, &d.Vote)
	v.Record, v.Of = d.Origin == record.FromRecord, say.Motion(d.MotionText, d.MotionSeq, len(item.Votes))
	v.Title = brief(item.Title, whole)
	if v.Of != "" {
		v.Title = say.Text("motion.title", v.Of, v.Title)
	}
	v.About = say.Text("vote.about", v.Outcome.Word, v.Outcome.Count, meeting.Body, say.FullDate(d.MeetingDate.Time))
	v.Unnamed = say.Text(ofRecord("vote.unnamed", v.Record))
	v.Named, v.Roll = len(d.Positions) > 0, rollOf(&v.Head, say, d.Positions, true)
	v.Label = label(&v.Head, say, &item)
	for _, who := range []struct {
		key  string
		id   *int64
		name *string
	}{{"vote.mover", d.MoverID, d.MoverName}, {"vote.seconder", d.SeconderID, d.SeconderName}} {
		fact := view.Fact{Name: say.Text(who.key), Ref: view.Ref{Text: say.Text(ofRecord("vote.notsaid", v.Record))}}
		if who.id != nil {
			fact.Ref = view.Ref{Text: wire.Text(who.name), Address: v.To("/members/{id}", number(*who.id))}
		}
		v.Moved = append(v.Moved, fact)
	}
	said, err := answers(ctx, c, say, d.MeetingID)
	if err != nil {
		return nil, err
	}
	a.proof(say, v, &d, &meeting, said)
	if err := a.printedAt(ctx, c, say, v, &d); err != nil {
		return nil, err
	}
	v.Report = a.report(say, c, say.Text("vote.reported", number(d.ID), record.SourcePage(d.SourceURL)), d.ResultRaw)
	v.OEmbed = a.oembedAddress(c)
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "VoteAction", "name": item.Title, "description": v.About, "url": a.Root + c.Self(),
		"startTime": d.MeetingDate.String(), "agent": map[string]any{"@type": "GovernmentOrganization", "name": meeting.Body}}
	return a.site.Render("vote.html", v)
}

// ofRecord is the key of words about minutes, or of those about the portal's record.
func ofRecord(key string, record bool) string {
	if record {
		key += ".record"
	}
	return key
}

// proof fills in what supports or contradicts the vote.
func (a *Pages) proof(say view.Speaker, v *view.Vote, d *review.VoteDetail, m *record.Meeting, said map[int64]view.Answer) {
	v.Printed = d.Proof.Tally.Printed
	v.Sources = append(v.Sources, source(say, d.SourceURL, v.Record))
	if m.ArchivedMinutesURL != nil {
		archived := *m.ArchivedMinutesURL
		if page := record.SourcePage(d.SourceURL); page != "" {
			archived += "#page=" + page
		}
		if archived != d.SourceURL {
			v.Sources = append(v.Sources, view.Ref{Text: say.Text("vote.copy"), Address: archived})
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
	differs := slices.ContainsFunc(v.Checks, func(k view.Check) bool { return k.Differs })
	switch {
	case !v.Named:
		v.Verdict = say.Text("vote.nonames")
	case differs:
		v.Verdict = say.Text("vote.differ")
	default:
		v.Verdict = say.Text("vote.agree")
	}
	read := string(d.ParseSource)
	if v.Record {
		read = "record"
	}
	v.Source = say.Text("vote.source."+read, say.Moment(d.ParsedAt.Time))
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
		line.Answer = said[d.Proof.Anomalies[i].ID]
		v.Anomalies = append(v.Anomalies, line)
	}
	for _, change := range d.Proof.History {
		if change.Kind == "vote_added" {
			added := view.Change{Date: say.Moment(change.ChangedAt.Time), What: say.Text("change.vote_added")}
			v.Changes = append(v.Changes, added)
			continue
		}
		v.Changes = append(v.Changes, view.Change{Date: say.Moment(change.ChangedAt.Time), What: say.Text("change." + string(change.Kind)), Reason: change.Reason, Fields: strings.Join(change.Fields, ", ")})
	}
	for i := range d.Proof.Corrections {
		v.Corrections = append(v.Corrections, correctionOf(say, &d.Proof.Corrections[i]))
	}
	v.AllChanges = v.ToQuery(url.Values{"vote_id": {number(d.ID)}}, "/changes")
}

// printedAt adds the way to the text of the page with the vote, whose lines are marked there if they can be found.
func (a *Pages) printedAt(ctx context.Context, c *rest.Call, say view.Speaker, v *view.Vote, d *review.VoteDetail) error {
	at, err := strconv.Atoi(record.SourcePage(d.SourceURL))
	if err != nil {
		return nil // the page is not known
	}
	page, err := record.GetMinutesPage(ctx, c, record.MinutesPageParams{ID: d.MeetingID, Page: at})
	var e *rest.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	link := view.Ref{Text: say.Text("vote.text", at), Address: v.ToQuery(url.Values{"page": {strconv.Itoa(at)}}, "/meetings/{id}/minutes", number(d.MeetingID))}
	if slices.ContainsFunc(page.Votes, func(m record.MarkedVote) bool { return m.VoteID == d.ID }) {
		link.Text, link.Address = say.Text("vote.markedtext", at), link.Address+"#vote-"+number(d.ID)
	}
	v.Sources = append([]view.Ref{link}, v.Sources...)
	return nil
}

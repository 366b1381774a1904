package pages

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
)

func (a *Pages) pageVote(ctx context.Context, v *page, p record.IDParams) error {
	d, item, err := voteOn(ctx, v.c, p)
	if err != nil {
		return err
	}
	meeting, err := record.FindMeeting(ctx, v.c, d.MeetingID)
	if err != nil {
		return err
	}
	v.also(asJSON("JSON", v.c.URL("/votes/{id}", number(p.ID))))
	has := votePage{vote: v.voteOf(&d.Vote, &item, len(item.Votes)), In: meeting, Label: v.Label(&item), Proof: d.Proof}
	corrected, err := review.ListCorrections(ctx, v.c, []int64{d.ID})
	if err != nil {
		return err
	}
	has.Corrected = corrected[d.ID]
	v.Body, v.Title = d.BodyRef, brief(item.Title, whole)
	if has.Of != "" {
		v.Title = v.Text("motion.title", has.Of, v.Title)
	}
	ended := has.Outcome()
	v.About = v.Text("vote.about", ended.Word, ended.Count, meeting.Body, v.FullDate(d.MeetingDate.Time))
	said, err := reviews(ctx, v.c, d.MeetingID)
	if err != nil {
		return err
	}
	has.Anomalies = each(d.Proof.Anomalies, func(found *review.Anomaly) anomaly {
		one := v.anomaly(found, said[found.ID])
		one.Address, one.Place = v.Link("/anomalies/{id}", one.ID), v.Text("anomaly.open")
		return one
	})
	if err := has.addSources(ctx, v); err != nil {
		return err
	}
	v.Has, v.OEmbed = &has, a.oembedAddress(v.c)
	v.Linked = a.linked(v, "VoteAction", item.Title, map[string]any{"description": v.About,
		"startTime": d.MeetingDate.String(), "agent": a.organization(meeting.Body, council.Text(d.BodySlug))})
	v.Report = a.report(v, v.Text("vote.reported", number(d.ID), record.SourcePage(d.SourceURL)),
		d.ResultRaw)
	return nil
}

func voteOn(ctx context.Context, c *rest.Call, p record.IDParams) (review.VoteDetail, record.AgendaItem, error) {
	d, err := review.GetVote(ctx, c, p)
	if err != nil {
		return d, record.AgendaItem{}, err
	}
	item, err := record.GetItem(ctx, c, record.IDParams{ID: d.ItemID})
	return d, item, err
}

// minutesPage returns a page of the archived text, or nil if there is none.
func minutesPage(ctx context.Context, c *rest.Call, meeting int64, page int) (*record.MinutesPage, error) {
	text, err := record.GetMinutesPage(ctx, c, record.MinutesPageParams{ID: meeting, Page: page})
	var e *rest.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil, nil
	}
	return &text, err
}

type votePage struct {
	vote
	In        record.Meeting
	Label     *label
	Proof     review.VoteProof
	Anomalies []anomaly
	Sources   []ref
}

// A check compares a printed count with the names of the roll call.
type check struct {
	Position, Printed string
	Named             int64
	Differs           bool
}

func (v votePage) Checks() []check {
	named := v.Proof.Named
	line := func(position, printed string, n int64) check {
		return check{position, printed, n, len(v.Positions) > 0 && printed != "" && printed != number(n)}
	}
	return []check{
		line("aye", strconv.Itoa(v.Proof.Tally.Ayes), named.Aye), line("nay", strconv.Itoa(v.Proof.Tally.Nays), named.Nay),
		line("abstain", "", named.Abstain), line("absent", "", named.Absent), line("recused", "", named.Recused),
	}
}

// Verdict returns the key of the sentence about the checks.
func (v votePage) Verdict() string {
	switch {
	case len(v.Positions) == 0:
		return "vote.nonames"
	case slices.ContainsFunc(v.Checks(), func(k check) bool { return k.Differs }):
		return "vote.differ"
	}
	return "vote.agree"
}

func (v votePage) ReadFrom() string {
	if v.Recorded() {
		return "record"
	}
	return string(v.ParseSource)
}

func (votePage) Fields(k review.VoteChange) string { return strings.Join(k.Fields, ", ") }

// addSources links to the printed vote: the text of the page, with its lines marked if they were
// found, the portal, and the archived copy.
func (v *votePage) addSources(ctx context.Context, p *page) error {
	v.Sources = []ref{v.Source()}
	number := record.SourcePage(v.SourceURL)
	if v.In.ArchivedMinutesURL != nil {
		archived := *v.In.ArchivedMinutesURL
		if number != "" {
			archived += "#page=" + number
		}
		if archived != v.SourceURL {
			v.Sources = append(v.Sources, ref{p.Text("vote.copy"), archived})
		}
	}
	at, err := strconv.Atoi(number)
	if err != nil {
		return nil // the page is unknown
	}
	text, err := minutesPage(ctx, p.c, v.MeetingID, at)
	if err != nil || text == nil {
		return err
	}
	link := ref{p.Text("vote.text", at), p.MinutesLink(v.MeetingID, at)}
	if slices.ContainsFunc(text.Votes, func(m record.MarkedVote) bool { return m.VoteID == v.ID }) {
		link = ref{p.Text("vote.markedtext", at), link.Address + "#vote-" + strconv.FormatInt(v.ID, 10)}
	}
	v.Sources = append([]ref{link}, v.Sources...)
	return nil
}

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
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
)

func (a *Pages) pageVote(ctx context.Context, v *page, p civic.IDParams) error {
	d, item, err := voteOn(ctx, v.c, p)
	if err != nil {
		return err
	}
	meeting, err := civic.FindMeeting(ctx, v.c, d.MeetingID)
	if err != nil {
		return err
	}
	v.also(asJSON("JSON", v.c.URL("/votes/{id}", number(p.ID))))
	has := votePage{vote: v.voteOf(&d.Vote, &item, len(item.Votes)), In: meeting, On: &item, Proof: d.Proof}
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
	if err := v.addReviews(ctx, d.MeetingID); err != nil {
		return err
	}
	if err := has.addSources(ctx, v); err != nil {
		return err
	}
	has.addShare(a, v)
	v.Has, v.OEmbed = &has, a.oembedAddress(v.c)
	v.Picture = a.Root + rest.URL("", picturePath, number(d.ID))
	if v.Lang != site.Languages()[0] {
		v.Picture += "?lang=" + v.Lang
	}
	v.Linked = a.linked(v, "VoteAction", item.Title, map[string]any{"description": v.About,
		"startTime": d.MeetingDate.String(), "agent": a.organization(meeting.Body, council.Text(d.BodySlug))})
	v.Report = a.report(v, v.Text("vote.reported", number(d.ID), civic.SourcePage(d.SourceURL)),
		d.ResultRaw)
	return nil
}

func voteOn(ctx context.Context, c *rest.Call, p civic.IDParams) (review.VoteDetail, civic.AgendaItem, error) {
	d, err := review.GetVote(ctx, c, p)
	if err != nil {
		return d, civic.AgendaItem{}, err
	}
	item, err := civic.GetItem(ctx, c, civic.IDParams{ID: d.ItemID})
	return d, item, err
}

// minutesPage returns a page of the archived text, or nil if there is none.
func minutesPage(ctx context.Context, c *rest.Call, meeting int64, page int) (*civic.MinutesPage, error) {
	text, err := civic.GetMinutesPage(ctx, c, civic.MinutesPageParams{ID: meeting, Page: page})
	var e *rest.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil, nil
	}
	return &text, err
}

type votePage struct {
	vote
	In      civic.Meeting
	On      *civic.AgendaItem
	Proof   review.VoteProof
	Sources []ref
	Excerpt string // the lines of the minutes that print the vote; "" if they were not found

	// Ways to share the page: a citation in plain text, a link that starts an e-mail, the address of
	// the page for other sites, and the HTML that frames it. Code is "" if no site may frame it.
	Cite, Mail, Frame, Code string
}

// Answer returns the sentence that says how the vote ended.
func (v votePage) Answer() string {
	key, ended := "vote.answer", v.Outcome()
	if v.AyesCount+v.NaysCount == 0 {
		key = "vote.answer.uncounted"
	}
	return v.p.Text(key, ended.Word, ended.Count, v.Day())
}

// Sides returns the positions that lost or abstained.
func (v votePage) Sides() []council.Position {
	lost := council.Nay
	if v.Result == council.Failed {
		lost = council.Aye
	}
	return slices.DeleteFunc(v.Taken(), func(p council.Position) bool { return p != lost && p != council.Abstain })
}

// Region returns the language tag for dates that a script writes like [Speaker.Date].
func (v votePage) Region() string {
	if v.p.Lang == "en" && !v.p.Locale.MonthFirst {
		return "en-GB"
	}
	return v.p.Lang
}

// addShare sets the ways to share the page.
func (v *votePage) addShare(a *Pages, p *page) {
	address := a.Root + rest.URL("", "/votes/{id}", number(v.ID))
	v.Cite = p.Text("vote.cite", v.In.Body, p.Title, strings.TrimSuffix(v.Answer(), "."), a.town(p.Lang), address)
	q := url.Values{"subject": {p.Title}, "body": {v.Answer() + "\n" + p.Title + "\n" + address}}
	v.Mail = "mailto:?" + strings.ReplaceAll(q.Encode(), "+", "%20")
	v.Frame = p.Link("/embed/votes/{id}", v.ID)
	if len(a.Frames.Frames) > 0 {
		v.Code = frameCode(a.Root+v.Frame, p.Title, frameWidth, frameHeight)
	}
}

// Printed returns the count of the tally for a position, or "" if tallies do not count it.
func (v votePage) Printed(position council.Position) string {
	switch position {
	case council.Aye:
		return strconv.Itoa(v.Proof.Tally.Ayes)
	case council.Nay:
		return strconv.Itoa(v.Proof.Tally.Nays)
	}
	return ""
}

// Disagrees reports whether the roll call names other members than the tally counts.
func (v votePage) Disagrees(position council.Position) bool {
	printed := v.Printed(position)
	return len(v.Positions) > 0 && printed != "" && printed != number(v.p.Counted(v.Proof.Named, position))
}

// Verdict returns the key of the sentence about the checks.
func (v votePage) Verdict() string {
	switch {
	case len(v.Positions) == 0:
		return "vote.nonames"
	case slices.ContainsFunc(council.Positions(), v.Disagrees):
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

// maxExcerpt is the number of lines of the minutes that a vote's page shows. A vote has fewer.
const maxExcerpt = 60

// addSources links to the printed vote: the text of the page, with its lines marked if they were
// found, the portal, and the archived copy.
func (v *votePage) addSources(ctx context.Context, p *page) error {
	v.Sources = []ref{v.Source()}
	number := civic.SourcePage(v.SourceURL)
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
	of := slices.IndexFunc(text.Votes, func(m civic.MarkedVote) bool { return m.VoteID == v.ID })
	if of >= 0 {
		link = ref{p.Text("vote.markedtext", at), link.Address + "#vote-" + strconv.FormatInt(v.ID, 10)}
		lines := text.Lines[text.Votes[of].FirstLine-1 : text.Votes[of].LastLine]
		v.Excerpt = outdent(lines[:min(len(lines), maxExcerpt)])
	}
	v.Sources = append([]ref{link}, v.Sources...)
	return nil
}

// outdent joins lines without the blanks that all of them begin with.
func outdent(lines []string) string {
	common := -1
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		if n := len(line) - len(text); text != "" && (common < 0 || n < common) {
			common = n
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[min(len(line), max(common, 0)):]
	}
	return strings.Join(out, "\n")
}

package civic

import (
	"cmp"
	"context"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/pkg/rest"
)

var ArchivedText = rest.SQL[IDParams, string](`
	SELECT t.text
	FROM council.meeting m
	JOIN council.minutes n ON n.minutes_id = m.minutes_id
	JOIN council.document_text t ON t.document_id = n.document_id
	WHERE m.iqm2_id = @id AND t.text IS NOT NULL`)

// A MinutesPage is one page of the archived text, and the votes on it.
type MinutesPage struct {
	MeetingID int64        `json:"meeting_id" doc:"The meeting: iqm2_id."`
	Page      int          `json:"page" doc:"The page, from 1; that of the PDF, if the minutes are one."`
	Pages     int          `json:"pages" doc:"Number of pages of the text."`
	Lines     []string     `json:"lines" doc:"The text line by line, exactly as the parser read it."`
	Votes     []MarkedVote `json:"votes" doc:"Votes that are printed here, in document order. A vote that cannot be found with its result and every name is left out."`
	SourceURL string       `json:"source_url" format:"uri" doc:"The minutes, at this page (#page=N) if they are a PDF."`
	TextURL   string       `json:"text_url" format:"uri" doc:"The whole text."`
}

// A MarkedVote is a vote and the lines that print it.
type MarkedVote struct {
	VoteID    int64 `json:"vote_id" doc:"The vote."`
	ItemID    int64 `json:"item_id" doc:"Its agenda item."`
	FirstLine int   `json:"first_line" doc:"First line on this page with the vote's result or roll, from 1. It is 1 if the vote began on the page before."`
	LastLine  int   `json:"last_line" doc:"Last such line."`
}

type MinutesPageParams struct {
	ID   int64 `path:"id" min:"1" doc:"The meeting."`
	Page int   `path:"page" min:"1" max:"100000" doc:"The page, from 1."`
}

var MinutesPageEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "getMinutesPage", Path: "/meetings/{id}/minutes/{page}", Tag: "Meetings",
		Summary: "One page of the archived text, with the lines of each vote",
		Doc: "The lines of a vote are found by what was read of it: its printed result and the names of mover, " +
			"seconder and roll. Votes of the consent calendar share the lines of their one roll call.",
		NotFound: "unknown meeting, no archived text, or no such page", Queries: rest.Queries(oneMeeting, ArchivedText,
			votesOfMeeting)}, GetMinutesPage),
}

func GetMinutesPage(ctx context.Context, c *rest.Call, p MinutesPageParams) (MinutesPage, error) {
	id := IDParams{p.ID}
	args := LinksTo(c, id)
	text, err := ArchivedText.One(ctx, c, id)
	if err != nil {
		return MinutesPage{}, Missing(err, "archived minutes text of meeting", p.ID)
	}
	pages := marked.Pages(text)
	if p.Page > len(pages) {
		return MinutesPage{}, rest.NotFound("the minutes of meeting %d have %d pages", p.ID, len(pages))
	}
	m, err := oneMeeting.One(ctx, c, args)
	if err != nil {
		return MinutesPage{}, Missing(err, "meeting", p.ID)
	}
	votes, err := votesOfMeeting.List(ctx, c, args)
	if err != nil {
		return MinutesPage{}, err
	}
	number := strconv.FormatInt(p.ID, 10)
	page := MinutesPage{MeetingID: p.ID, Page: p.Page, Pages: len(pages), Lines: pages[p.Page-1], Votes: []MarkedVote{},
		TextURL: c.URL("/meetings/{id}/minutes.txt", number)}
	page.SourceURL = page.TextURL
	if m.ArchivedMinutesURL != nil {
		page.SourceURL = *cmp.Or(m.MinutesURL, m.ArchivedMinutesURL) + "#page=" + strconv.Itoa(p.Page)
	}
	items := make(map[int64]int64, len(votes))
	for i := range votes {
		items[votes[i].ID] = votes[i].ItemID
	}
	for _, s := range marked.Find(pages, printedVotes(votes)) {
		if s.Page == p.Page {
			page.Votes = append(page.Votes, MarkedVote{s.Vote, items[s.Vote], s.First, s.Last})
		}
	}
	return page, nil
}

// printedVotes returns what the minutes print of votes.
func printedVotes(votes []Vote) []council.StoredVote {
	all := make([]council.StoredVote, len(votes))
	for i, v := range votes {
		all[i] = council.StoredVote{ID: v.ID, Vote: council.Vote{ResultRaw: v.ResultRaw, ViaConsent: v.ViaConsent,
			Mover: v.MoverName, Seconder: v.SeconderName}}
		if page, err := strconv.Atoi(SourcePage(v.SourceURL)); err == nil {
			all[i].Page = &page
		}
		for _, p := range v.Positions {
			all[i].Roll = append(all[i].Roll, council.RollEntry{Member: p.MemberName, Position: p.Position})
		}
	}
	return all
}

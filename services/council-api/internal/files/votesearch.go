package files

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

const mostFound = 20_000

// SearchFileEndpoints are what a search for votes finds, as files.
func SearchFileEndpoints(place Place) rest.Table {
	return rest.Table{
		feed(place, rest.Spec{ID: "searchVotesFeed", Path: "/search/votes.atom",
			Summary: "What a search for votes finds as an Atom feed"},
			func(c *rest.Call, p civic.SearchFilters) (subject, list string, _ civic.SearchFilters) {
				return "votes", "/search/votes" + strings.TrimPrefix(c.SelfQuery(), c.Self()), p
			}),
		rest.Func(rest.Spec{ID: "searchVotesTable", Path: "/search/votes.csv", Tag: "Votes",
			Summary: "What a search for votes finds as CSV",
			Doc: fmt.Sprintf("UTF-8 with a header row, RFC 4180, a row for each vote, newest meeting first; at most %d "+
				"rows, /export/ has all votes. Names of a roll are joined by \"; \". page_url is the page of the vote; "+
				"corrections says what a person corrected. ", mostFound) + formulaDoc,
			Queries: append(rest.Queries(civic.Several, correctionsOf), civic.FoundQueries()...), Media: "text/csv"},
			func(ctx context.Context, c *rest.Call, p civic.SearchFilters) (rest.File, error) {
				found, err := civic.ListFound(ctx, c, p, mostFound)
				if err != nil {
					return rest.File{}, err
				}
				body, err := place.foundCSV(ctx, c, found)
				return rest.File{Body: body, Name: "votes.csv", Attachment: true}, err
			}),
	}
}

// foundCSV writes votes as CSV. The columns have the same names as in the export.
func (place Place) foundCSV(ctx context.Context, c *rest.Call, votes []civic.FoundVote) ([]byte, error) {
	several, err := civic.Several.One(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	corrected, err := listCorrections(ctx, c, votes)
	if err != nil {
		return nil, err
	}
	header := []string{"vote_id", "meeting_id", "meeting_date", "item_id", "item_number", "item_title", "topic",
		"motion_seq", "motion_text", "result", "result_raw", "ayes_count", "nays_count", "unanimous", "via_consent",
		"mover", "seconder", "ayes", "nays", "abstentions", "absences", "recusals", "source_url", "page_url",
		"corrections"}
	if several {
		header = append(header, "body_id", "body")
	}
	b := council.AppendRow(nil, header...)
	reserved := 0
	for i := range votes {
		v := &votes[i]
		row := []string{strconv.FormatInt(v.ID, 10), strconv.FormatInt(v.MeetingID, 10), v.MeetingDate.String(),
			strconv.FormatInt(v.ItemID, 10), council.Text(v.ItemNumber), v.ItemTitle, council.Text(v.Topic),
			strconv.Itoa(v.MotionSeq), v.MotionText, string(v.Result), v.ResultRaw, strconv.Itoa(v.AyesCount),
			strconv.Itoa(v.NaysCount), strconv.FormatBool(v.Unanimous), strconv.FormatBool(v.ViaConsent),
			council.Text(v.MoverName), council.Text(v.SeconderName)}
		for _, position := range council.Positions() {
			row = append(row, strings.Join(namesOf(v.Positions, position), "; "))
		}
		row = append(row, v.SourceURL, place.page(v), corrected[v.ID])
		if several {
			row = append(row, strconv.FormatInt(*v.BodyID, 10), *v.BodyName)
		}
		b = council.AppendRow(b, row...)
		if i%1000 == 0 {
			if err := c.Reserve(ctx, len(b)-reserved); err != nil {
				return nil, err
			}
			reserved = len(b)
		}
	}
	return b, nil
}

func namesOf(roll []civic.VotePosition, position council.Position) []string {
	var names []string
	for _, p := range roll {
		if p.Position == position {
			names = append(names, p.MemberName)
		}
	}
	return names
}

package councilapi

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A FoundVote is a vote with what it was about.
type FoundVote struct {
	Vote
	ItemTitle  string         `json:"item_title" doc:"Title of the agenda item."`
	ItemNumber *string        `json:"item_number" doc:"Its number as printed."`
	Topic      *council.Topic `json:"topic" doc:"Of the item; machine-assigned, null when unclassified."`
}

// A foundWish is a voteWish with words.
type foundWish struct {
	voteWish
	Q *string `query:"q" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Full-text search over title and summary of the item: words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"\"street sweeping\" -contract"`
}

type foundParams struct {
	wire.Keyset
	links
	foundWish
}

// A foundFile is what the file of a search asks: all that was found, up to [mostFound].
type foundFile struct {
	links
	foundWish
	After *string `arg:"after"`
	Fetch int     `arg:"limit"`
}

// mostFound is how many votes the file of a search has.
const mostFound = 20_000

type (
	foundByText struct {
		foundParams
		Few int
	}
	foundFileByText struct {
		foundFile
		Few int
	}
)

const selectFound = `
	SELECT` + voteColumns + `,` + rollColumn + `, i.title AS item_title, i.item_number, v.topic`

// Two queries, as for items: in the order of the list, and from the few items with rare words.
var (
	foundInOrder = selectFound + `
		FROM council.vote v
		JOIN council.item i ON i.id = v.item_id` + voteSources + whereVote + `
		  AND (@q::text IS NULL OR i.search @@ websearch_to_tsquery('english', council.fold(@q)))` + foundOrder
	foundFromItems = selectFound + `
		FROM (SELECT id FROM council.item WHERE search @@ websearch_to_tsquery('english', council.fold(@q)) LIMIT @few + 1) hit
		JOIN council.vote v ON v.item_id = hit.id
		JOIN council.item i ON i.id = v.item_id` + voteSources + whereVote + foundOrder

	foundRows       = rest.SQL[foundParams, FoundVote](foundInOrder)
	foundRowsByText = rest.SQL[foundByText, FoundVote](foundFromItems)
	foundAll        = rest.SQL[foundFile, FoundVote](foundInOrder)
	foundAllByText  = rest.SQL[foundFileByText, FoundVote](foundFromItems)
)

const foundOrder = `
	ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord
	LIMIT @limit`

// few reports whether a search has so few hits that it is answered from them.
func (w *foundWish) few(ctx context.Context, c *rest.Call) (bool, error) {
	if w.Q == nil {
		return false, nil
	}
	hits, err := itemHits.One(ctx, c, searchArgs{*w.Q, fewHits})
	return hits <= fewHits, err
}

func searchVotes(ctx context.Context, c *rest.Call, p foundParams) (wire.Page[FoundVote], error) {
	p.Base = c.URL("")
	few, err := p.few(ctx, c)
	if err != nil {
		return wire.Page[FoundVote]{}, err
	}
	if few {
		return wire.Walk(ctx, c, foundRowsByText, foundByText{p, fewHits})
	}
	return wire.Walk(ctx, c, foundRows, p)
}

// listFound lists what a search finds, newest first, at most so many.
func listFound(ctx context.Context, c *rest.Call, w foundWish, most int) ([]FoundVote, error) {
	p := foundFile{links: links{c.URL("")}, foundWish: w, Fetch: most}
	few, err := w.few(ctx, c)
	if err != nil {
		return nil, err
	}
	if few {
		return foundAllByText.List(ctx, c, foundFileByText{p, fewHits})
	}
	return foundAll.List(ctx, c, p)
}

func voteSearchEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "searchVotes", Path: "/search/votes", Tag: "Votes", Summary: "Votes with the titles of their items, by words and filters",
			Doc: "The filters of /votes and words. The same list is to be had as an Atom feed and as a CSV file.", Queries: rest.Queries(itemHits, foundRows, foundRowsByText)}, searchVotes),
		rest.Bytes(rest.Spec{ID: "searchVotesFeed", Path: "/search/votes.atom", Tag: "Feeds", Summary: "What a search for votes finds as an Atom feed", Doc: feedDoc,
			Queries: rest.Queries(councilName, itemHits, foundAll, foundAllByText)}, atomMedia,
			func(ctx context.Context, c *rest.Call, p foundWish) (rest.File, error) {
				found, err := listFound(ctx, c, p, feedLength)
				if err != nil {
					return rest.File{}, err
				}
				votes := make([]feedVote, len(found))
				for i, v := range found {
					votes[i] = feedVote{ID: v.ID, Title: v.ItemTitle, MeetingDate: v.MeetingDate, MotionText: v.MotionText, ResultRaw: v.ResultRaw, Result: v.Result,
						AyesCount: v.AyesCount, NaysCount: v.NaysCount, ParsedAt: v.ParsedAt, SourceURL: v.SourceURL}
				}
				return atom(ctx, c, "votes", c.URL("/search/votes")+queryOf(c), votes)
			}),
		rest.Bytes(rest.Spec{ID: "searchVotesTable", Path: "/search/votes.csv", Tag: "Votes", Summary: "What a search for votes finds as CSV",
			Doc:     fmt.Sprintf("UTF-8 with a header row, RFC 4180, a row for each vote, newest meeting first; at most %d rows, /export/ has all votes. Names of a roll are joined by \"; \". ", mostFound) + formulaDoc,
			Queries: rest.Queries(itemHits, foundAll, foundAllByText)}, "text/csv",
			func(ctx context.Context, c *rest.Call, p foundWish) (rest.File, error) {
				found, err := listFound(ctx, c, p, mostFound)
				if err != nil {
					return rest.File{}, err
				}
				body, err := foundCSV(ctx, c, found)
				return rest.File{Body: body, Name: "votes.csv", Attachment: true}, err
			}),
	}
}

// queryOf is the query of a request with its question mark.
func queryOf(c *rest.Call) string { return strings.TrimPrefix(c.SelfQuery(), c.Self()) }

// foundCSV writes votes as a table. Its columns have the names of those of the export.
func foundCSV(ctx context.Context, c *rest.Call, votes []FoundVote) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	row := []string{"vote_id", "meeting_id", "meeting_date", "item_id", "item_number", "item_title", "topic", "motion_seq", "motion_text", "result", "result_raw",
		"ayes_count", "nays_count", "unanimous", "via_consent", "mover", "seconder", "ayes", "nays", "abstentions", "absences", "recusals", "source_url"}
	_ = w.Write(row) // to memory: cannot fail
	taken := 0
	for i := range votes {
		v := &votes[i]
		row = append(row[:0], strconv.FormatInt(v.ID, 10), strconv.FormatInt(v.MeetingID, 10), v.MeetingDate.String(), strconv.FormatInt(v.ItemID, 10), textOr(v.ItemNumber), v.ItemTitle,
			textOr(v.Topic), strconv.Itoa(v.MotionSeq), v.MotionText, string(v.Result), v.ResultRaw, strconv.Itoa(v.AyesCount), strconv.Itoa(v.NaysCount),
			strconv.FormatBool(v.Unanimous), strconv.FormatBool(v.ViaConsent), textOr(v.MoverName), textOr(v.SeconderName))
		for _, position := range council.Positions() {
			row = append(row, strings.Join(namesOf(v.Positions, position), "; "))
		}
		row = append(row, v.SourceURL)
		for j, cell := range row {
			if council.StartsFormula(cell) {
				row[j] = "'" + cell
			}
		}
		_ = w.Write(row)
		if i%1000 == 0 {
			if err := c.Take(ctx, b.Len()-taken); err != nil {
				return nil, err
			}
			taken = b.Len()
		}
	}
	w.Flush()
	return b.Bytes(), nil
}

// namesOf are the names of a roll with one position.
func namesOf(roll []VotePosition, position council.Position) []string {
	var names []string
	for _, p := range roll {
		if p.Position == position {
			names = append(names, p.MemberName)
		}
	}
	return names
}

// textOr is a text that may be missing.
func textOr[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

package councilapi

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/marked"
)

// The archived copies: the PDF exactly as fetched, and the text that the parser read.

type archivedRow struct {
	DocumentID int64
	SHA256     []byte `db:"sha256"`
	Size       int64
	FetchedAt  rest.Time
}

var archivedPDF = rest.SQL[idParams, archivedRow](`
	SELECT d.document_id, d.sha256, d.size, n.fetched_at
	FROM council.meeting m
	JOIN council.minutes n ON n.minutes_id = m.minutes_id
	JOIN council.document d ON d.document_id = n.document_id
	WHERE m.iqm2_id = @id AND d.media_type = 'application/pdf'`)

type sliceArgs struct {
	Document int64
	From     int64
	Length   int64
}

// The column is stored uncompressed, so that a slice reads only its own pages. It is null if the bytes are in the object store.
var documentSlice = rest.SQL[sliceArgs, []byte](`SELECT substring(content FROM @from::integer FOR @length::integer) FROM council.document WHERE document_id = @document`)

var archivedText = rest.SQL[idParams, string](`
	SELECT t.text
	FROM council.meeting m
	JOIN council.minutes n ON n.minutes_id = m.minutes_id
	JOIN council.document_text t ON t.document_id = n.document_id
	WHERE m.iqm2_id = @id AND t.text IS NOT NULL`)

func minutesEndpoints(store *objects.Store) rest.Table {
	return rest.Table{
		rest.Stream(rest.Spec{ID: "getMinutesPDF", Path: "/meetings/{id}/minutes.pdf", Tag: "Meetings", Summary: "The archived minutes, exactly as fetched",
			NotFound: "unknown meeting, or no archived minutes", Queries: rest.Queries(archivedPDF, documentSlice)}, "application/pdf",
			func(ctx context.Context, c *rest.Call, p idParams) (rest.File, error) {
				row, err := archivedPDF.One(ctx, c, p)
				if err != nil {
					return rest.File{}, missing(err, "archived minutes PDF of meeting", p.ID)
				}
				read := func(ctx context.Context, from, length int64) ([]byte, error) {
					b, err := documentSlice.One(ctx, c, sliceArgs{row.DocumentID, from + 1, length}) // SQL counts from 1
					if err == nil && b == nil {
						return store.Slice(ctx, row.SHA256, from, length)
					}
					return b, err
				}
				return rest.File{Content: newPieces(ctx, row.Size, read), Name: fmt.Sprintf("minutes-%d.pdf", p.ID),
					Tag: hex.EncodeToString(row.SHA256), Modified: row.FetchedAt.Time}, nil
			}),
		rest.Bytes(rest.Spec{ID: "getMinutesText", Path: "/meetings/{id}/minutes.txt", Tag: "Meetings", Summary: "The text that the votes were read from",
			Doc: "UTF-8 with a form feed between pages: exactly the bytes that the parser read.", NotFound: "unknown meeting, or no archived minutes",
			Queries: rest.Queries(archivedText)}, "text/plain",
			func(ctx context.Context, c *rest.Call, p idParams) (rest.File, error) {
				text, err := archivedText.One(ctx, c, p)
				if err != nil {
					return rest.File{}, missing(err, "archived minutes text of meeting", p.ID)
				}
				return rest.File{Body: []byte(text), Name: fmt.Sprintf("minutes-%d.txt", p.ID)}, nil
			}),
	}
}

// A MinutesPage is one page of the archived text, with the votes that stand on it.
type MinutesPage struct {
	MeetingID int64        `json:"meeting_id" doc:"The meeting: iqm2_id."`
	Page      int          `json:"page" doc:"The page, from 1; that of the PDF, if the minutes are one."`
	Pages     int          `json:"pages" doc:"Number of pages of the text."`
	Lines     []string     `json:"lines" doc:"The text line by line, exactly as the parser read it."`
	Votes     []MarkedVote `json:"votes" doc:"Votes that are printed here, in document order. A vote that cannot be found with its result and every name is left out."`
	SourceURL string       `json:"source_url" format:"uri" doc:"The minutes, at this page (#page=N) if they are a PDF."`
	TextURL   string       `json:"text_url" format:"uri" doc:"The whole text."`
}

// A MarkedVote is where a vote is printed.
type MarkedVote struct {
	VoteID    int64 `json:"vote_id" doc:"The vote."`
	ItemID    int64 `json:"item_id" doc:"Its agenda item."`
	FirstLine int   `json:"first_line" doc:"First line on this page with the vote's result or roll, from 1. It is 1 if the vote began on the page before."`
	LastLine  int   `json:"last_line" doc:"Last such line."`
}

type minutesPageParams struct {
	ID   int64 `path:"id" min:"1" doc:"The meeting."`
	Page int   `path:"page" min:"1" max:"100000" doc:"The page, from 1."`
}

func minutesPageEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "getMinutesPage", Path: "/meetings/{id}/minutes/{page}", Tag: "Meetings", Summary: "One page of the archived text, with the lines of each vote",
			Doc:      "The lines of a vote are found by what was read of it: its printed result and the names of mover, seconder and roll. Votes of the consent calendar share the lines of their one roll call.",
			NotFound: "unknown meeting, no archived text, or no such page", Queries: rest.Queries(oneMeeting, archivedText, votesOfMeeting)}, getMinutesPage),
	}
}

func getMinutesPage(ctx context.Context, c *rest.Call, p minutesPageParams) (MinutesPage, error) {
	id := idParams{p.ID}
	args := idLinks{id, links{c.URL("")}}
	text, err := archivedText.One(ctx, c, id)
	if err != nil {
		return MinutesPage{}, missing(err, "archived minutes text of meeting", p.ID)
	}
	pages := marked.Pages(text)
	if p.Page > len(pages) {
		return MinutesPage{}, rest.NotFound("the minutes of meeting %d have %d pages", p.ID, len(pages))
	}
	m, err := oneMeeting.One(ctx, c, args)
	if err != nil {
		return MinutesPage{}, missing(err, "meeting", p.ID)
	}
	votes, err := votesOfMeeting.List(ctx, c, args)
	if err != nil {
		return MinutesPage{}, err
	}
	number := strconv.FormatInt(p.ID, 10)
	page := MinutesPage{MeetingID: p.ID, Page: p.Page, Pages: len(pages), Lines: pages[p.Page-1], Votes: []MarkedVote{}, TextURL: c.URL("/meetings/{id}/minutes.txt", number)}
	page.SourceURL = page.TextURL
	switch {
	case m.ArchivedMinutesURL == nil:
	case m.MinutesURL != nil:
		page.SourceURL = *m.MinutesURL + "#page=" + strconv.Itoa(p.Page)
	default:
		page.SourceURL = *m.ArchivedMinutesURL + "#page=" + strconv.Itoa(p.Page)
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

// printedVotes is what to look for in the text.
func printedVotes(votes []Vote) []marked.Vote {
	all := make([]marked.Vote, len(votes))
	for i := range votes {
		v := &votes[i]
		one := marked.Vote{ID: v.ID, Result: v.ResultRaw, Shared: v.ViaConsent}
		one.Page, _ = strconv.Atoi(sourcePage(v.SourceURL)) // 0 where it is not known
		for _, name := range []*string{v.MoverName, v.SeconderName} {
			if name != nil {
				one.Names = append(one.Names, *name)
			}
		}
		for _, p := range v.Positions {
			one.Names = append(one.Names, p.MemberName)
		}
		all[i] = one
	}
	return all
}

// pieces reads a large value from the database, a slice at a time, as fast as the
// client accepts it. It is an io.ReadSeeker.
type pieces struct {
	ctx  context.Context
	size int64
	read func(ctx context.Context, from, length int64) ([]byte, error)

	at     int64
	buf    []byte // read ahead
	bufEnd int64  // end of buf
}

const (
	// sliceSize is how much is read ahead. It is less than pkg/rest reserves for an open download.
	sliceSize = 192 << 10
	// sliceTimeout bounds one slice. The whole text may take as long as the client needs.
	sliceTimeout = 10 * time.Second
)

func newPieces(ctx context.Context, size int64, read func(ctx context.Context, from, length int64) ([]byte, error)) *pieces {
	return &pieces{ctx: context.WithoutCancel(ctx), size: size, read: read}
}

func (s *pieces) Read(p []byte) (int, error) {
	if s.at >= s.size {
		return 0, io.EOF
	}
	start := s.bufEnd - int64(len(s.buf))
	if s.at < start || s.at >= s.bufEnd {
		ctx, cancel := context.WithTimeout(s.ctx, sliceTimeout)
		defer cancel()
		b, err := s.read(ctx, s.at, min(sliceSize, s.size-s.at))
		if err != nil {
			return 0, fmt.Errorf("read archived bytes: %w", err)
		}
		if len(b) == 0 {
			return 0, io.ErrUnexpectedEOF
		}
		s.buf, s.bufEnd, start = b, s.at+int64(len(b)), s.at
	}
	n := copy(p, s.buf[s.at-start:])
	s.at += int64(n)
	return n, nil
}

func (s *pieces) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start")
	}
	s.at = offset
	return offset, nil
}

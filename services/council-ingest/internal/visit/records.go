package visit

import (
	"context"
	"errors"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Some councils publish no minutes as a document: the portal then holds them as
// vote records on the pages of the legislative files. They are put together to one
// HTML page, which is archived like any document, read as text in the form of
// minutes, and parsed by the one parser that there is.

// noneOfThem is how many files' pages are asked for of a meeting when each is refused: then the portal has none, or none for now.
const noneOfThem = 10

// fetchRecords returns the vote records of a meeting as a document; nil if there is none, or when it is
// archived already. A file whose page is refused is left out, and the document says so. The refusal is an error as well until the same document comes
// again: it may pass.
func (v *visitor) fetchRecords(ctx context.Context, source portal.TableSource, row listed, page portal.Detail) (*archive.Document, error) {
	p := doctext.NewRecords(row.Title, row.Starts)
	fetched, beyond := 0, 0
	var refused []error
	for _, e := range page.Items {
		if e.Section {
			p.Section(strings.TrimSpace(e.Number + " " + e.Title))
			continue
		}
		if e.LegifileID == 0 {
			continue
		}
		if fetched == doctext.MaxFiles {
			beyond++
			continue
		}
		fetched++
		records, err := source.Tables(ctx, e)
		if forbidden := v.forbidden(err); forbidden || portal.Refused(err) {
			if !forbidden {
				refused = append(refused, err)
			}
			if len(refused) == noneOfThem && fetched == noneOfThem {
				break
			}
			p.LeftOut(council.CodeUnreadable, "the page of file %d (%s) could not be had from the portal; its votes are missing", e.LegifileID, strings.TrimSpace(e.Number+" "+e.Title))
			continue
		}
		if err != nil {
			return nil, err
		}
		p.File(e.Number, e.Title)
		for _, r := range records {
			if r.MeetingID != row.ID {
				continue
			}
			p.Vote(r.Rows)
		}
	}
	if p.Votes == 0 {
		return nil, errors.Join(refused...)
	}
	if beyond > 0 {
		p.LeftOut(council.CodeTextCut, "the meeting has %d files, of which the first %d are read; votes of the others are missing", fetched+beyond, fetched)
	}
	url := row.URL
	doc := &archive.Document{Bytes: p.Bytes(), MediaType: "text/html", URL: &url, Fetched: v.Now()}
	have, err := archive.LatestFrom(ctx, v.Deps.DB, row.id, url)
	if err != nil {
		return nil, desk.Unstored(err)
	}
	if doc.Is(have.SHA256) {
		return nil, nil
	}
	doc.Text, err = doctext.Read(ctx, doc.Bytes)
	return doc, errors.Join(append(refused, err)...)
}

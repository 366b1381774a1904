package visit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// findMinutes returns the minutes of a meeting and the link that leads to them; no document when
// there are none, or when it is the one that is archived already, and no link when no minutes are
// shown. Of the documents that count the first wins that the portal has a file of.
func (v *visitor) findMinutes(ctx context.Context, row listed, page portal.Detail,
	docs []portal.Document) (doc *archive.Document, link *string, err error) {
	var missing error
	var scan *archive.Document // that cannot be read, while the portal may have its text
	all := portal.FindAll(docs, v.src.Documents...)
	for i, d := range all {
		if link == nil {
			link = &d.URL
		}
		if row.State.IsCancelled() {
			return nil, link, nil
		}
		doc, err := v.fetchMinutes(ctx, row.id, d.URL)
		if v.forbidden(err) {
			continue
		}
		if portal.IsRefused(err) {
			missing = errors.Join(missing, err)
			continue
		}
		texts := slices.ContainsFunc(all[i+1:], func(o portal.Document) bool {
			return o.Kind == d.Kind && o.Format == portal.Text
		})
		if err == nil && doc != nil && !doc.Verdict.Readable() && (texts || scan != nil) {
			scan = cmp.Or(scan, doc)
			continue
		}
		return doc, &d.URL, err
	}
	source, tables := v.source.(portal.VoteTableReader)
	if scan == nil && tables && missing == nil && link == nil && page.HasMinutes && !row.State.IsCancelled() {
		doc, err = v.fetchRecords(ctx, source, row, page)
		return doc, nil, err
	}
	if scan != nil {
		missing = nil
	}
	return scan, link, missing
}

// fetchTries is how often a document is fetched that cannot be read.
const fetchTries = 3

// fetchMinutes returns the document behind a link; nil when it is the one that is
// archived already, or when a page behind the link says that there is none yet.
func (v *visitor) fetchMinutes(ctx context.Context, meeting int64, url string) (*archive.Document, error) {
	have, err := archive.LatestValidators(ctx, v.Deps.DB, meeting, url)
	if err != nil {
		return nil, writer.MarkStorage(err)
	}
	var before *archive.Document
	for try := 1; ; try++ {
		doc, err := v.fetchDocument(ctx, url, have, before)
		if err != nil || doc == nil {
			return nil, err
		}
		// Under load a portal answers 200 with a page that says so, or with a part of the document. The
		// link may also lead to such a thing for good: then it is archived as what it is.
		if doc.Verdict.Readable() || try == fetchTries || doc == before {
			return doc, nil
		}
		before = doc
	}
}

// fetchDocument returns the document behind a link once; nil as fetchMinutes does, and before if it
// has not changed since.
func (v *visitor) fetchDocument(ctx context.Context, url string, have archive.Validators,
	before *archive.Document) (*archive.Document, error) {
	file, err := v.source.File(ctx, url, have.Validators, doctext.MaxBytes)
	if err != nil || file.NotModified || bytes.Equal(have.SHA256, file.SHA256[:]) {
		return nil, err
	}
	if before != nil && bytes.Equal(before.Bytes, file.Bytes) {
		return before, nil
	}
	kind := doctext.MediaType(file.Bytes)
	var unseen error // what the frame shows may be the minutes
	if inner := portal.FramedURL(file.Bytes, url); kind == "text/html" && inner != "" {
		shown, err := v.source.File(ctx, inner, portal.Validators{}, doctext.MaxBytes)
		if err == nil && bytes.Equal(have.SHA256, shown.SHA256[:]) {
			return nil, nil
		}
		if err != nil && !portal.IsRefused(err) && !errors.Is(err, portal.ErrForbidden) && !errors.Is(err, fetch.ErrTooLarge) &&
			!errors.Is(err, fetch.ErrPrivate) {
			unseen = err
		}
		if in := doctext.MediaType(shown.Bytes); err == nil && in != "text/html" {
			file, kind = shown, in
			file.Validators = portal.Validators{} // they are of another address
		}
	}
	text, err := doctext.Read(ctx, file.Bytes)
	if err != nil {
		return nil, err
	}
	if kind == "text/html" && !text.Verdict.Readable() && (unseen != nil || portal.IsUnpublished(file.Bytes)) {
		return nil, unseen
	}
	return &archive.Document{Bytes: file.Bytes, MediaType: kind, URL: &url, Fetched: v.Now(), ETag: file.ETag,
		LastModified: file.LastModified, Text: text}, nil
}

// Some councils publish no minutes as a document: the portal then holds them as
// vote records on the pages of the legislative files. They are put together to one
// HTML page, which is archived like any document, read as text in the form of
// minutes, and parsed by the one parser that there is.

// noneOfThem is how many files' pages are asked for of a meeting when each is refused: then the
// portal has none, or none for now.
const noneOfThem = 10

// fetchRecords returns the vote records of a meeting as a document; nil if there is none, or when
// it is archived already. A file whose page is refused is left out, and the document says so. The
// refusal is an error as well until the same document comes again: it may pass.
func (v *visitor) fetchRecords(ctx context.Context, source portal.VoteTableReader, row listed,
	page portal.Detail) (*archive.Document, error) {
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
		records, err := source.VoteTables(ctx, e)
		if forbidden := v.forbidden(err); forbidden || portal.IsRefused(err) {
			if !forbidden {
				refused = append(refused, err)
			}
			if len(refused) == noneOfThem && fetched == noneOfThem {
				break
			}
			p.LeftOut(council.CodeUnreadable, "the page of file %d (%s) could not be had from the portal; its votes are missing",
				e.LegifileID, strings.TrimSpace(e.Number+" "+e.Title))
			continue
		}
		if err != nil {
			return nil, err
		}
		p.File(e.Number, e.Title)
		for _, r := range records {
			if r.MeetingID == row.ID {
				p.Vote(r.Rows)
			}
		}
	}
	if p.Votes == 0 {
		return nil, errors.Join(refused...)
	}
	if beyond > 0 {
		p.LeftOut(council.CodeTextCut, "the meeting has %d files, of which the first %d are read; votes of the others are "+
			"missing", fetched+beyond, fetched)
	}
	url := row.URL
	doc := &archive.Document{Bytes: p.Bytes(), MediaType: "text/html", URL: &url, Fetched: v.Now()}
	have, err := archive.LatestValidators(ctx, v.Deps.DB, row.id, url)
	if err != nil {
		return nil, writer.MarkStorage(err)
	}
	if sum := sha256.Sum256(doc.Bytes); bytes.Equal(sum[:], have.SHA256) {
		return nil, nil
	}
	doc.Text, err = doctext.Read(ctx, doc.Bytes)
	return doc, errors.Join(append(refused, err)...)
}

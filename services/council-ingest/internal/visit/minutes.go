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

// findMinutes returns the new minutes of a meeting. It returns nil if they are already archived or
// there are none. It also returns the link to the minutes, or nil if the portal shows none. It uses
// the first configured document that the portal has.
func (v *visitor) findMinutes(ctx context.Context, row listed, page portal.Detail,
	docs []portal.Document) (doc *archive.Document, link *string, err error) {
	var missing error
	var scan *archive.Document // an unreadable document, whose text the portal may have elsewhere
	all := portal.FindAll(docs, v.documents(row)...)
	for i, d := range all {
		link = cmp.Or(link, &d.URL)
		if row.State.IsCancelled() {
			return nil, link, nil
		}
		doc, err := v.fetchMinutes(ctx, row.id, d.URL)
		if v.isForbidden(err) {
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
	reader, ok := v.reader.(portal.VoteTableReader)
	if scan == nil && ok && missing == nil && link == nil && page.HasMinutes && !row.State.IsCancelled() {
		doc, err = v.fetchVoteTables(ctx, reader, row, page)
		return doc, nil, err
	}
	if scan != nil {
		missing = nil
	}
	return scan, link, missing
}

// fetchMinutes returns the document at a link. It returns nil if the document is already archived,
// or if the page says that there is none yet.
func (v *visitor) fetchMinutes(ctx context.Context, meeting int64, url string) (*archive.Document, error) {
	have, err := archive.LatestValidators(ctx, v.Deps.DB, meeting, url)
	if err != nil {
		return nil, writer.MarkStorage(err)
	}
	want := portal.FileRequest{URL: url, Validators: have.Validators, MaxBytes: doctext.MaxBytes, Tries: portal.MaxTries}
	var before *archive.Document
	for {
		doc, tries, err := v.fetchDocument(ctx, want, have.SHA256, before)
		if err != nil || doc == nil {
			return nil, err
		}
		// An overloaded portal answers 200 with an error page or with a part of the document. If retries
		// do not help, the document is archived as it is.
		want.Tries -= tries
		if doc.Verdict.Readable() || want.Tries <= 0 || doc == before {
			return doc, nil
		}
		before = doc
	}
}

// fetchDocument fetches a document, and returns the number of attempts. If the bytes have not
// changed, it returns before. have is the hash of the archived document.
func (v *visitor) fetchDocument(ctx context.Context, want portal.FileRequest, have []byte,
	before *archive.Document) (doc *archive.Document, tries int, err error) {
	file, err := v.reader.File(ctx, want)
	if err != nil || file.NotModified || bytes.Equal(have, file.SHA256[:]) {
		return nil, file.Tries, err
	}
	if before != nil && bytes.Equal(before.Bytes, file.Bytes) {
		return before, file.Tries, nil
	}
	url, tries := want.URL, file.Tries
	kind := doctext.MediaType(file.Bytes)
	var embedded error
	if inner := portal.FramedURL(file.Bytes, url); kind == "text/html" && inner != "" {
		shown, err := v.reader.File(ctx, portal.FileRequest{URL: inner, MaxBytes: doctext.MaxBytes})
		if err == nil && bytes.Equal(have, shown.SHA256[:]) {
			return nil, tries, nil
		}
		if err != nil && !portal.IsRefused(err) && !errors.Is(err, portal.ErrForbidden) &&
			!errors.Is(err, fetch.ErrTooLarge) &&
			!errors.Is(err, fetch.ErrPrivate) {
			embedded = err
		}
		if in := doctext.MediaType(shown.Bytes); err == nil && in != "text/html" {
			file, kind = shown, in
			file.Validators = portal.Validators{} // they belong to another address
		}
	}
	text, err := doctext.Read(ctx, file.Bytes)
	if err != nil {
		return nil, tries, err
	}
	if kind == "text/html" && !text.Verdict.Readable() && (embedded != nil || portal.IsUnpublished(file.Bytes)) {
		return nil, tries, embedded
	}
	return &archive.Document{Bytes: file.Bytes, MediaType: kind, URL: &url, Fetched: v.Now(), ETag: file.ETag,
		LastModified: file.LastModified, Text: text}, tries, nil
}

// maxRefused bounds the refused requests for pages of items: if the portal refuses this many of a
// meeting's pages and has shown none, the others are not requested.
const maxRefused = 10

// fetchVoteTables makes a document from the vote tables on the pages of legislative files, for
// councils that publish no minutes. The parser reads it like minutes. It returns nil if there are
// no votes, or if the document is already archived. The document notes files whose page was
// refused. A refusal is also an error, until a later visit gives the same document.
func (v *visitor) fetchVoteTables(ctx context.Context, reader portal.VoteTableReader, row listed,
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
		tables, err := reader.VoteTables(ctx, e, row.ID)
		if forbidden := v.isForbidden(err); forbidden || portal.IsRefused(err) {
			if !forbidden {
				refused = append(refused, err)
			}
			if len(refused) == maxRefused && fetched == maxRefused {
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
		for _, rows := range tables {
			p.Vote(rows)
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

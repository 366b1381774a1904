package visit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// findMinutes returns the minutes of a meeting and the link that leads to them; no document when there are none, or when it is the
// one that is archived already, and no link when no minutes are shown. Of the documents that count the first
// wins that the portal has a file of.
func (v *visitor) findMinutes(ctx context.Context, row listed, page portal.Detail, docs []portal.Document) (doc *archive.Document, link *string, err error) {
	var missing error
	var scan *archive.Document // that cannot be read, while the portal may have its text
	off := row.State.Off() || page.State.Off()
	all := portal.FindAll(docs, v.src.Documents...)
	for i, d := range all {
		if link == nil {
			link = &d.URL
		}
		if off {
			return nil, link, nil
		}
		doc, err := v.fetchMinutes(ctx, row.id, d.URL)
		if v.forbidden(err) {
			continue
		}
		if portal.Refused(err) {
			missing = errors.Join(missing, err)
			continue
		}
		texts := slices.ContainsFunc(all[i+1:], func(o portal.Document) bool { return o.Kind == d.Kind && o.Format == portal.Text })
		if err == nil && doc != nil && !doc.Verdict.Readable() && (texts || scan != nil) {
			scan = cmp.Or(scan, doc)
			continue
		}
		return doc, &d.URL, err
	}
	source, tables := v.source.(portal.TableSource)
	if scan == nil && tables && missing == nil && link == nil && page.HasMinutes && !off {
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
	have, err := archive.LatestFrom(ctx, v.Deps.DB, meeting, url)
	if err != nil {
		return nil, desk.Unstored(err)
	}
	var before *archive.Document
	for try := 1; ; try++ {
		doc, err := v.fetchDocument(ctx, url, have, before)
		if err != nil || doc == nil {
			return nil, err
		}
		// Under load a portal answers 200 with a page that says so, or with a part of the document. The link may also lead to
		// such a thing for good: then it is archived as what it is.
		if doc.Verdict.Readable() || try == fetchTries || doc == before {
			return doc, nil
		}
		before = doc
	}
}

// fetchDocument returns the document behind a link once; nil as fetchMinutes does, and before if it has not changed since.
func (v *visitor) fetchDocument(ctx context.Context, url string, have archive.Validators, before *archive.Document) (*archive.Document, error) {
	file, err := v.source.File(ctx, url, have.Validators, doctext.MaxBytes)
	if err != nil || file.NotModified || bytes.Equal(have.SHA256, file.SHA256[:]) {
		return nil, err
	}
	if before != nil && bytes.Equal(before.Bytes, file.Bytes) {
		return before, nil
	}
	kind := doctext.MediaType(file.Bytes)
	var unseen error // what the frame shows may be the minutes
	if inner := portal.Framed(file.Bytes, url); kind == "text/html" && inner != "" {
		shown, err := v.source.File(ctx, inner, portal.Validators{}, doctext.MaxBytes)
		if err == nil && bytes.Equal(have.SHA256, shown.SHA256[:]) {
			return nil, nil
		}
		if err != nil && !portal.Refused(err) && !errors.Is(err, portal.ErrForbidden) && !errors.Is(err, fetch.ErrTooLarge) && !errors.Is(err, fetch.ErrPrivate) {
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
	if kind == "text/html" && !text.Verdict.Readable() && (unseen != nil || portal.IsNotice(file.Bytes)) {
		return nil, unseen
	}
	return &archive.Document{Bytes: file.Bytes, MediaType: kind, URL: &url, Fetched: v.Now(), ETag: file.ETag, LastModified: file.LastModified, Text: text}, nil
}

package councilingest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
)

// recordText is what the archived answers of a portal say, as the text of the document: the same answers give the same text.
func recordText(d portal.Detail) archive.Text {
	said, _ := json.Marshal(d) // strings, numbers and times cannot fail
	text := string(said)
	return archive.Text{Verdict: council.VerdictWhole, Text: &text, Pages: 1, Version: run.Version}
}

// read makes the text of an archived document again: of minutes what the parser will see, of a portal's answers what they say.
func (d *desk) read(ctx context.Context, mediaType, source string, content []byte) (archive.Text, error) {
	if mediaType != portal.MediaType {
		return doctext.Read(ctx, content)
	}
	b, err := portal.ReadBundle(content)
	if err != nil {
		return archive.Text{}, err
	}
	product, known := products.Named(b.Product)
	if !known {
		return archive.Text{}, fmt.Errorf("read answers of a portal: no product is called %q", b.Product)
	}
	detail, err := product.Read(b, d.set.readingOf(source))
	if err != nil {
		return archive.Text{}, fmt.Errorf("read answers of a portal: %w", err)
	}
	return recordText(detail), nil
}

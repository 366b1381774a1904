package doctext

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
)

// Answers is what the archived answers of a portal say, as the text of the document: the same answers give the same text.
func Answers(d portal.Detail) archive.Text {
	said, _ := json.Marshal(d) // strings, numbers and times cannot fail
	text := string(said)
	return archive.Text{Verdict: council.VerdictWhole, Text: &text, Pages: 1, Version: run.Version}
}

// ReadArchived makes the text of an archived document again: of minutes what the parser will see, of a portal's answers what they
// say. reading is how the answers are read.
func ReadArchived(ctx context.Context, mediaType string, content []byte, reading portal.Reading) (archive.Text, error) {
	if mediaType != portal.MediaType {
		return Read(ctx, content)
	}
	b, err := portal.ReadBundle(content)
	if err != nil {
		return archive.Text{}, err
	}
	product, known := products.Named(b.Product)
	if !known {
		return archive.Text{}, fmt.Errorf("read answers of a portal: no product is called %q", b.Product)
	}
	detail, err := product.Read(b, reading)
	if err != nil {
		return archive.Text{}, fmt.Errorf("read answers of a portal: %w", err)
	}
	return Answers(detail), nil
}

package councilapi

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/objects/objectstest"
)

// A document whose bytes are in the object store is served completely and by range.
func TestMinutesFromTheObjectStore(t *testing.T) {
	t.Parallel()
	fake := objectstest.New(t)
	kept := objects.Config{Endpoint: fake.URL, Bucket: objectstest.Bucket, Region: "us-east-1", Key: objectstest.Key,
		Secret: objectstest.Secret, PathStyle: true}
	store, err := objects.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	w, reader, writer := storedWorld(t, 5, 10)
	m := complete(w)
	pdf, path := pdfOf(m), fmt.Sprintf("/v1/meetings/%d/minutes.pdf", m.id)
	if err := store.Put(t.Context(), pdf, "application/pdf"); err != nil {
		t.Fatal(err)
	}
	execSQL(t, writer, `UPDATE council.document SET sha256 = sha256(content), content = NULL WHERE content = $1`, pdf)
	api := documented(t, testServer(t, reader, func(c *Config) { c.Archive = kept }))
	if res := api.Get(t, path); res.Status != 200 || !bytes.Equal(res.Body, pdf) {
		t.Errorf("%d, %d of %d bytes", res.Status, len(res.Body), len(pdf))
	}
	if res := api.Get(t, path, "Range", "bytes=1000-1009"); res.Status != 206 || !bytes.Equal(res.Body, pdf[1000:1010]) {
		t.Errorf("range: %d %q", res.Status, res.Body)
	}
}

package transitapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// The zip of a feed is assembled from the archived zip and changed files, also for ranges.
func TestZipOfAFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.statuses(t, map[string]int{"/feeds/metro/gtfs.zip": 404, "/feeds/nobody/gtfs.zip": 404})
	kept := make([]byte, 5<<20/2)
	for i := range kept {
		kept[i] = byte(i * 7 >> (i % 5))
	}
	own, end := bytes.Repeat([]byte("own "), 1000), []byte("end")
	for n := 0; n<<20 < len(kept); n++ {
		w.exec(t, `INSERT INTO transit.feed_zip (feed_id, sha256, n, data) SELECT feed_id, sha256,
			$1, $2 FROM transit.feed_version WHERE version_id = 2`,
			n, kept[n<<20:min(len(kept), (n+1)<<20)])
	}
	want := bytes.Join([][]byte{own, kept[10 : 2<<20], kept[2<<20-5 : 2<<20+5], end}, nil)
	w.exec(t, `
		INSERT INTO transit.export_piece (version_id, at, bytes, zip_at, data)
		VALUES (2, 0, 4000, NULL, $1), (2, 4000, 2097142, 10, NULL), (2, 2101142, 10, 2097147, NULL),
		  (2, 2101152, 3, NULL, $2)`, own, end)
	whole := w.Get(t, basePath+"/feeds/metro/gtfs.zip")
	if whole.Status != http.StatusOK || !bytes.Equal(whole.Body, want) ||
		whole.Header.Get("Content-Type") != "application/zip" ||
		whole.Header.Get("Content-Disposition") != `attachment; filename=metro.gtfs.zip` || whole.Header.Get("ETag") == "" {
		t.Errorf("%d, %d bytes, %v", whole.Status, len(whole.Body), whole.Header)
	}
	zip := func(status int, headers ...string) []byte {
		t.Helper()
		a := w.Get(t, basePath+"/feeds/metro/gtfs.zip", headers...)
		if a.Status != status {
			t.Errorf("%q: %d, want %d", headers, a.Status, status)
		}
		return a.Body
	}
	for asked, part := range map[string][]byte{
		"bytes=0-3":             want[:4],
		"bytes=3990-4010":       want[3990:4011],
		"bytes=1048000-2101154": want[1048000:],
		"bytes=-7":              want[len(want)-7:],
		"bytes=2101140-2101153": want[2101140:2101154],
	} {
		if got := zip(http.StatusPartialContent, "Range", asked); !bytes.Equal(got, part) {
			t.Errorf("%s: %d bytes, want %d", asked, len(got), len(part))
		}
	}
	zip(http.StatusNotModified, "If-None-Match", whole.Header.Get("ETag"))
	zip(http.StatusRequestedRangeNotSatisfiable, "Range", "bytes=9999999-")

	// The version is replaced while a slow client reads: the download goes on.
	read := 0
	slice := rest.Slices(t.Context(), int64(len(want)), func(ctx context.Context, at, length int64) ([]byte, error) {
		if read++; read == 2 {
			w.exec(t, `UPDATE transit.feed_version SET state = 'retired', retired_at = now() - interval '2 hours'
				WHERE version_id = 2`)
		}
		return static.ExportBytes(ctx, replica.DB{DB: w.db}, 2, at, length)
	})
	got, err := io.ReadAll(slice)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("a slow download: %d bytes of %d, %v", len(got), len(want), err)
	}
}

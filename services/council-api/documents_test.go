package councilapi

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
)

func TestArchivedMinutes(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 5, 10)
	api := documented(t, testServer(t, reader))
	m := complete(w)
	pdf, path := pdfOf(m), fmt.Sprintf("/v1/meetings/%d/minutes.pdf", m.id)

	res := api.Get(t, path)
	if res.Status != 200 || !bytes.Equal(res.Body, pdf) || res.Header.Get("Content-Type") != "application/pdf" ||
		res.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("%d, %d of %d bytes, %v", res.Status, len(res.Body), len(pdf), res.Header)
	}
	if res := api.Get(t, path, "Range", "bytes=1000-1009"); res.Status != 206 || !bytes.Equal(res.Body, pdf[1000:1010]) {
		t.Errorf("range: %d %q", res.Status, res.Body)
	}
	if res := api.Get(t, path, "If-None-Match", res.Header.Get("ETag")); res.Status != 304 || len(res.Body) != 0 {
		t.Errorf("If-None-Match: %d", res.Status)
	}

	res = api.Get(t, fmt.Sprintf("/v1/meetings/%d/minutes.txt", m.id))
	if res.Status != 200 || string(res.Body) != textOf(m) ||
		res.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("text: %d %q %v", res.Status, res.Body, res.Header)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	_, reader, writer := storedWorld(t, 5, 10)
	api := documented(t, testServer(t, reader))
	if res := api.Get(t, "/v1/export/votes.csv"); res.Status != http.StatusNotFound {
		t.Fatalf("before the first export: %d", res.Status)
	}
	for _, text := range []string{"a,b\r\nold\r\n", "a,b\r\n1,2\r\n"} {
		storeExport(t, writer, text)
	}
	res := api.Get(t, "/v1/export/votes.csv")
	rows, err := csv.NewReader(bytes.NewReader(res.Body)).ReadAll()
	if err != nil || string(res.Body) != "a,b\r\n1,2\r\n" || len(rows) != 2 ||
		res.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		!strings.Contains(res.Header.Get("Content-Disposition"), "votes.csv") {
		t.Errorf("%q %v %v", res.Body, res.Header, err)
	}
	if res := api.Get(t, "/v1/export/votes.csv", "Range", "bytes=6-8"); res.Status != 206 || string(res.Body) != ",2\r" {
		t.Errorf("range: %q", res.Body)
	}
}

// storeExport stores a votes.csv as an ingest of an older version did: two chunks of four bytes, and the rest.
func storeExport(t *testing.T, db *pgxpool.Pool, text string) {
	t.Helper()
	_, err := db.Exec(context.Background(), `
		WITH e AS (INSERT INTO council.export (name, media_type, sha256, size, generation, created_at)
		           VALUES ('votes.csv', 'text/csv', sha256($1), length($1), 1, now()) RETURNING export_id)
		INSERT INTO council.export_chunk SELECT export_id, i,
		  substring($1 FROM i * 4 + 1 FOR 4 + i / 2 * length($1)) FROM e, generate_series(0, 2) i`, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
}

// While meetings are added, changed and removed, paging loses and repeats nothing.
func TestWalkWhileAnIngestCommits(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 13, 60)
	api := documented(t, testServer(t, reader))
	want := map[int64]bool{}
	for _, v := range w.votes {
		want[v.id] = true
	}
	ctx := context.Background()
	seen, cursor := map[int64]int{}, ""
	pages := 0
	for {
		var page struct {
			Data       []struct{ ID int64 }
			NextCursor *string `json:"next_cursor"`
		}
		api.Get(t, "/v1/votes?limit=3"+cursor).JSON(t, &page)
		for _, v := range page.Data {
			seen[v.ID]++
		}
		pages++
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
		// The day is before, within or after the pages that were read.
		day := time.Date(2024, 1, 1+pages*3%180, 0, 0, 0, 0, time.UTC)
		_, err := writer.Exec(ctx, `
			WITH m AS (INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at,
			  title, status)
			           VALUES ($1, 'x', 'regular', 'x', $2, $3, 'x', 'complete') RETURNING *),
			     i AS (INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, title, is_consent) SELECT $1,
			       iqm2_id, meeting_date, starts_at, 1, 'x', false FROM m RETURNING *),
			     d AS (UPDATE council.dataset SET generation = generation + 1)
			INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result,
			  result_raw, ayes_count, nays_count, unanimous, via_consent, parse_source, parsed_at)
			SELECT $1, id, iqm2_id, meeting_date, starts_at, 1, 1, '', $4, '', 1, 0, true, false, 'pdf', now() FROM i`,
			100000+pages, day, day.Add(15*time.Hour), council.Adopted)
		if err != nil {
			t.Fatal(err)
		}
	}
	for id, n := range seen {
		if n > 1 {
			t.Errorf("vote %d was listed %d times", id, n)
		}
	}
	for id := range want {
		if seen[id] == 0 {
			t.Errorf("vote %d was lost", id)
		}
	}
	if pages < 50 {
		t.Errorf("the walk had only %d pages", pages)
	}
}

package councilapi

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/services/council-api/internal/files"
)

type exportList struct {
	AsOf       string `json:"as_of"`
	Generation int64
	License    string
	Files      []files.ExportFile
}

func path(url string) string { return strings.TrimPrefix(url, "https://votes.example") }

// The listed files can be downloaded completely, by range and conditionally. They match their
// hashes.
func TestExportListing(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 5, 20)
	srv, exports := testService(t, reader)
	if err := exports.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	api := documented(t, srv)
	var list exportList
	res := api.Get(t, "/v1/export/")
	res.JSON(t, &list)
	if bare := api.For(srv).Get(t, "/v1/export/"); bare.Header.Get("ETag") != res.Header.Get("ETag") {
		t.Errorf("ETags %s, %s", bare.Header.Get("ETag"), res.Header.Get("ETag"))
	}
	if list.AsOf != "2026-11-21T12:00:00Z" || list.Generation != 1 || len(list.Files) != 12 ||
		list.Files[0].Name != "council.sqlite" {
		t.Errorf("%s", res.Body)
	}
	rows := map[string]int64{}
	for _, f := range list.Files {
		res := api.Get(t, path(f.URL))
		sum := sha256.Sum256(res.Body)
		if res.Status != 200 || hex.EncodeToString(sum[:]) != f.SHA256 || int64(len(res.Body)) != f.Size ||
			res.Header.Get("ETag") != `"`+f.SHA256+`"` ||
			!strings.HasPrefix(res.Header.Get("Content-Type"), f.MediaType) ||
			!strings.Contains(res.Header.Get("Content-Disposition"), f.Name) {
			t.Errorf("%s: %d, %d bytes, %v", f.Name, res.Status, len(res.Body), res.Header)
		}
		if res := api.Get(t, path(f.URL), "If-None-Match", `"`+f.SHA256+`"`); res.Status != http.StatusNotModified {
			t.Errorf("%s again: %d", f.Name, res.Status)
		}
		if part := api.Get(t, path(f.URL), "Range", "bytes=3-9"); part.Status != 206 ||
			string(part.Body) != string(res.Body[3:10]) {
			t.Errorf("range of %s: %d %q", f.Name, part.Status, part.Body)
		}
		if f.Rows != nil {
			rows[f.Name] = *f.Rows
		}
		if strings.HasSuffix(f.Name, ".csv") {
			records, err := csv.NewReader(strings.NewReader(string(res.Body))).ReadAll()
			if err != nil || int64(len(records)-1) != *f.Rows {
				t.Errorf("%s: %d records, %v", f.Name, len(records), err)
			}
		}
	}
	if rows["votes.csv"] != int64(len(w.votes)) || rows["items.csv"] != int64(len(w.items)) ||
		rows["changes.csv"] != int64(len(w.changes())) {
		t.Errorf("the listing has the rows %v", rows)
	}
}

// Before the first export and during an export, readers get an answer at once.
func TestReadersNeverWaitForAnExport(t *testing.T) {
	t.Parallel()
	_, reader, writer := storedWorld(t, 5, 10)
	srv, exports := testService(t, reader)
	api := documented(t, srv)
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := exports.Newest(ctx); err == nil {
		t.Error("an export exists before the first run")
	}
	if err := exports.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var before, after exportList
	api.Get(t, "/v1/export/").JSON(t, &before)
	execSQL(t, writer, `UPDATE council.dataset SET generation = generation + 1, updated_at = now(); UPDATE council.meeting
		SET title = 'renamed'`)
	api.Get(t, "/v1/export/").JSON(t, &after)
	if fmt.Sprint(before.Files[0].SHA256, before.Generation) != fmt.Sprint(after.Files[0].SHA256, after.Generation) {
		t.Error("the export changed without a run")
	}
	set, err := exports.Newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old := set.File("meetings.csv").Open()
	if err := exports.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	api.Get(t, "/v1/export/").JSON(t, &after)
	if after.Generation != before.Generation+1 || after.Files[0].SHA256 == before.Files[0].SHA256 {
		t.Errorf("the new export is %+v", after)
	}
	// A download continues with the export with which it began.
	b := make([]byte, 1<<20)
	n, err := old.Read(b)
	if err != nil || n == 0 || strings.Contains(string(b[:n]), "renamed") {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// The listing and the files have the same generation, even if generations change quickly.
func TestExportIsOneSnapshot(t *testing.T) {
	t.Parallel()
	_, reader, writer := storedWorld(t, 5, 10)
	_, exports := testService(t, reader)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			// The titles contain the generation, so two generations in one export would be visible.
			_, err := writer.Exec(context.WithoutCancel(t.Context()), `
				WITH g AS (UPDATE council.dataset SET generation = generation + 1 RETURNING generation),
				     m AS (UPDATE council.meeting SET title = g.generation::text FROM g)
				UPDATE council.item SET title = g.generation::text FROM g`)
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer writing.Wait()
	defer close(stop)
	seen := map[int64]bool{}
	for range 12 {
		if err := exports.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		set, err := exports.Newest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen[set.Generation] = true
		if set.Generation == 1 {
			continue
		}
		for name, column := range map[string]int{"meetings.csv": 6, "items.csv": 6} {
			records, err := csv.NewReader(set.File(name).Open()).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records[1:] {
				if r[column] != fmt.Sprint(set.Generation) {
					t.Fatalf("%s of generation %d has a row of generation %s", name, set.Generation, r[column])
				}
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %d generations", len(seen))
	}
}

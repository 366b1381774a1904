package councilapi

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

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
	w, reader, writer := storedWorld(t, 5, 20)
	srv := testServer(t, reader)
	publishFiles(t, writer)
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

// Before council-ingest has written files, readers get an answer at once. A download continues with
// the files with which it began, while others replace them.
func TestFilesAreReplaced(t *testing.T) {
	t.Parallel()
	_, reader, writer := storedWorld(t, 5, 10)
	execSQL(t, writer, `DELETE FROM council.export`)
	srv := testServer(t, reader)
	api := documented(t, srv)
	for _, path := range []string{"/v1/export/", "/v1/export/council.sqlite", "/v1/export/tables/votes.csv"} {
		if res := api.Get(t, path); res.Status != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "30" {
			t.Errorf("%s before the first files: %d %v", path, res.Status, res.Header)
		}
	}
	if res := api.Get(t, "/v1/export/votes.csv"); res.Status != http.StatusNotFound {
		t.Errorf("votes.csv before the first files: %d", res.Status)
	}
	publishFiles(t, writer)
	var before, after exportList
	api.Get(t, "/v1/export/").JSON(t, &before)
	execSQL(t, writer, `UPDATE council.dataset SET generation = generation + 1, updated_at = now(); UPDATE council.meeting
		SET title = 'renamed'`)
	api.Get(t, "/v1/export/").JSON(t, &after)
	if fmt.Sprint(before.Files[0].SHA256, before.Generation) != fmt.Sprint(after.Files[0].SHA256, after.Generation) {
		t.Error("the files changed before they were written")
	}
	host := httptest.NewServer(srv)
	defer host.Close()
	res, err := host.Client().Get(host.URL + "/v1/export/council.sqlite")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	sum := sha256.New()
	if _, err := io.CopyN(sum, res.Body, 1); err != nil {
		t.Fatal(err)
	}
	publishFiles(t, writer)
	api.Get(t, "/v1/export/").JSON(t, &after)
	if after.Generation != before.Generation+1 || after.Files[0].SHA256 == before.Files[0].SHA256 {
		t.Errorf("the new export is %+v", after)
	}
	if n, err := io.Copy(sum, res.Body); err != nil || n+1 != before.Files[0].Size ||
		hex.EncodeToString(sum.Sum(nil)) != before.Files[0].SHA256 {
		t.Errorf("the download continued with %d bytes of another file, %v", n, err)
	}
	// A table that has not changed keeps its bytes and its hash.
	unchanged := func(list *exportList) string {
		i := slices.IndexFunc(list.Files, func(f files.ExportFile) bool { return f.Name == "members.csv" })
		return list.Files[i].SHA256
	}
	if unchanged(&before) != unchanged(&after) {
		t.Error("members.csv changed")
	}
}

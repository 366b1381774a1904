package gtfsimport_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func TestFetching(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	content, etag := []byte(nil), ""
	asked := []string(nil)
	serve := func(f files, tag string) {
		data, err := os.ReadFile(f.pack(t))
		if err != nil {
			t.Fatal(err)
		}
		content, etag = data, tag
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("If-None-Match")+" "+r.Header.Get("X-Api-Key"))
		if r.URL.Path != "/feed.zip" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(content)
	}))
	defer srv.Close()
	serve(small(), `"1"`)
	req := gtfsimport.Request{Alias: "metro", Source: srv.URL + "/feed.zip?key=secret",
		Headers: map[string]string{"X-Api-Key": "k"}, Check: true}
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), req); err == nil ||
		!strings.Contains(err.Error(), "private") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a private address: %v", err)
	}
	req.AllowPrivate = true
	for i, want := range []gtfsimport.Outcome{gtfsimport.Imported, gtfsimport.Unchanged} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), req)
		if err != nil || r.Outcome != want || strings.Contains(r.Source, "secret") {
			t.Fatalf("import %d: %+v, %v", i, r, err)
		}
	}
	if diff := cmp.Diff([]string{" k", `"1" k`}, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	// The source sends the same bytes with another ETag.
	serve(small(), `"2"`)
	if r, err := gtfsimport.Import(t.Context(), deps(t, db), req); err != nil || r.Outcome != gtfsimport.Unchanged {
		t.Errorf("same bytes, other ETag: %+v, %v", r, err)
	}
	// An import without a source uses the URL of the feed.
	serve(small().with("stops.txt", "Dock", "Pier"), `"3"`)
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", AllowPrivate: true})
	if err != nil || r.Outcome != gtfsimport.Imported || r.Generation != 2 {
		t.Errorf("import from the feed's URL: %+v, %v", r, err)
	}
	req.Source = srv.URL + "/gone.zip"
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), req); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("import from a missing source: %v", err)
	}
	f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro")
	if err != nil || f.CheckError == nil || !strings.Contains(*f.CheckError, "404") || f.URL == nil ||
		strings.Contains(*f.URL, "secret") {
		t.Errorf("feed %+v, %v", f, err)
	}
}

func TestFolderAsSource(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	dir := t.TempDir()
	for name, text := range small() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A link that leads out of the folder is ignored.
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "fare_attributes.txt")); err != nil {
		t.Fatal(err)
	}
	for i, want := range []gtfsimport.Outcome{gtfsimport.Imported, gtfsimport.Unchanged} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: dir})
		if err != nil || r.Outcome != want {
			t.Errorf("import %d: %+v, %v", i, r, err)
		}
	}
	load(t, db, "other", small())
	if diff := cmp.Diff(dump(t, db, "other"), dump(t, db, "metro")); diff != "" {
		t.Errorf("zip and folder (-zip +folder):\n%s", diff)
	}
}

func TestOneImportPerFeedAtATime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	path := small().pack(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(inside)
		<-leave
		http.ServeFile(w, r, path)
	}))
	defer slow.Close()
	done := make(chan error)
	go func() {
		_, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: slow.URL,
			AllowPrivate: true})
		done <- err
	}()
	<-inside
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro",
		Source: path}); !errors.Is(
		err, gtfsimport.ErrBusy) {
		t.Errorf("a second import: %v, want ErrBusy", err)
	}
	if _, err := gtfsimport.Import(t.Context(), deps(t, db),
		gtfsimport.Request{Alias: "other", Source: path}); err != nil {
		t.Errorf("import of another feed: %v", err)
	}
	waited := make(chan *gtfsimport.Report)
	go func() {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: path, Wait: true})
		if err != nil {
			t.Error(err)
		}
		waited <- r
	}()
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if r := <-waited; r == nil || r.Outcome != gtfsimport.Unchanged {
		t.Errorf("import that waited: %+v", r)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pipe := filepath.Join(t.TempDir(), "pipe.zip")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]gtfsimport.Request{
		"pipe":         {Alias: "metro", Source: pipe},
		"alias":        {Alias: "../metro", Source: "x.zip"},
		"no source":    {Alias: "metro"},
		"no such file": {Alias: "metro", Source: filepath.Join(t.TempDir(), "missing.zip")},
		"encoding":     {Alias: "metro", Source: small().pack(t), Encoding: "klingon"},
	} {
		if r, err := gtfsimport.Import(t.Context(), deps(t, db), req); err == nil || r != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if got := query(t, db, `SELECT c.relname FROM pg_class c WHERE relnamespace = 'transit'::regnamespace
		AND relispartition`); len(got) > 0 {
		t.Errorf("remaining files: %v", got)
	}
}

// A zip in the zip is read, and so is one of several zips or folders, by its name.
func TestZipInZip(t *testing.T) {
	t.Parallel()
	bus, rail := string(small().bytes(t)), string(small().with("stops.txt", "Dock", "Pier").bytes(t))
	const choose = "choose one with --inner NAME, or with inner in transit.yaml"
	folders := files{}
	for name, text := range small() {
		folders["bus/"+name], folders["rail/"+name] = text, text
	}
	folders["rail/stops.txt"] = strings.Replace(folders["rail/stops.txt"], "Dock", "Pier", 1)
	for _, c := range []struct {
		name        string
		zip         files
		inner       string
		stop, wrong string // the name of stop D, or the error
	}{
		{name: "one", zip: files{"google_transit.zip": bus, "readme.txt": "hello"}, stop: "Dock"},
		{name: "one in a folder", zip: files{"x/google_transit.zip": bus, "__MACOSX/x/._google_transit.zip": "y"},
			stop: "Dock"},
		{name: "two", zip: files{"google_bus.zip": bus, "google_rail.zip": rail},
			wrong: "the zip holds google_bus.zip and google_rail.zip: " + choose},
		{name: "the second", zip: files{"google_bus.zip": bus, "google_rail.zip": rail}, inner: "google_rail.zip",
			stop: "Pier"},
		{name: "none of these", zip: files{"google_bus.zip": bus, "google_rail.zip": rail}, inner: "tram.zip",
			wrong: "the zip holds google_bus.zip and google_rail.zip, and no tram.zip"},
		{name: "two folders", zip: folders, wrong: "in the folders bus and rail: " + choose},
		{name: "the second folder", zip: folders, inner: "rail", stop: "Pier"},
		{name: "a zip beside the feed", zip: small().plus("old.zip", rail), stop: "Dock"},
		{name: "a damaged zip", zip: files{"google_transit.zip": "PK"}, wrong: "open zip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			path := c.zip.pack(t)
			request := gtfsimport.Request{Alias: "metro", Source: path, Inner: c.inner, Wait: true}
			r, err := gtfsimport.Import(t.Context(), deps(t, db), request)
			if c.wrong != "" {
				if !errors.Is(err, gtfsimport.ErrRefused) || !strings.Contains(r.Reason, c.wrong) {
					t.Errorf("%v, want %q", err, c.wrong)
				}
				request.Check = true
				if _, err = gtfsimport.Import(t.Context(), deps(t, db), request); !errors.Is(err, gtfsimport.ErrRefused) ||
					!strings.Contains(err.Error(), "as before") {
					t.Errorf("again: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := query(t, db, `SELECT stop_name FROM transit.stops WHERE stop_id = 'D'`); len(got) != 1 ||
				got[0] != c.stop {
				t.Errorf("stop D is %v, want %s", got, c.stop)
			}
			request.Inner = "" // the last one
			if r, err := gtfsimport.Import(t.Context(), deps(t, db), request); err != nil || r.Outcome != gtfsimport.Unchanged {
				t.Errorf("again: %+v, %v", r, err)
			}
			if _, err := gtfsimport.Reimport(t.Context(), deps(t, db), "metro", nil); err != nil {
				t.Errorf("from the stored zip: %v", err)
			}
		})
	}
}

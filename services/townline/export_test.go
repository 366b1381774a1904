package townline_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkExport downloads the zip of a feed from the API and checks that it is complete. For the
// demo, the files must equal the imported ones byte for byte.
func checkExport(t *testing.T, base, alias, file string) {
	t.Helper()
	status, body := ask(t, base+"/feeds/"+alias+"/gtfs.zip")
	if status != http.StatusOK {
		t.Fatalf("zip of %s: %d %s", alias, status, body)
	}
	got := unpacked(t, body)
	if alias != "demo" {
		return
	}
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unpacked(t, was), got); diff != "" {
		t.Errorf("files of the zip (-want +got):\n%s", diff)
	}
}

// unpacked returns the files of a zip by name.
func unpacked(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range z.File {
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name] = string(text)
	}
	return all
}

package councilapi

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/townline/townline/pkg/rest"
)

// clients is the Go module in which clients are generated.
const clients = "../../scripts/clients"

// A client that is generated from openapi.json alone compiles and reads every endpoint. The test
// takes longer than all others together, so only `make check` runs it, by name.
func TestGeneratedClient(t *testing.T) {
	if os.Getenv("TOWNLINE_CLIENTS") == "" {
		t.Skip("TOWNLINE_CLIENTS is not set; make check sets it")
	}
	t.Parallel()
	reader, writer := testDB(t)
	w := newWorld(5, 60)
	for i := range w.meetings {
		w.meetings[i].pdf = true
	}
	w.store(t, writer)
	storeExport(t, writer, "a,b\r\n1,2\r\n")
	var srv *rest.Server
	http := httptest.NewUnstartedServer(nil)
	address := "http://" + http.Listener.Addr().String()
	srv = testServer(t, reader, func(c *Config) { c.PublicURL = address })
	http.Config.Handler = srv
	http.Start()
	t.Cleanup(http.Close)
	publishFiles(t, writer)

	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(clients)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "council", "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/openapi.json", nil))
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), rec.Body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"tool", "oapi-codegen", "-package", "api", "-generate", "types,client", "-o", "council/api/api.gen.go",
			"openapi.json"},
		{"vet", "./council/..."},
		{"run", "./council", address + basePath},
	} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}

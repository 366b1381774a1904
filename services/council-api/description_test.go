package councilapi

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
)

// The description documents every operation, parameter and field. Its page needs no other host.
func TestDescriptionDocumentsEverything(t *testing.T) {
	t.Parallel()
	srv := testServer(t, pgtest.New(t))
	get := func(path string) []byte {
		rec := httptest.NewRecorder()
		srv.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/v1"+path, nil))
		if rec.Code != 200 {
			t.Fatalf("%s: %d", path, rec.Code)
		}
		return rec.Body.Bytes()
	}
	type described struct {
		Description, Name string
		Properties        map[string]struct{ Description string }
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID, Summary string
			Tags                 []string
			Parameters           []described
			Responses            map[string]struct {
				Description string
				Ref         string `json:"$ref"`
			}
		}
		Components struct{ Schemas, Responses map[string]described }
	}
	if err := json.Unmarshal(get("/openapi.json"), &doc); err != nil {
		t.Fatal(err)
	}
	said := 0
	explained := func(where, text string) {
		if said++; len(strings.TrimSpace(text)) < 5 {
			t.Errorf("%s has no explanation: %q", where, text)
		}
	}
	id := regexp.MustCompile(`^[a-z][A-Za-z]+$`)
	for path, item := range doc.Paths {
		for method, op := range item {
			explained(method+" "+path, op.Summary)
			if !id.MatchString(op.OperationID) || len(op.Tags) != 1 {
				t.Errorf("%s %s: operationId %q, tags %v", method, path, op.OperationID, op.Tags)
			}
			for _, p := range op.Parameters {
				explained(path+" "+p.Name, p.Description)
			}
			for status, r := range op.Responses {
				explained(path+" "+status, r.Description+doc.Components.Responses[r.Ref[strings.LastIndexByte(r.Ref, '/')+1:]].
					Description)
			}
		}
	}
	for name, s := range doc.Components.Schemas {
		for field, p := range s.Properties {
			if name == "Problem" || name == "BadRequest" {
				continue // RFC 9457 defines it
			}
			explained(name+"."+field, p.Description)
		}
	}
	if said < 300 {
		t.Errorf("only %d explanations", said)
	}
	documented(t, srv).CheckExamples(t, "getDescription")
	page := string(get("/docs"))
	for _, url := range regexp.MustCompile(`(src|href|url)\s*[=(]\s*["']?(https?:)?//[^"')\s]+`).FindAllString(page, -1) {
		t.Errorf("the page loads %s", url)
	}
	if strings.Contains(page, "<script>") || strings.Contains(page, "<style") {
		t.Error("the page has an inline script or style, which its policy forbids")
	}
}

// TestDescriptionForLinters writes the description for scripts/lint-descriptions.sh, which runs it
// by name.
func TestDescriptionForLinters(t *testing.T) {
	dir := os.Getenv("TOWNLINE_DESCRIPTIONS")
	if dir == "" {
		t.Skip("TOWNLINE_DESCRIPTIONS is not set; make check sets it")
	}
	t.Parallel()
	rec := httptest.NewRecorder()
	testServer(t, pgtest.New(t)).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/openapi.json",
		nil))
	if err := os.WriteFile(filepath.Join(dir, "council.json"), rec.Body.Bytes(), 0o600); err != nil || rec.Code != 200 {
		t.Fatal(rec.Code, err)
	}
}

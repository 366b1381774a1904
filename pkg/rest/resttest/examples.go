package resttest

import (
	"slices"
	"strings"
	"testing"
)

// CheckExamples checks that every operation that answers JSON, except those of except, has an
// example and that it matches the schema.
func (a *API) CheckExamples(t testing.TB, except ...string) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]struct {
				Content map[string]struct{ Example any }
			}
		}
	}
	answer := a.Get(t, a.base+"/openapi.json")
	answer.JSON(t, &doc)
	for path, item := range doc.Paths {
		for _, op := range item {
			body, ok := op.Responses["200"].Content["application/json"]
			if !ok || slices.Contains(except, op.OperationID) {
				continue
			}
			if body.Example == nil {
				t.Errorf("operation %s has no example; go test ./services/townline -run UpServes -update makes it", op.OperationID)
				continue
			}
			pointer := below("#", "paths", path, "get", "responses", "200", "content", "application/json", "schema")
			if err := a.known.valid(pointer, body.Example); err != nil {
				t.Errorf("the example of %s is not what it answers: %s", op.OperationID, strings.ReplaceAll(err.Error(), "\n", " "))
			}
		}
	}
}

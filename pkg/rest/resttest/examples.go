package resttest

import (
	"slices"
	"strings"
	"testing"
)

// CheckExamples checks that every operation that answers with JSON has an example that matches its
// schema. except lists operations without an example.
func (a *API) CheckExamples(t testing.TB, except ...string) {
	t.Helper()
	for path, item := range a.doc.Paths.Map() {
		for _, op := range item.Operations() {
			body := op.Responses.Value("200").Value.Content["application/json"]
			if body == nil || slices.Contains(except, op.OperationID) {
				continue
			}
			if body.Example == nil {
				t.Errorf("operation %s has no example; make golden writes it", op.OperationID)
				continue
			}
			pointer := below("#", "paths", path, "get", "responses", "200", "content", "application/json", "schema")
			if err := a.known.valid(pointer, body.Example); err != nil {
				t.Errorf("the example of %s is not what it answers: %s; delete it from examples.json, then make golden "+
					"writes it", op.OperationID, strings.ReplaceAll(err.Error(), "\n", " "))
			}
		}
	}
}

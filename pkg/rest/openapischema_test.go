package rest_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/townline/townline/pkg/rest/openapi"
)

type noFields struct{}

func TestSchemaNames(t *testing.T) {
	t.Parallel()

	got := []string{openapi.Name(reflect.TypeFor[noFields]()), openapi.Name(reflect.TypeFor[Page[noFields]]()),
		openapi.Name(reflect.TypeFor[Envelope[[]openapi.Tag]]()),
		openapi.Name(reflect.TypeFor[Envelope[Page[openapi.Tag]]]()), openapi.Name(reflect.TypeFor[Envelope[string]]()),
		openapi.Name(reflect.TypeFor[Envelope[*openapi.Tag]]())}
	want := []string{"NoFields", "NoFieldsPage", "TagListEnvelope", "TagPageEnvelope", "StringEnvelope", "TagEnvelope"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An enumeration value that equals a component's name gets another name in generated clients.
func TestDistinct(t *testing.T) {
	t.Parallel()
	var ss openapi.Schemas
	ss.List.Add("Result", openapi.Schema{Type: "string", Enum: openapi.Anys([]string{"adopted"})})
	ss.List.Add("Kind", openapi.Schema{Type: "string", Enum: openapi.Anys([]string{"result", "vote_missing"})})
	ss.Distinct()
	if first, second := ss.List[0].Value.VarNames, ss.List[1].Value.VarNames; first != nil ||
		!slices.Equal(second, []string{"KindResult", "KindVoteMissing"}) {
		t.Errorf("%q, %q", first, second)
	}
}

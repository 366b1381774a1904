package openapi

import (
	"reflect"
	"slices"
	"testing"
)

type (
	everyKind   struct{}
	Page[R any] struct{ Data []R }

	Envelope[D any] struct{ Data D }
)

func TestSchemaNames(t *testing.T) {
	t.Parallel()

	got := []string{Name(reflect.TypeFor[everyKind]()), Name(reflect.TypeFor[Page[everyKind]]()), Name(reflect.TypeFor[Envelope[[]Tag]]()),
		Name(reflect.TypeFor[Envelope[Page[Tag]]]()), Name(reflect.TypeFor[Envelope[string]]()), Name(reflect.TypeFor[Envelope[*Tag]]())}
	want := []string{"EveryKind", "EveryKindPage", "TagListEnvelope", "TagPageEnvelope", "StringEnvelope", "TagEnvelope"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A word of an enumeration that has the name of a component gets another name in generated clients.
func TestDistinct(t *testing.T) {
	t.Parallel()
	var ss Schemas
	ss.List.Add("Result", Schema{Type: "string", Enum: Anys([]string{"adopted"})})
	ss.List.Add("Kind", Schema{Type: "string", Enum: Anys([]string{"result", "vote_missing"})})
	ss.Distinct()
	if first, second := ss.List[0].Value.VarNames, ss.List[1].Value.VarNames; first != nil || !slices.Equal(second, []string{"KindResult", "KindVoteMissing"}) {
		t.Errorf("%q, %q", first, second)
	}
}

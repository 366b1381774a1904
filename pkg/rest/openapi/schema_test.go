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

// Package openapi writes the description of an API: OpenAPI 3.1 as Go values, schemas of Go types
// by reflection, and a page for people. It is independent of the table of endpoints; pkg/rest fills
// a [Document] from that.
package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

type (
	// A Document is the description of an API.
	Document struct {
		OpenAPI    string              `json:"openapi"`
		Info       Info                `json:"info"`
		Servers    []Server            `json:"servers"`
		Security   []map[string][]bool `json:"security"` // none, unless an operation needs a key
		Tags       []Tag               `json:"tags,omitempty"`
		Paths      Ordered[PathItem]   `json:"paths"`
		Components Components          `json:"components"`
	}
	Info struct {
		Title       string   `json:"title"`
		Version     string   `json:"version"`
		Description string   `json:"description,omitempty"`
		License     *License `json:"license,omitempty"`
	}
	License struct {
		Name       string `json:"name"`
		Identifier string `json:"identifier"`
	}
	Server struct {
		URL string `json:"url"`
	}
	// A Tag is a section of the documentation.
	Tag struct {
		Name string `json:"name"`
	}
	// Components are the parts that operations refer to.
	Components struct {
		Schemas         Ordered[Schema]      `json:"schemas"`
		Responses       Ordered[Response]    `json:"responses"`
		Headers         Ordered[HeaderField] `json:"headers"`
		SecuritySchemes Ordered[any]         `json:"securitySchemes,omitempty"`
	}
	// A PathItem is what an address answers; all answer GET.
	PathItem struct {
		Get *Operation `json:"get"`
	}
	Operation struct {
		ID          string              `json:"operationId"`
		Summary     string              `json:"summary"`
		Description string              `json:"description,omitempty"`
		Tags        []string            `json:"tags,omitempty"`
		Parameters  []Parameter         `json:"parameters,omitempty"`
		Responses   Ordered[Response]   `json:"responses"`
		Security    []map[string][]bool `json:"security,omitempty"`
		// The example's request, below the base address, and its answer, for the page alone.
		Asked, Answered string `json:"-"`
	}
	// A Parameter is a parameter of the path or the query.
	Parameter struct {
		Name        string `json:"name"`
		In          string `json:"in"`
		Description string `json:"description,omitempty"`
		Required    bool   `json:"required,omitempty"`
		Schema      Schema `json:"schema"`
		Example     any    `json:"example,omitempty"`
		// The value in the example's request, for the page alone.
		Asked string `json:"-"`
	}
	Response struct {
		Ref         string               `json:"$ref,omitempty"`
		Description string               `json:"description,omitempty"`
		Headers     Ordered[HeaderField] `json:"headers,omitempty"`
		Content     Ordered[Content]     `json:"content,omitempty"`
	}
	HeaderField struct {
		Ref         string  `json:"$ref,omitempty"`
		Description string  `json:"description,omitempty"`
		Schema      *Schema `json:"schema,omitempty"`
	}
	// Content is a body of one media type.
	Content struct {
		Schema  *Schema `json:"schema,omitempty"`
		Example any     `json:"example,omitempty"`
	}
)

// DropUnused removes the components that no operation uses.
func (d *Document) DropUnused() {
	used := map[string]bool{}
	for _, path := range d.Paths {
		for _, r := range path.Value.Get.Responses {
			used[r.Value.Ref] = true
		}
	}
	d.Components.Responses = slices.DeleteFunc(d.Components.Responses, func(r Entry[Response]) bool {
		return !used["#/components/responses/"+r.Key]
	})
}

// Ordered is a JSON object whose keys keep their order.
type Ordered[V any] []Entry[V]

// An Entry is one key of an object and its value.
type Entry[V any] struct {
	Key   string
	Value V
}

func (o *Ordered[V]) Add(key string, v V) { *o = append(*o, Entry[V]{key, v}) }

func (o Ordered[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(e.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

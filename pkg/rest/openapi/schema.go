package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// A Schema is the part of JSON Schema 2020-12 that describes our values. A type with a method
// Schema() openapi.Schema describes itself, as a component. All other types are described by
// reflection.
type Schema struct {
	Ref         string `json:"$ref,omitempty"`
	Type        any    `json:"type,omitempty"` // a name, or a list of names
	Format      string `json:"format,omitempty"`
	Description string `json:"description,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
	// names of the values in generated clients; see Schemas.Distinct
	VarNames   []string        `json:"x-enum-varnames,omitempty"`
	Default    any             `json:"default,omitempty"`
	Pattern    string          `json:"pattern,omitempty"`
	Minimum    *float64        `json:"minimum,omitempty"`
	Maximum    *float64        `json:"maximum,omitempty"`
	MinLength  int             `json:"minLength,omitempty"`
	MaxLength  int             `json:"maxLength,omitempty"`
	MinItems   int             `json:"minItems,omitempty"`
	MaxItems   int             `json:"maxItems,omitempty"`
	Items      *Schema         `json:"items,omitempty"`
	Properties Ordered[Schema] `json:"properties,omitempty"`
	Required   []string        `json:"required,omitempty"`
	Additional *Schema         `json:"additionalProperties,omitempty"`
	AnyOf      []Schema        `json:"anyOf,omitempty"`
	Examples   []any           `json:"examples,omitempty"`
}

type schemer interface{ Schema() Schema }

// inliner is a type that describes itself without a component.
type inliner interface{ InlineSchema() Schema }

// substitute is a type whose values have the JSON of another type.
type substitute interface{ SchemaType() reflect.Type }

// Schemas collects the named types in an API's bodies.
type Schemas struct {
	Words func(reflect.Type) []string // returns the words of an enumeration, nil for any other type
	List  Ordered[Schema]             // components, in the order in which they were found
	types map[string]reflect.Type
	errs  []error
}

// Err returns an error that names every type without a schema.
func (ss *Schemas) Err() error { return errors.Join(ss.errs...) }

// Distinct sets VarNames for an enumeration if one of its words is also the name of a component.
// Otherwise oapi-codegen and other generators would make a constant and a type with one name.
func (ss *Schemas) Distinct() {
	components := map[string]bool{}
	for _, c := range ss.List {
		components[c.Key] = true
	}
	for i := range ss.List {
		c := &ss.List[i]
		names, clash := make([]string, len(c.Value.Enum)), false
		for k, word := range c.Value.Enum {
			text, _ := word.(string)
			var pascal strings.Builder
			for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '_' || r == '-' }) {
				pascal.WriteString(strings.ToUpper(part[:1]) + part[1:])
			}
			names[k], clash = c.Key+pascal.String(), clash || components[pascal.String()]
		}
		if clash {
			c.Value.VarNames = names
		}
	}
}

// Of describes a type. Structs and enumerations become components, and the result refers to them.
func (ss *Schemas) Of(t reflect.Type) Schema {
	if s, ok := reflect.Zero(t).Interface().(substitute); ok {
		return ss.Of(s.SchemaType())
	}
	if t.Kind() == reflect.Pointer {
		return Nullable(ss.Of(t.Elem()))
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		return Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return Schema{}
	}
	if s, ok := reflect.Zero(t).Interface().(inliner); ok && t.Kind() != reflect.Interface {
		return s.InlineSchema()
	}
	if list := ss.Words(t); list != nil {
		return ss.named(t, func() Schema { return Schema{Type: "string", Enum: Anys(list)} })
	}
	if s, ok := reflect.Zero(t).Interface().(schemer); ok && t.Kind() != reflect.Interface {
		if t.Name() == "" || strings.Contains(t.Name(), "[") {
			return s.Schema()
		}
		return ss.named(t, s.Schema)
	}
	switch t.Kind() {
	case reflect.String:
		return Schema{Type: "string"}
	case reflect.Bool:
		return Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return Schema{Type: "integer"}
	case reflect.Int64, reflect.Uint64, reflect.Uint:
		return Schema{Type: "integer", Format: "int64"}
	case reflect.Float32, reflect.Float64:
		return Schema{Type: "number"}
	case reflect.Slice, reflect.Array:
		items := ss.Of(t.Elem())
		return Schema{Type: "array", Items: &items}
	case reflect.Map:
		values := ss.Of(t.Elem())
		return Schema{Type: "object", Additional: &values}
	case reflect.Interface:
		return Schema{}
	case reflect.Struct:
		if t.Name() == "" {
			return ss.object(t)
		}
		return ss.named(t, func() Schema { return ss.object(t) })
	}
	ss.errs = append(ss.errs, fmt.Errorf("no schema for %s", t))
	return Schema{}
}

// named makes a component of a type, once, and returns a reference to it.
func (ss *Schemas) named(t reflect.Type, describe func() Schema) Schema {
	name := Name(t)
	if ss.types == nil {
		ss.types = map[string]reflect.Type{}
	}
	other, met := ss.types[name]
	switch {
	case !met:
		ss.types[name] = t
		at := len(ss.List)
		ss.List.Add(name, Schema{})
		s := describe() // describe may meet the same type again
		ss.List[at].Value = s
	case other != t:
		ss.errs = append(ss.errs, fmt.Errorf("%s and %s would both be called %s in the description", other, t, name))
	}
	return Schema{Ref: "#/components/schemas/" + name}
}

// Named makes a component from a schema without a Go type, and returns a reference to it.
func (ss *Schemas) Named(name string, s Schema) Schema {
	for _, c := range ss.List {
		if c.Key == name {
			ss.errs = append(ss.errs, fmt.Errorf("two schemas would both be called %s in the description", name))
		}
	}
	ss.List.Add(name, s)
	return Schema{Ref: "#/components/schemas/" + name}
}

// Name returns the name of a type in the description: Page[…/council.Meeting] becomes MeetingPage,
// Envelope[[]Stop] becomes StopListEnvelope. An Encoded value has the name of its type.
func Name(t reflect.Type) string {
	generic, arg, ok := strings.Cut(t.Name(), "[")
	if !ok {
		return exported(t.Name())
	}
	arg = strings.TrimSuffix(arg, "]")
	suffix := ""
	for strings.HasPrefix(arg, "[]") {
		arg, suffix = arg[2:], suffix+"List"
	}
	arg = strings.TrimPrefix(arg, "*")
	inner, more, nested := strings.Cut(arg, "[")
	inner = inner[strings.LastIndexAny(inner, "./")+1:]
	if nested { // as in Envelope[Page[Stop]]
		more = strings.TrimSuffix(more, "]")
		outer := exported(inner)
		if outer == "Encoded" {
			outer = ""
		}
		inner = exported(more[strings.LastIndexAny(more, "./")+1:]) + outer
	}
	return exported(inner) + suffix + exported(generic)
}

func exported(name string) string {
	if name == "" {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func (ss *Schemas) object(t reflect.Type) Schema {
	s := Schema{Type: "object"}
	ss.fields(t, &s)
	return s
}

// fields adds the fields of a struct to s, as encoding/json would write them.
func (ss *Schemas) fields(t reflect.Type, s *Schema) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
			if doc, more := f.Tag.Lookup("additional"); more { // for keys of the same object that the type does not list
				s.Additional = &Schema{Description: doc}
			}
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			ss.fields(f.Type, s)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		typ := f.Type
		if optional && typ.Kind() == reflect.Pointer {
			typ = typ.Elem() // the field is absent rather than null
		}
		p := ss.Of(typ)
		p.annotate(f.Tag)
		if !optional {
			s.Required = append(s.Required, name)
		}
		s.Properties.Add(name, p)
	}
}

// annotate sets the parts of a schema that come from the tags of a field.
func (s *Schema) annotate(tag reflect.StructTag) {
	s.Description = tag.Get("doc")
	if f := tag.Get("format"); f != "" {
		s.Format = f
	}
	if p := tag.Get("pattern"); p != "" {
		s.Pattern = p
	}
	if e := tag.Get("enum"); e != "" {
		list := Anys(strings.Split(e, ","))
		if types, ok := s.Type.([]string); ok && len(types) > 1 {
			list = append(list, nil)
		}
		s.Enum = list
	}
	if e := tag.Get("example"); e != "" {
		var v any
		if json.Unmarshal([]byte(e), &v) != nil || s.Type == "string" {
			v = e
		}
		s.Examples = []any{v}
	}
}

// Nullable adds null to a schema.
func Nullable(s Schema) Schema {
	name, ok := s.Type.(string)
	if !ok || s.Ref != "" {
		return Schema{AnyOf: []Schema{s, {Type: "null"}}}
	}
	s.Type = []string{name, "null"}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// Anys returns words as the values of an enumeration.
func Anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// Package bind reads the parameters of a request into a Go struct by the tags of its fields, and
// makes the canonical form of the request. It is independent of endpoints, headers and answers.
// Package rest documents the tags.
package bind

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxParams is the largest number of parameters of an endpoint. It lets a Request store them
// without allocation.
const maxParams = 16

// A Param is one parameter, as described by the tags of its field.
type Param struct {
	Name     string
	InPath   bool
	Paging   bool // belongs to CursorParams
	Kind     Kind
	Type     reflect.Type // type of the field, without the pointer
	Default  string
	Min, Max float64 // bounds of a number; infinite if absent
	MinLen   int
	MaxLen   int // in characters; 0 means no limit
	Pattern  *regexp.Regexp
	Words    []string // words of the enumeration; nil if it is none
	Null     bool
	List     bool // may occur several times
	MaxItems int  // largest number of items of a list
	Required bool
	Doc      string
	Example  string

	index   []int
	pointer bool
	clamp   int64  // 0 means none
	needs   string // parameter that must be present too
	newer   bool   // added later: requests without it keep their old keys
	rows    bool   // the number of rows of the answer
}

// Kind says how the text of a parameter is parsed.
type Kind int

const (
	String Kind = iota
	Int
	Float
	Bool
	FromText // an encoding.TextUnmarshaler, such as a day
)

// CursorParams is a struct of paging parameters for lists that continue at a cursor.
type CursorParams interface {
	// OpenCursor checks the cursor after all other parameters, and completes the struct. A cursor is
	// valid only for one path and its filters. OpenCursor returns the invalid parameter and why it is
	// invalid, or "".
	OpenCursor(filters func() []byte) (param, why string)
}

// LinkedParams is a struct of paging parameters for lists whose bodies link to other pages and
// repeat the query in the links. Requests with different queries then have different bodies.
type LinkedParams interface{ LinksRepeatQuery() }

// A Plan says how to read the parameters of one endpoint.
type Plan struct {
	Params []Param
	Paths  []int // indexes in Params, in the order of the path's braces
	Linked bool
	Rows   string // name of the parameter that has the number of rows of the answer; "" if there is none

	id     string
	typ    reflect.Type
	byName map[string]int
	cursor []int
}

func New(id, path string, t reflect.Type) (*Plan, error) {
	pl := &Plan{id: id, typ: t, byName: map[string]int{}}
	if t.Kind() != reflect.Struct {
		return pl, fmt.Errorf("parameters of %s: %s is not a struct", path, t)
	}
	if err := pl.add(t, nil); err != nil {
		return pl, fmt.Errorf("parameters of %s: %w", path, err)
	}
	braces := pathParams(path)
	for _, name := range braces {
		i, ok := pl.byName[name]
		if !ok || !pl.Params[i].InPath {
			return pl, fmt.Errorf("parameters of %s: %s has no path:%q", path, t, name)
		}
		pl.Paths = append(pl.Paths, i)
	}
	for _, p := range pl.Params {
		if p.InPath && !slices.Contains(braces, p.Name) {
			return pl, fmt.Errorf("parameters of %s: path:%q is not in it", path, p.Name)
		}
		if _, known := pl.byName[p.needs]; p.needs != "" && !known {
			return pl, fmt.Errorf("parameters of %s: %q needs %q, which is not a parameter", path, p.Name, p.needs)
		}
	}
	if len(pl.Params) > maxParams {
		return pl, fmt.Errorf("parameters of %s: more than %d", path, maxParams)
	}
	return pl, nil
}

func pathParams(path string) []string {
	var names []string
	for seg := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "}") {
			names = append(names, seg[1:len(seg)-1])
		}
	}
	return names
}

func (pl *Plan) add(t reflect.Type, at []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		name, inPath := f.Tag.Lookup("path")
		query, inQuery := f.Tag.Lookup("query")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if err := pl.embed(f, index); err != nil {
				return err
			}
			continue
		case inQuery:
			name = query
		case !inPath:
			continue
		}
		if _, twice := pl.byName[name]; twice {
			return fmt.Errorf("%q is used twice", name)
		}
		p, err := newParam(f, name, inPath)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		p.index = index
		if p.rows {
			pl.Rows = name
		}
		pl.byName[name] = len(pl.Params)
		pl.Params = append(pl.Params, p)
	}
	return nil
}

func (pl *Plan) embed(f reflect.StructField, index []int) error {
	before := len(pl.Params)
	if err := pl.add(f.Type, index); err != nil {
		return err
	}
	embedded := reflect.PointerTo(f.Type)
	switch {
	case embedded.Implements(reflect.TypeFor[CursorParams]()):
		if !f.IsExported() {
			return fmt.Errorf("%s is not exported", f.Type)
		}
		pl.cursor = index
		for i := before; i < len(pl.Params); i++ {
			pl.Params[i].Paging = true
		}
	case embedded.Implements(reflect.TypeFor[LinkedParams]()):
		pl.Linked = true
	}
	return nil
}

func newParam(f reflect.StructField, name string, inPath bool) (Param, error) {
	p := Param{Name: name, InPath: inPath, Type: f.Type, Min: math.Inf(-1), Max: math.Inf(1),
		Default: f.Tag.Get("default"), Doc: f.Tag.Get("doc"), Example: f.Tag.Get("example"),
		needs: f.Tag.Get("needs")}
	switch {
	case p.Type.Kind() == reflect.Pointer:
		p.pointer, p.Type = true, p.Type.Elem()
	case p.Type.Kind() == reflect.Slice && !inPath && f.Tag.Get("maxitems") != "":
		p.List, p.Type = true, p.Type.Elem()
	}
	switch {
	case reflect.PointerTo(p.Type).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		p.Kind = FromText
	case p.Type.Kind() == reflect.String:
		p.Kind = String
	case p.Type.Kind() == reflect.Int, p.Type.Kind() == reflect.Int64:
		p.Kind = Int
	case p.Type.Kind() == reflect.Float64:
		p.Kind = Float
	case p.Type.Kind() == reflect.Bool:
		p.Kind, p.Words = Bool, []string{"0", "1", "true", "false"}
	default:
		return p, fmt.Errorf("a parameter cannot be a %s", f.Type)
	}
	if list := Words(p.Type); list != nil {
		p.Words = list
	}
	if err := p.readTags(f.Tag); err != nil {
		return p, err
	}
	if p.Default != "" {
		if _, why := p.canon(p.Default); why != "" {
			return p, fmt.Errorf("default %q %s", p.Default, why)
		}
	}
	switch {
	case p.Null && !p.pointer:
		return p, fmt.Errorf("null needs a pointer")
	case p.List != (p.MaxItems > 0):
		return p, fmt.Errorf("maxitems is for lists, and is at least 1")
	case p.Required && p.Default != "":
		return p, fmt.Errorf("what is required has no default")
	}
	return p, nil
}

func (p *Param) readTags(tags reflect.StructTag) error {
	for tag, read := range map[string]func(v string) error{
		"min":      func(v string) (err error) { p.Min, err = strconv.ParseFloat(v, 64); return },
		"max":      func(v string) (err error) { p.Max, err = strconv.ParseFloat(v, 64); return },
		"clamp":    func(v string) (err error) { p.clamp, err = strconv.ParseInt(v, 10, 64); return },
		"maxitems": func(v string) (err error) { p.MaxItems, err = strconv.Atoi(v); return },
		"required": func(v string) (err error) { p.Required, err = strconv.ParseBool(v); return },
		"minlen":   func(v string) (err error) { p.MinLen, err = strconv.Atoi(v); return },
		"maxlen":   func(v string) (err error) { p.MaxLen, err = strconv.Atoi(v); return },
		"pattern":  func(v string) (err error) { p.Pattern, err = regexp.Compile(v); return },
		"null":     func(v string) (err error) { p.Null, err = strconv.ParseBool(v); return },
		"newer":    func(v string) (err error) { p.newer, err = strconv.ParseBool(v); return },
		"rows":     func(v string) (err error) { p.rows, err = strconv.ParseBool(v); return },
		"enum":     func(v string) error { p.Words = strings.Split(v, ","); return nil },
	} {
		if v, ok := tags.Lookup(tag); ok {
			if err := read(v); err != nil {
				return fmt.Errorf("tag %s: %w", tag, err)
			}
		}
	}
	return nil
}

// Words returns the words of an enumeration, or nil for any other type. An enumeration is a string
// type with a method Values that returns the words, as []string or as a slice of the type.
func Words(t reflect.Type) []string {
	m, ok := t.MethodByName("Values")
	if !ok || t.Kind() != reflect.String || m.Type.NumIn() != 1 || m.Type.NumOut() != 1 ||
		m.Type.Out(0).Kind() != reflect.Slice || m.Type.Out(0).Elem().Kind() != reflect.String {
		return nil
	}
	list := m.Func.Call([]reflect.Value{reflect.Zero(t)})[0]
	words := make([]string, list.Len())
	for i := range words {
		words[i] = list.Index(i).String()
	}
	return words
}

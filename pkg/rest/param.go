package rest

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest/openapi"
)

// A param is one parameter of an endpoint, read from the tags of its field.
type param struct {
	name     string
	inPath   bool
	paging   bool // of CursorParams
	index    []int
	kind     kind
	pointer  bool
	typ      reflect.Type // without the pointer
	def      string
	min, max float64 // of numbers; infinite when absent
	clamp    int64   // 0: none
	minLen   int
	maxLen   int // in characters; 0: none
	pattern  *regexp.Regexp
	words    []string // the enum; nil: none
	null     bool     // "" and "null" mean absent
	needs    string   // the parameter without which this one means nothing
	doc      string
	example  string
}

type kind int

const (
	kindString kind = iota
	kindInt
	kindFloat
	kindBool
	kindDate
)

// A plan is how the parameters of one endpoint are read: worked out once from the struct.
type plan struct {
	params []param
	paths  []int // params in the order of the path's braces
	byName map[string]int
	cursor []int // index of embedded CursorParams
	linked bool  // embeds LinkedParams
}

// CursorParams is a struct of paging parameters that an API embeds in those of its lists, for lists that go on at a cursor.
type CursorParams interface {
	// OpenCursor checks the cursor, once all other parameters are known to be right, and completes the struct.
	// A cursor belongs to the path and filters of a request, which filters names.
	OpenCursor(filters func() []byte) []Fault
}

// LinkedParams is a struct of paging parameters for lists whose body links to other pages, with the query of the request. So
// requests that differ in what they spell out have bodies of their own.
type LinkedParams interface{ LinksRepeatQuery() }

func newPlan(t reflect.Type, path string) (*plan, error) {
	pl := &plan{byName: map[string]int{}}
	if t.Kind() != reflect.Struct {
		return pl, fmt.Errorf("parameters of %s: %s is no struct", path, t)
	}
	if err := pl.add(t, nil); err != nil {
		return pl, fmt.Errorf("parameters of %s: %w", path, err)
	}
	braces := pathParams(path)
	for _, name := range braces {
		i, ok := pl.byName[name]
		if !ok || !pl.params[i].inPath {
			return pl, fmt.Errorf("parameters of %s: %s has no path:%q", path, t, name)
		}
		pl.paths = append(pl.paths, i)
	}
	for _, p := range pl.params {
		if p.inPath && !slices.Contains(braces, p.name) {
			return pl, fmt.Errorf("parameters of %s: path:%q is not in it", path, p.name)
		}
		if _, known := pl.byName[p.needs]; p.needs != "" && !known {
			return pl, fmt.Errorf("parameters of %s: %q needs %q, which is no parameter", path, p.name, p.needs)
		}
	}
	if len(pl.params) > maxParams {
		return pl, fmt.Errorf("parameters of %s: more than %d", path, maxParams)
	}
	return pl, nil
}

// pathParams returns the names in braces of a template, in order.
func pathParams(path string) []string {
	var names []string
	for seg := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "}") {
			names = append(names, seg[1:len(seg)-1])
		}
	}
	return names
}

func (pl *plan) add(t reflect.Type, at []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		name, inPath := f.Tag.Lookup("path")
		query, inQuery := f.Tag.Lookup("query")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && !isValueStruct(f.Type):
			before := len(pl.params)
			if err := pl.add(f.Type, index); err != nil {
				return err
			}
			switch embedded := reflect.PointerTo(f.Type); {
			case embedded.Implements(reflect.TypeFor[CursorParams]()):
				if !f.IsExported() {
					return fmt.Errorf("%s is not exported", f.Type)
				}
				pl.cursor = index
				for i := before; i < len(pl.params); i++ {
					pl.params[i].paging = true
				}
			case embedded.Implements(reflect.TypeFor[LinkedParams]()):
				pl.linked = true
			}
			continue
		case inQuery:
			name = query
		case !inPath:
			continue
		}
		if _, twice := pl.byName[name]; twice {
			return fmt.Errorf("%q stands twice", name)
		}
		p, err := newParam(f, name, inPath)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		p.index = index
		pl.byName[name] = len(pl.params)
		pl.params = append(pl.params, p)
	}
	return nil
}

func newParam(f reflect.StructField, name string, inPath bool) (param, error) {
	p := param{name: name, inPath: inPath, typ: f.Type, min: math.Inf(-1), max: math.Inf(1), def: f.Tag.Get("default"), doc: f.Tag.Get("doc"), example: f.Tag.Get("example"),
		needs: f.Tag.Get("needs")}
	if p.typ.Kind() == reflect.Pointer {
		p.pointer, p.typ = true, p.typ.Elem()
	}
	switch {
	case p.typ == reflect.TypeFor[Date]():
		p.kind = kindDate
	case p.typ.Kind() == reflect.String:
		p.kind = kindString
	case p.typ.Kind() == reflect.Int, p.typ.Kind() == reflect.Int64:
		p.kind = kindInt
	case p.typ.Kind() == reflect.Float64:
		p.kind = kindFloat
	case p.typ.Kind() == reflect.Bool:
		p.kind, p.words = kindBool, []string{"0", "1", "true", "false"}
	default:
		return p, fmt.Errorf("no parameter can be a %s", f.Type)
	}
	if list := openapi.Words(p.typ); list != nil {
		p.words = list
	}
	for _, tag := range []string{"min", "max", "clamp", "minlen", "maxlen", "pattern", "enum", "null"} {
		v, ok := f.Tag.Lookup(tag)
		if !ok {
			continue
		}
		var err error
		switch tag {
		case "min":
			p.min, err = strconv.ParseFloat(v, 64)
		case "max":
			p.max, err = strconv.ParseFloat(v, 64)
		case "clamp":
			p.clamp, err = strconv.ParseInt(v, 10, 64)
		case "minlen":
			p.minLen, err = strconv.Atoi(v)
		case "maxlen":
			p.maxLen, err = strconv.Atoi(v)
		case "pattern":
			p.pattern, err = regexp.Compile(v)
		case "enum":
			p.words = strings.Split(v, ",")
		case "null":
			p.null, err = strconv.ParseBool(v)
		}
		if err != nil {
			return p, fmt.Errorf("tag %s: %w", tag, err)
		}
	}
	if p.def != "" {
		if _, why := p.canon(p.def); why != "" {
			return p, fmt.Errorf("default %q %s", p.def, why)
		}
	}
	if p.null && !p.pointer {
		return p, fmt.Errorf("null needs a pointer")
	}
	return p, nil
}

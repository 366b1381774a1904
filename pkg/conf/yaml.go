package conf

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxYAML is far larger than any real configuration file.
const maxYAML = 1 << 20

// ReadYAML reads the file at path into v, a pointer to a struct with `yaml` tags that holds the
// defaults. `${NAME}` in a value is replaced by the variable NAME of e; `$$` is a dollar sign.
// Unknown keys, values of the wrong type and unset variables are errors with file, line, key and
// the expected type. Then v's Validate method, if any, and the checks run; a [KeyError] of theirs
// also gets file and line.
func ReadYAML(path string, e Environ, v any, checks ...func() error) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	return ParseYAML(path, text, e, v, checks...)
}

// ReadPart is ReadYAML for a program that needs some of a file's top-level keys. It ignores the other
// keys and their variables; the program that needs them checks them.
func ReadPart(path string, e Environ, v any) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	return (&walker{name: path, env: e, part: true, lines: map[string]int{}}).parse(text, v, nil)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxYAML+1))
	if err != nil {
		return nil, fmt.Errorf("read configuration %s: %w", path, err)
	}
	if len(text) > maxYAML {
		return nil, fmt.Errorf("read configuration %s: larger than %d bytes", path, maxYAML)
	}
	return text, nil
}

// ParseYAML is ReadYAML for text in memory; errors use name as the file name.
func ParseYAML(name string, text []byte, e Environ, v any, checks ...func() error) error {
	return (&walker{name: name, env: e, lines: map[string]int{}}).parse(text, v, checks)
}

func (w *walker) parse(text []byte, v any, checks []func() error) error {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return w.validate(v, checks) // an empty file has all defaults
		}
		return w.unreadable(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: more than one document", w.name)
	}
	if len(doc.Content) == 1 {
		w.walk(doc.Content[0], reflect.TypeOf(v), "")
	}
	if len(w.errs) > 0 {
		return errors.Join(w.errs...)
	}
	if err := doc.Decode(v); err != nil {
		return w.unreadable(err)
	}
	return w.validate(v, checks)
}

// A KeyError is a mistake in the value of a key such as access.origins or feeds[0].alias.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }

func (e *KeyError) Unwrap() error { return e.Err }

// Wrong makes a KeyError from a message.
func Wrong(key, format string, args ...any) error {
	return &KeyError{Key: key, Err: fmt.Errorf(format, args...)}
}

// syntax matches the beginning of the YAML library's errors.
var syntax = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// unreadable returns an error with advice for text that is not YAML.
func (w *walker) unreadable(err error) error {
	m := syntax.FindStringSubmatch(err.Error())
	where, what := w.name, err.Error()
	if m != nil {
		what = what[len(m[0]):]
		if m[1] != "" {
			where += ":" + m[1]
		}
	}
	return fmt.Errorf("%s: not readable as YAML (%s): look there and on the line above for a wrong indentation, a tab, "+
		"a missing colon or an open quote", where, what)
}

// validate calls v's Validate method and the checks, and adds the line to each mistake.
func (w *walker) validate(v any, checks []func() error) error {
	if val, ok := v.(Validator); ok {
		checks = append([]func() error{val.Validate}, checks...)
	}
	for _, check := range checks { // a check may rely on earlier checks
		if wrong := w.locate(check()); len(wrong) > 0 {
			return errors.Join(wrong...)
		}
	}
	return nil
}

func (w *walker) locate(err error) []error {
	if err == nil {
		return nil
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, one := range all.Unwrap() {
			out = append(out, w.locate(one)...)
		}
		return out
	}
	where := w.name
	var wrong *KeyError
	if errors.As(err, &wrong) {
		// For a missing key, use the line of the group that should have it.
		for key := wrong.Key; key != ""; key = key[:max(strings.LastIndexAny(key, ".["), 0)] {
			if line := w.lines[key]; line > 0 {
				where += fmt.Sprintf(":%d", line)
				break
			}
		}
	}
	return []error{fmt.Errorf("%s: %w", where, err)}
}

// walker walks a document along the type that it will be decoded into. It expands variables and
// collects unknown keys and values that do not fit. The strict decoder of goccy/go-yaml does not
// replace it: that reads 0123 in a text as 83, ignores a second document, follows aliases, ends at
// the first mistake, names Go types, and quotes lines of the file, which may have secrets.
type walker struct {
	name  string
	env   Environ
	part  bool           // unknown keys at the top are another program's
	lines map[string]int // line of each key in the document
	errs  []error
}

func (w *walker) errorf(n *yaml.Node, key, format string, args ...any) {
	where := fmt.Sprintf("%s:%d: ", w.name, n.Line)
	if key != "" {
		where += key + ": "
	}
	w.errs = append(w.errs, fmt.Errorf("%s%w", where, fmt.Errorf(format, args...)))
}

// A Shorthand is a struct whose YAML may be only the value of one key: a scalar, or a list if the key
// has a list. A list with one entry may be written as that entry.
type Shorthand interface{ ShorthandKey() string }

func expandShorthand(n *yaml.Node, t reflect.Type) {
	if t == nil {
		return
	}
	if t.Kind() == reflect.Slice && n.Kind != yaml.SequenceNode && t.Elem().Implements(reflect.TypeFor[Shorthand]()) {
		one := *n
		*n = yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Content: []*yaml.Node{&one}}
	}
	if s, ok := reflect.Zero(t).Interface().(Shorthand); ok && (n.Kind == yaml.ScalarNode || takesList(t, s, n)) {
		key, value := &yaml.Node{Kind: yaml.ScalarNode, Value: s.ShorthandKey(), Line: n.Line}, *n
		*n = yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Content: []*yaml.Node{key, &value}}
	}
}

func takesList(t reflect.Type, s Shorthand, n *yaml.Node) bool {
	elem, known := childType(t, s.ShorthandKey())
	return known && n.Kind == yaml.SequenceNode && elem.Kind() == reflect.Slice
}

func (w *walker) walk(n *yaml.Node, t reflect.Type, key string) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	w.lines[key] = n.Line
	expandShorthand(n, t)
	switch n.Kind {
	case yaml.ScalarNode:
		filled := w.expand(n, key)
		w.fit(n, t, key, filled)
	case yaml.AliasNode:
		// Aliases allow exponential expansion, and these files do not need them.
		w.errorf(n, key, "aliases are not supported")
	case yaml.SequenceNode:
		var elem reflect.Type
		switch {
		case open(t):
		case t.Kind() == reflect.Slice && !readsText(t):
			elem = t.Elem()
		default:
			w.errorf(n, key, "a list, where %s is expected", expected(t))
			return
		}
		for i, c := range n.Content {
			w.walk(c, elem, fmt.Sprintf("%s[%d]", key, i))
		}
	case yaml.MappingNode:
		if !open(t) && (t.Kind() != reflect.Struct && t.Kind() != reflect.Map || readsText(t)) {
			w.errorf(n, key, "keys with values, where %s is expected", expected(t))
			return
		}
		first := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, c := n.Content[i], n.Content[i+1]
			path := strings.TrimPrefix(key+"."+k.Value, ".")
			if line, twice := first[k.Value]; twice {
				w.errorf(k, path, "is given twice, first on line %d", line)
				continue
			}
			first[k.Value] = k.Line
			elem, known := childType(t, k.Value)
			if !known && w.part && key == "" {
				continue
			}
			if !known {
				w.errorf(k, path, "unknown key%s", suggest(t))
				continue
			}
			w.walk(c, elem, path)
		}
	}
}

// open reports whether a value of type t may have any shape.
func open(t reflect.Type) bool { return t == nil || t.Kind() == reflect.Interface }

func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// fit checks that a scalar fits its Go type, because the decoder's error would mention Go types.
// Its error omits values of variables, which may be secret.
func (w *walker) fit(n *yaml.Node, t reflect.Type, key string, filled bool) {
	if open(t) || n.ShortTag() == "!!null" {
		return
	}
	v := reflect.New(t)
	if reads, ok := v.Interface().(encoding.TextUnmarshaler); ok {
		if err := reads.UnmarshalText([]byte(n.Value)); err != nil {
			w.errorf(n, key, "%w", err)
		}
		return
	}
	var err error
	if t == reflect.TypeFor[time.Duration]() { // a bare number would be nanoseconds
		_, err = time.ParseDuration(n.Value)
	} else {
		err = n.Decode(v.Interface())
	}
	if err == nil {
		return
	}
	value := fmt.Sprintf("%q", n.Value)
	if filled {
		value = "the variable's value"
	}
	w.errorf(n, key, "%s, where %s is expected", value, expected(t))
}

// expected describes a type for the author of the file.
func expected(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a time with its unit, such as 30s, 5m or 6h,"
	}
	kind := t.Kind()
	switch {
	case readsText(t):
	case kind == reflect.Bool:
		return "true or false"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return "a whole number"
	case kind == reflect.Float32 || kind == reflect.Float64:
		return "a number"
	case kind == reflect.Slice:
		return "a list, such as [first, second]"
	case kind == reflect.Map || kind == reflect.Struct:
		return "a group of keys with values" + suggest(t)
	}
	return "a single value"
}

// childType returns the type of the value under a key of a mapping of type t, or nil if the value
// may have any shape.
func childType(t reflect.Type, key string) (child reflect.Type, known bool) {
	switch {
	case open(t):
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	}
	for i := range t.NumField() {
		if f := t.Field(i); yamlKey(f) == key && key != "" {
			return f.Type, true
		}
	}
	return nil, false
}

func yamlKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return strings.TrimPrefix(key, "-")
}

func suggest(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	var keys []string
	for i := range t.NumField() {
		if key := yamlKey(t.Field(i)); key != "" {
			keys = append(keys, key)
		}
	}
	return " (known here: " + strings.Join(keys, ", ") + ")"
}

// expand replaces ${NAME} in a scalar and reports whether it changed. It resolves the type of a
// changed scalar again, so that a variable can hold a number or a boolean.
func (w *walker) expand(n *yaml.Node, key string) bool {
	if !strings.Contains(n.Value, "$") {
		return false
	}
	before := n.Value
	n.Value = variable.ReplaceAllStringFunc(n.Value, func(m string) string {
		if m == "$$" {
			return "$"
		}
		name := m[2 : len(m)-1]
		value, ok := w.env[name]
		if !ok {
			w.errorf(n, key, "the environment variable %s is not set", name)
		}
		return value
	})
	if n.Value != before && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		n.Tag = ""
	}
	return n.Value != before
}

var variable = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

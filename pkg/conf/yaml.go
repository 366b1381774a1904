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

	"go.yaml.in/yaml/v3"
)

// maxYAML is the largest configuration file that is read: far above any real
// one, far below what could hurt.
const maxYAML = 1 << 20

// ReadYAML reads the file at path into v, a pointer to a struct with `yaml` tags
// that holds the defaults. `${NAME}` in a value is replaced by the variable NAME
// of e; `$$` is a dollar sign. An unknown key, a value of the wrong type and a
// variable that is not set are errors that name file, line and key. Afterwards
// v's Validate method is called if it has one.
func ReadYAML(path string, e Environ, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxYAML+1))
	if err != nil {
		return fmt.Errorf("read configuration %s: %w", path, err)
	}
	if len(text) > maxYAML {
		return fmt.Errorf("read configuration %s: larger than %d bytes", path, maxYAML)
	}
	return ParseYAML(path, text, e, v)
}

// ParseYAML is ReadYAML for text that is already in memory; name is what errors
// call it.
func ParseYAML(name string, text []byte, e Environ, v any) error {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return validate(name, v) // an empty file means all defaults
		}
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: more than one document", name)
	}
	w := walker{name: name, env: e}
	if len(doc.Content) == 1 {
		w.walk(doc.Content[0], reflect.TypeOf(v), "")
	}
	if len(w.errs) > 0 {
		return errors.Join(w.errs...)
	}
	if err := doc.Decode(v); err != nil {
		var wrong *yaml.TypeError
		if errors.As(err, &wrong) {
			return fmt.Errorf("%s: %s", name, strings.Join(wrong.Errors, "; "))
		}
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return validate(name, v)
}

func validate(name string, v any) error {
	if val, ok := v.(Validator); ok {
		if err := val.Validate(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// walker goes through a document beside the type that it will be decoded into,
// fills in variables and finds keys that the type does not have. It collects
// every mistake instead of stopping at the first.
type walker struct {
	name string
	env  Environ
	errs []error
}

func (w *walker) errorf(n *yaml.Node, key, format string, args ...any) {
	where := fmt.Sprintf("%s:%d: ", w.name, n.Line)
	if key != "" {
		where += key + ": "
	}
	w.errs = append(w.errs, fmt.Errorf("%s%w", where, fmt.Errorf(format, args...)))
}

func (w *walker) walk(n *yaml.Node, t reflect.Type, key string) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch n.Kind {
	case yaml.ScalarNode:
		w.expand(n, key)
		w.try(n, t, key)
	case yaml.AliasNode:
		// Aliases make bombs cheap and these files have no use for them.
		w.errorf(n, key, "aliases are not supported")
	case yaml.SequenceNode:
		var elem reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			elem = t.Elem()
		}
		for i, c := range n.Content {
			w.walk(c, elem, fmt.Sprintf("%s[%d]", key, i))
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, c := n.Content[i], n.Content[i+1]
			path := strings.TrimPrefix(key+"."+k.Value, ".")
			elem, known := childType(t, k.Value)
			if !known {
				w.errorf(k, path, "unknown key%s", suggest(t))
				continue
			}
			w.walk(c, elem, path)
		}
	}
}

// try reads a scalar as a type that reads itself from text, since the decoder's error would not say where.
func (w *walker) try(n *yaml.Node, t reflect.Type, key string) {
	if t == nil {
		return
	}
	if v, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok {
		if err := v.UnmarshalText([]byte(n.Value)); err != nil {
			w.errorf(n, key, "%w", err)
		}
	}
}

// childType returns the type of the value under name in a mapping decoded to t.
func childType(t reflect.Type, name string) (reflect.Type, bool) {
	if t == nil {
		return nil, true // inside a value of any shape
	}
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), true
	case reflect.Struct:
		for _, f := range yamlFields(t) {
			if f.name == name {
				return f.typ, true
			}
		}
		return nil, false
	case reflect.Interface:
		return nil, true
	}
	return nil, true // a wrong type: the decoder will say so
}

type yamlField struct {
	name string
	typ  reflect.Type
}

func yamlFields(t reflect.Type) []yamlField {
	var out []yamlField
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(opts, "inline"):
			out = append(out, yamlFields(f.Type)...)
		case name != "-" && name != "" && f.IsExported():
			out = append(out, yamlField{name, f.Type})
		}
	}
	return out
}

func suggest(t reflect.Type) string {
	if t == nil || t.Kind() != reflect.Struct {
		return ""
	}
	var names []string
	for _, f := range yamlFields(t) {
		names = append(names, f.name)
	}
	return " (known here: " + strings.Join(names, ", ") + ")"
}

// expand replaces ${NAME} in a scalar. A scalar that changed is read again, so
// that a variable can hold a number or a boolean too.
func (w *walker) expand(n *yaml.Node, key string) {
	if !strings.Contains(n.Value, "$") {
		return
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
}

var variable = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

package resttest

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas compiles each schema of a description once. kin-openapi compiles all schemas for every
// answer, which would take most of the tests' time.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by JSON pointer
}

// described is the description's URL for the compiler, which does not fetch it.
const described = "http://localhost/openapi.json"

func readSchemas(text []byte) (*schemas, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	return &schemas{compiler: c, compiled: map[string]*jsonschema.Schema{}}, c.AddResource(described, doc)
}

// at returns the schema at a JSON pointer, such as #/components/schemas/Stop.
func (s *schemas) at(pointer string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.compiled[pointer]; known != nil {
		return known, nil
	}
	schema, err := s.compiler.Compile(described + pointer)
	if err != nil {
		return nil, err
	}
	s.compiled[pointer] = schema
	return schema, nil
}

// below appends names to a JSON pointer in the fragment of a URL.
func below(pointer string, names ...string) string {
	for _, name := range names {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return pointer
}

func (s *schemas) check(path string, op *openapi3.Operation, answer Answer) error {
	code := strconv.Itoa(answer.Status)
	ref := op.Responses.Value(code)
	if ref == nil {
		code, ref = "default", op.Responses.Default()
	}
	if ref == nil || ref.Value == nil {
		return errors.New("the status is not in the description")
	}
	pointer := ref.Ref
	if pointer == "" {
		pointer = below("#", "paths", path, "get", "responses", code)
	}
	if len(answer.Body) == 0 || answer.Header.Get("Content-Encoding") != "" || len(ref.Value.Content) == 0 {
		return nil
	}
	kind := answer.Header.Get("Content-Type")
	media := ref.Value.Content[kind]
	if media == nil {
		if bare, _, err := mime.ParseMediaType(kind); err == nil {
			kind, media = bare, ref.Value.Content[bare]
		}
	}
	if media == nil {
		return fmt.Errorf("the content type %q is not in the description", kind)
	}
	if media.Schema == nil {
		return nil
	}
	var value any = string(answer.Body)
	if kind == "application/json" || strings.HasSuffix(strings.TrimSuffix(kind, "; charset=utf-8"), "json") {
		var err error
		value, err = jsonschema.UnmarshalJSON(bytes.NewReader(answer.Body))
		if err != nil {
			return err
		}
	}
	return s.valid(below(pointer, "content", kind, "schema"), value)
}

func (s *schemas) valid(pointer string, value any) error {
	schema, err := s.at(pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

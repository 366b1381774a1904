package openapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the template and its files
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed docs.html
var docsTemplate string

//go:embed docs.css
var docsStyle []byte

//go:embed docs.js
var docsScript []byte

// A PageFile is a file that the page loads. Its name contains a hash of its content.
type PageFile struct {
	Name, Media string
	Body        []byte
}

// PageFiles are the style sheet and the script of the page, which is readable without them.
var PageFiles = []PageFile{newPageFile(".css", "text/css", docsStyle), newPageFile(".js", "text/javascript",
	docsScript)}

func newPageFile(ext, media string, body []byte) PageFile {
	sum := sha256.Sum256(body)
	return PageFile{"docs." + hex.EncodeToString(sum[:5]) + ext, media, body}
}

func aid(ext string) string {
	return PageFiles[slices.IndexFunc(PageFiles, func(a PageFile) bool { return strings.HasSuffix(a.Name, ext) })].Name
}

// Policy is the content security policy of the page.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Page writes the description as one HTML page. The page is readable without scripts and loads
// nothing from other hosts.
func (d *Document) Page() ([]byte, error) {
	t, err := template.New("docs").Funcs(template.FuncMap{
		"paragraphs": func(s string) []string { return strings.Split(s, "\n\n") },
		"steps":      func(path string) []string { return strings.SplitAfter(path, "/") },
		"anchor":     func(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] },
		"rules":      Schema.rules,
		"parts":      Schema.parts,
		"required":   func(s Schema, name string) bool { return slices.Contains(s.Required, name) },
		"resolve":    d.resolve,
		"aid":        aid,
		"choices":    d.choices,
		"initial":    d.initial,
	}).Parse(docsTemplate)
	if err != nil {
		return nil, fmt.Errorf("template of the documentation: %w", err)
	}
	type section struct {
		Name string
		Ops  Ordered[PathItem]
	}
	sections := make([]section, 0, len(d.Tags)+1)
	for _, t := range append(slices.Clone(d.Tags), Tag{}) {
		sec := section{Name: t.Name}
		for _, p := range d.Paths {
			if tags := p.Value.Get.Tags; len(tags) == 0 && t.Name == "" || len(tags) > 0 && tags[0] == t.Name {
				sec.Ops = append(sec.Ops, p)
			}
		}
		if len(sec.Ops) > 0 {
			sections = append(sections, sec)
		}
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]any{"D": d, "Sections": sections}); err != nil {
		return nil, fmt.Errorf("page of the documentation: %w", err)
	}
	return b.Bytes(), nil
}

// choices returns the words that a parameter may have, or nil if it may have others.
func (d *Document) choices(p Parameter) []string {
	var all []string
	words := p.Schema.Enum
	for _, s := range d.Components.Schemas {
		if p.Schema.Ref == "#/components/schemas/"+s.Key {
			words = s.Value.Enum
		}
	}
	for _, e := range words {
		if e != nil {
			all = append(all, fmt.Sprint(e))
		}
	}
	return all
}

// initial returns the initial value of a parameter's form field. Only the parameters of the
// example's request, required ones and the format have one.
func (d *Document) initial(p Parameter) string {
	example := p.Example
	if list, ok := example.([]any); ok && len(list) > 0 {
		example = list[0]
	}
	switch {
	case p.Asked != "":
		return p.Asked
	case p.Required && example != nil:
		return fmt.Sprint(example)
	case p.Required || p.Name == "_format":
		return cmp.Or(append(d.choices(p), "")...)
	}
	return ""
}

func (d *Document) resolve(r Response) Response {
	for _, c := range d.Components.Responses {
		if r.Ref == "#/components/responses/"+c.Key {
			return c.Value
		}
	}
	return r
}

// parts returns the alternatives of a schema except null, or the schema itself if it has none.
func (s Schema) parts() []Schema {
	if s.Items != nil {
		return s.Items.parts()
	}
	if s.AnyOf == nil {
		return []Schema{s}
	}
	var out []Schema
	for _, a := range s.AnyOf {
		if a.Type != "null" {
			out = append(out, a)
		}
	}
	return out
}

// rules describes the constraints of a schema in words.
func (s Schema) rules() string {
	var out []string
	switch t := s.Type.(type) {
	case string:
		out = append(out, t)
	case []string:
		out = append(out, strings.Join(t, " or "))
	}
	if s.Items != nil {
		out[0] = "array of " + s.Items.rules()
	}
	for _, a := range s.AnyOf {
		if a.Type == "null" {
			out = append(out, "may be null")
		} else if a.Ref == "" {
			out = append(out, a.rules())
		}
	}
	if s.Format != "" {
		out = append(out, s.Format)
	}
	if s.Minimum != nil {
		out = append(out, fmt.Sprintf("from %v", *s.Minimum))
	}
	if s.Maximum != nil {
		out = append(out, fmt.Sprintf("to %v", *s.Maximum))
	}
	if s.MaxLength > 0 {
		out = append(out, fmt.Sprintf("%d to %d characters", max(s.MinLength, 1), s.MaxLength))
	}
	if s.Pattern != "" && s.Format != "date" {
		out = append(out, "matches "+s.Pattern)
	}
	if s.Enum != nil {
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			text, _ := json.Marshal(e) // encoding words and null does not fail
			words[i] = string(text)
		}
		out = append(out, "one of "+strings.Join(words, ", "))
	}
	if s.Default != nil {
		out = append(out, fmt.Sprintf("default %v", s.Default))
	}
	return strings.Join(out, ", ")
}

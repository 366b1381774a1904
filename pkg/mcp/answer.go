package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxAnswer bounds an answer, in bytes: assistants cut or refuse large ones.
const maxAnswer = 8 << 10

// An Answer is what a tool answers.
type Answer struct {
	SourceURL string   `json:"source_url"`       // the same as an answer of the API
	Covers    string   `json:"covers,omitempty"` // what the data covers
	Notes     []string `json:"notes,omitempty"`
	Data      any      `json:"data"`
	// Omitted says what was left out because the answer is bounded, and More how to ask for it.
	Omitted []string `json:"omitted,omitempty"`
	More    string   `json:"more,omitempty"`
}

// encode returns the answer as JSON of at most maxAnswer bytes. It halves the largest list until the
// rest fits, and shortens long texts only then.
func (a *Answer) encode() ([]byte, error) {
	// A copy of maps and lists only, so that cutting does not change the caller's data.
	var data any
	text, err := json.Marshal(a.Data)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&data); err != nil {
		return nil, err
	}
	out := *a
	total := map[string]int{} // lengths of lists before they were cut, by path
	for range 200 {
		out.Data, out.Omitted = data, omitted(data, total)
		text, err := encode(&out)
		if err != nil || len(text) <= maxAnswer {
			return text, err
		}
		var longest part
		find("", data, func(p part) {
			if p.size > longest.size {
				longest = p
			}
		})
		if longest.cut == nil {
			break
		}
		if _, seen := total[longest.path]; !seen {
			total[longest.path] = longest.length
		}
		data = longest.cut(data)
	}
	return encode(&Answer{SourceURL: a.SourceURL, Covers: a.Covers, More: "The answer is too large. Ask for less."})
}

func encode(a *Answer) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(a)
	return bytes.TrimSpace(b.Bytes()), err
}

// omitted says how much of each list or text is left.
func omitted(data any, total map[string]int) (all []string) {
	find("", data, func(p part) {
		if n := total[p.path]; n > p.length {
			all = append(all, fmt.Sprintf("%s: the first %d of %d", p.path, p.length, n))
		}
	})
	slices.Sort(all)
	return all
}

// A part is a list or a long text.
type part struct {
	path   string
	size   int // weight in the choice of what to cut
	length int // elements of a list, bytes of a text
	cut    func(root any) any
}

const longText = 400 // shorter texts are never cut

// find calls f with each list of several elements and each long text.
func find(path string, v any, f func(part)) { walk(path, v, func(any) {}, f) }

// walk visits v; set replaces it in what contains it.
func walk(path string, v any, set func(any), f func(part)) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			walk(join(path, k), e, func(n any) { v[k] = n }, f)
		}
	case []any:
		p := part{path: path, length: len(v)}
		if len(v) > 1 {
			text, _ := json.Marshal(v)
			p.size = len(text)
			p.cut = func(root any) any {
				set(v[:len(v)/2])
				if path == "" {
					return v[:len(v)/2]
				}
				return root
			}
		}
		f(p)
		for i, e := range v {
			walk(fmt.Sprintf("%s[%d]", path, i), e, func(n any) { v[i] = n }, f)
		}
	case string:
		p := part{path: path, length: len(v)}
		if len(v) > longText {
			p.size = len(v) / 8 // a list is cut first
			p.cut = func(root any) any {
				end := len(v) / 2
				for end > 0 && !utf8.RuneStart(v[end]) {
					end--
				}
				set(v[:end] + "…")
				return root
			}
		}
		f(p)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

package rest

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxParams bounds the parameters of one endpoint, so that a call can hold
// their values without allocating.
const maxParams = 16

// A value is what a request says for a parameter: its canonical text.
type value struct {
	text  string
	set   bool
	given bool // by the request, not by a default
}

// canon checks one raw value and returns its canonical form, or why it is refused.
func (p *param) canon(raw string) (text, why string) {
	if !utf8.ValidString(raw) || strings.IndexByte(raw, 0) >= 0 {
		return "", "must be UTF-8 text without NUL"
	}
	if raw == "" {
		return "", "must not be empty"
	}
	switch p.kind {
	case kindInt:
		return p.canonInt(raw)
	case kindFloat:
		n, err := strconv.ParseFloat(raw, 64)
		if err != nil || n < p.min || n > p.max || n != n {
			return "", "must be a number" + p.bounds()
		}
		return strconv.FormatFloat(n, 'g', -1, 64), ""
	case kindDate:
		if _, err := ParseDate(raw); err != nil {
			return "", err.Error()
		}
		return raw, ""
	}
	if p.words != nil && !slices.Contains(p.words, raw) {
		return "", "must be one of " + strings.Join(p.words, ", ")
	}
	if p.kind == kindBool {
		if raw == "1" || raw == "true" {
			return "true", ""
		}
		return "false", ""
	}
	if n := utf8.RuneCountInString(raw); n < p.minLen || p.maxLen > 0 && n > p.maxLen {
		return "", fmt.Sprintf("must be %d to %d characters", max(p.minLen, 1), p.maxLen)
	}
	if p.pattern != nil && !p.pattern.MatchString(raw) {
		if p.pattern.String() == `\S` {
			return "", "must not be blank"
		}
		return "", "must match " + p.pattern.String()
	}
	return raw, ""
}

func (p *param) canonInt(raw string) (text, why string) {
	n, err := strconv.ParseInt(raw, 10, 64)
	switch {
	case err != nil || raw[0] == '+':
		return "", "must be an integer" + p.bounds()
	case p.clamp > 0 && n > p.clamp:
		n = p.clamp
	case float64(n) < p.min || float64(n) > p.max:
		return "", "must be an integer" + p.bounds()
	}
	if p.inPath && raw[0] == '0' { // one thing has one address
		return "", "must be written without leading zeros"
	}
	if raw[0] != '0' && raw[0] != '-' && p.clamp == 0 {
		return raw, ""
	}
	return strconv.FormatInt(n, 10), ""
}

func (p *param) bounds() string {
	low, high := strconv.FormatFloat(p.min, 'f', -1, 64), strconv.FormatFloat(p.max, 'f', -1, 64)
	switch {
	case p.min < -1e300 && p.max > 1e300:
		return ""
	case p.max > 1e300:
		return " of at least " + low
	case p.min < -1e300:
		return " of at most " + high
	}
	return " from " + low + " to " + high
}

// read checks the path's values, which are there already, and takes the others
// out of the query. It returns everything that is wrong at once.
func (pl *plan) read(c *Call, query string) error {
	for _, i := range pl.paths {
		text, why := pl.params[i].canon(c.values[i].text)
		if why != "" {
			return NotFound("%s %s", pl.params[i].name, why)
		}
		c.values[i].text = text
	}
	var faults []Fault
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if pair != "" {
			faults = pl.pair(c, pair, faults)
		}
	}
	for i := range pl.params {
		p := &pl.params[i]
		v := &c.values[i]
		if !v.set {
			v.text, v.set = p.def, p.def != ""
			continue
		}
		if p.inPath {
			continue
		}
		if p.null && (v.text == "" || v.text == "null") {
			*v = value{}
			continue
		}
		text, why := p.canon(v.text)
		if why != "" {
			faults = fault(faults, p.name, why)
		}
		v.text = text
	}
	for i := range pl.params {
		p := &pl.params[i]
		if p.needs != "" && c.values[i].set && !c.values[pl.byName[p.needs]].set {
			faults = fault(faults, p.name, "needs "+p.needs)
		}
	}
	faults = pl.readCursor(c, faults)
	if len(faults) > 0 {
		return BadRequest(faults...)
	}
	return nil
}

// readCursor checks the cursor of a request that gives one. Beside a filter that is wrong a cursor proves nothing.
func (pl *plan) readCursor(c *Call, faults []Fault) []Fault {
	given := false
	for i := range pl.params {
		given = given || pl.params[i].paging && c.values[i].given
	}
	if !given || slices.ContainsFunc(faults, func(f Fault) bool { return !pl.params[pl.byName[f.Path]].paging }) {
		return faults
	}
	params := c.e.fresh()
	pl.fill(c, params)
	for _, f := range pl.cursorOf(params).OpenCursor(c.Filters) {
		faults = fault(faults, f.Path, f.Message)
	}
	return faults
}

// cursorOf returns the embedded CursorParams.
func (pl *plan) cursorOf(params any) CursorParams {
	return reflect.ValueOf(params).Elem().FieldByIndex(pl.cursor).Addr().Interface().(CursorParams)
}

// pair reads one name=value of a query. Unknown names are ignored.
func (pl *plan) pair(c *Call, pair string, faults []Fault) []Fault {
	name, raw, _ := strings.Cut(pair, "=")
	name, err := unescapeQuery(name)
	if err != nil {
		return faults
	}
	i, known := pl.byName[name]
	if !known || pl.params[i].inPath {
		return faults
	}
	text, err := unescapeQuery(raw)
	if err != nil {
		return fault(faults, name, faultEncoding)
	}
	v := &c.values[i]
	if v.set && v.text != text {
		return fault(faults, name, faultTwice)
	}
	v.text, v.set, v.given = text, true, true
	return faults
}

const (
	faultEncoding = "is not valid percent-encoding"
	faultTwice    = "is given twice with different values"
)

// fault adds one fault; the first of a parameter stands.
func fault(faults []Fault, name, why string) []Fault {
	for _, f := range faults {
		if f.Path == name {
			return faults
		}
	}
	return append(faults, Fault{name, why})
}

func unescapeQuery(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// fill sets the fields of a parameter struct from the values that read checked.
func (pl *plan) fill(c *Call, into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range pl.params {
		p, val := &pl.params[i], c.values[i]
		if !val.set {
			continue
		}
		f := v.FieldByIndex(p.index)
		if p.pointer {
			f.Set(reflect.New(p.typ))
			f = f.Elem()
		}
		p.set(f, val.text)
	}
}

// set stores text that canon made, so no parse can fail here.
func (p *param) set(f reflect.Value, text string) {
	switch p.kind {
	case kindString:
		f.SetString(text)
	case kindInt:
		n, _ := strconv.ParseInt(text, 10, 64)
		f.SetInt(n)
	case kindFloat:
		n, _ := strconv.ParseFloat(text, 64)
		f.SetFloat(n)
	case kindBool:
		f.SetBool(text == "true")
	case kindDate:
		d, _ := ParseDate(text)
		f.Set(reflect.ValueOf(d))
	}
}

// canonical appends what names the answer: the endpoint and its parameters, in the
// order of the struct. Paging parameters are left out for a cursor's binding.
func (pl *plan) canonical(b []byte, c *Call, paging bool) []byte {
	b = append(b, c.e.ID...)
	for i := range pl.params {
		if paging || !pl.params[i].paging {
			b = append(b, 0)
			if v := &c.values[i]; v.set {
				mark := byte('=')
				if pl.linked && !v.given { // links repeat what is given
					mark = ':'
				}
				b = append(append(b, mark), v.text...)
			}
		}
	}
	if pl.linked && paging {
		b = append(append(b, 0), c.format...)
	}
	return b
}

// wide reports whether a call asks for so long a page that its answer counts as large before it is begun.
func (pl *plan) wide(c *Call) bool {
	i, ok := pl.byName["limit"]
	if !ok {
		return false
	}
	n, err := strconv.Atoi(c.values[i].text)
	return err == nil && n > wideRows
}

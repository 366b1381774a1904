package bind

import (
	"encoding"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Request holds the parameters of one request as canonical text.
type Request struct {
	Format string
	Path   [maxParams]string // decoded values of the path, in the order of its braces
	values [maxParams]value
}

type value struct {
	text  string // for a list: its items, separated by listSeparator
	set   bool
	given bool // set by the request, not by a default
}

// listSeparator separates the items of a list. It is not UTF-8, so no item contains it.
const listSeparator = "\xff"

func (pl *Plan) Text(r *Request, name string) string {
	if i, ok := pl.byName[name]; ok {
		return r.values[i].text
	}
	return ""
}

// PathTexts returns the parameters of the path in order.
func (pl *Plan) PathTexts(r *Request) []string {
	texts := make([]string, len(pl.Paths))
	for i, p := range pl.Paths {
		texts[i] = r.values[p].text
	}
	return texts
}

// Query returns the parameters that links repeat. Links in a body repeat a parameter even if the
// request gives its default. A Link header does not, because requests with the same body share it.
func (pl *Plan) Query(r *Request) url.Values {
	q := url.Values{}
	for i := range pl.Params {
		if p, v := &pl.Params[i], &r.values[i]; !p.InPath && v.given && v.set && (pl.Linked || v.text != p.Default) {
			q[p.Name] = strings.Split(v.text, listSeparator)
		}
	}
	return q
}

// A Fault is an invalid parameter of a request, and the reason.
type Fault struct {
	Path    string `json:"path" doc:"The parameter's name."`
	Message string `json:"message" doc:"Why the value is invalid."`
}

// Read checks Request.Path and parses the query. params points to the struct of parameters.
// notFound is an invalid path parameter. refused has one fault for each
// invalid query parameter.
func (pl *Plan) Read(r *Request, query string) (params any, notFound *Fault, refused []Fault) {
	for n, i := range pl.Paths {
		text, why := pl.Params[i].canon(r.Path[n])
		if why != "" {
			return nil, &Fault{pl.Params[i].Name, why}, nil
		}
		r.values[i] = value{text: text, set: true, given: true}
	}
	refuse := func(name, why string) {
		if !slices.ContainsFunc(refused, func(f Fault) bool { return f.Path == name }) {
			refused = append(refused, Fault{name, why})
		}
	}
	pl.parse(r, query, refuse)
	for i := range pl.Params {
		p, v := &pl.Params[i], &r.values[i]
		switch {
		case !v.set && p.Required:
			refuse(p.Name, "must be given")
		case !v.set:
			v.text, v.set = p.Default, p.Default != ""
		case p.InPath, p.List: // addItem checks each item
		case p.Null && (v.text == "" || v.text == "null"):
			*v = value{}
		default:
			text, why := p.canon(v.text)
			if why != "" {
				refuse(p.Name, why)
			}
			v.text = text
		}
	}
	for i := range pl.Params {
		if needs := pl.Params[i].needs; needs != "" && r.values[i].set && !r.values[pl.byName[needs]].set {
			refuse(pl.Params[i].Name, "needs "+needs)
		}
	}
	if slices.ContainsFunc(refused, func(f Fault) bool { return !pl.Params[pl.byName[f.Path]].Paging }) {
		return nil, nil, refused // other parameters are invalid, so the cursor cannot be checked
	}
	filled := reflect.New(pl.typ)
	pl.fill(r, filled.Elem())
	if pl.cursor != nil {
		cursor := filled.Elem().FieldByIndex(pl.cursor).Addr().Interface().(CursorParams)
		if name, why := cursor.OpenCursor(func() []byte { return pl.Canonical(nil, r, false) }); why != "" {
			refuse(name, why)
		}
	}
	return filled.Interface(), nil, refused
}

const (
	faultEncoding = "is not valid percent-encoding"
	faultTwice    = "is given twice with different values"
)

// parse reads the pairs of a query. It ignores unknown names.
func (pl *Plan) parse(r *Request, query string, refuse func(name, why string)) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, text, _ := strings.Cut(pair, "=")
		var err, wrong error
		if strings.IndexByte(pair, '%') >= 0 || strings.IndexByte(pair, '+') >= 0 {
			name, err = url.QueryUnescape(name)
			text, wrong = url.QueryUnescape(text)
		}
		i, known := pl.byName[name]
		if err != nil || !known || pl.Params[i].InPath {
			continue
		}
		v := &r.values[i]
		switch {
		case wrong != nil:
			refuse(name, faultEncoding)
		case pl.Params[i].List:
			if why := pl.Params[i].addItem(v, text); why != "" {
				refuse(name, why)
			}
		case v.set && v.text != text:
			refuse(name, faultTwice)
		default:
			*v = value{text: text, set: true, given: true}
		}
	}
}

// Lookup finds one parameter in a query. why is set if the parameter cannot be decoded or has two
// values.
func Lookup(query, param string) (text, why string, given bool) {
	if !strings.Contains(query, strings.Trim(param, "_")) && !strings.Contains(query, "%") {
		return "", "", false
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, raw, _ := strings.Cut(pair, "=")
		if name, err := unescape(name); err != nil || name != param {
			continue
		}
		value, err := unescape(raw)
		switch {
		case err != nil:
			return "", faultEncoding, true
		case given && value != text:
			return text, faultTwice, true
		}
		text, given = value, true
	}
	return text, "", given
}

func (p *Param) addItem(v *value, raw string) (why string) {
	text, why := p.canon(raw)
	switch {
	case why != "":
	case !v.set:
		*v = value{text: text, set: true, given: true}
	case slices.Contains(strings.Split(v.text, listSeparator), text):
	case strings.Count(v.text, listSeparator)+1 >= p.MaxItems:
		why = fmt.Sprintf("is given more than %d times", p.MaxItems)
	default:
		v.text += listSeparator + text
	}
	return why
}

func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// canon returns the canonical form of a value, or why it is invalid.
func (p *Param) canon(raw string) (text, why string) {
	if !utf8.ValidString(raw) || strings.IndexByte(raw, 0) >= 0 {
		return "", "must be UTF-8 text without NUL"
	}
	if raw == "" {
		return "", "must not be empty"
	}
	switch p.Kind {
	case Int:
		n, err := strconv.ParseInt(raw, 10, 64)
		if p.clamp > 0 {
			n = min(n, p.clamp)
		}
		switch {
		case err != nil || raw[0] == '+' || float64(n) < p.Min || float64(n) > p.Max:
			return "", "must be an integer" + p.bounds()
		case p.InPath && raw[0] == '0' && len(raw) > 1: // a resource has one address
			return "", "must be written without leading zeros"
		}
		return strconv.FormatInt(n, 10), ""
	case Float:
		n, err := strconv.ParseFloat(raw, 64)
		if err != nil || n < p.Min || n > p.Max || n != n {
			return "", "must be a number" + p.bounds()
		}
		return strconv.FormatFloat(n, 'g', -1, 64), ""
	case FromText:
		if err := reflect.New(p.Type).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(raw)); err != nil {
			return "", err.Error()
		}
		return raw, ""
	}
	if p.Words != nil && !slices.Contains(p.Words, raw) {
		return "", "must be one of " + strings.Join(p.Words, ", ")
	}
	if p.Kind == Bool {
		return strconv.FormatBool(raw == "1" || raw == "true"), ""
	}
	if n := utf8.RuneCountInString(raw); n < p.MinLen || p.MaxLen > 0 && n > p.MaxLen {
		return "", fmt.Sprintf("must be %d to %d characters", max(p.MinLen, 1), p.MaxLen)
	}
	if p.Pattern != nil && !p.Pattern.MatchString(raw) {
		if p.Pattern.String() == `\S` {
			return "", "must not be blank"
		}
		return "", "must match " + p.Pattern.String()
	}
	return raw, ""
}

func (p *Param) bounds() string {
	low, high := strconv.FormatFloat(p.Min, 'f', -1, 64), strconv.FormatFloat(p.Max, 'f', -1, 64)
	switch {
	case p.Min < -1e300 && p.Max > 1e300:
		return ""
	case p.Max > 1e300:
		return " of at least " + low
	case p.Min < -1e300:
		return " of at most " + high
	}
	return " from " + low + " to " + high
}

// fill stores canonical texts, which always parse.
func (pl *Plan) fill(r *Request, v reflect.Value) {
	for i := range pl.Params {
		p, val := &pl.Params[i], r.values[i]
		if !val.set {
			continue
		}
		f, items := v.FieldByIndex(p.index), []string{val.text}
		switch {
		case p.pointer:
			f.Set(reflect.New(p.Type))
			f = f.Elem()
		case p.List:
			items = strings.Split(val.text, listSeparator)
			f.Set(reflect.MakeSlice(f.Type(), len(items), len(items)))
		}
		for n, text := range items {
			item := f
			if p.List {
				item = f.Index(n)
			}
			switch p.Kind {
			case String:
				item.SetString(text)
			case Int:
				n, _ := strconv.ParseInt(text, 10, 64)
				item.SetInt(n)
			case Float:
				n, _ := strconv.ParseFloat(text, 64)
				item.SetFloat(n)
			case Bool:
				item.SetBool(text == "true")
			case FromText:
				_ = item.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
			}
		}
	}
}

// Canonical appends the key of a request's body: the endpoint and its parameters in the order of
// the struct. Without the paging parameters, it is the key of the filters, for which a cursor is
// valid.
func (pl *Plan) Canonical(b []byte, r *Request, paging bool) []byte {
	b = append(b, pl.id...)
	for i := range pl.Params {
		p, v := &pl.Params[i], &r.values[i]
		if p.Paging && !paging || p.newer && !v.set {
			continue
		}
		b = append(b, 0)
		if v.set {
			mark := byte('=')
			if pl.Linked && !v.given { // links repeat the parameters of the request
				mark = ':'
			}
			b = append(append(b, mark), v.text...)
		}
	}
	if pl.Linked && paging {
		b = append(append(b, 0), r.Format...)
	}
	return b
}

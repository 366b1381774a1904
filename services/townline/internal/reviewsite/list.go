package reviewsite

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/townline/internal/gate"
)

// A listView lists the anomalies of a filter.
type listView struct {
	site.Head
	Total, Done int
	Counts      []count
	States      []gate.Choice
	Codes       []gate.Choice
	Meeting     string
	State       string
	Lines       []line
	Back, More  string // addresses
}

// A count is the number of anomalies in a state, or of anomalies to do if State is empty.
type count struct {
	State   clerk.State
	N       int
	Address string
	Here    bool
}

type line struct {
	clerk.Anomaly
	Address, Day string
	Doubt        string // what is wrong, in words
	Detail       string // what the parser says of it, in English; "" in other languages
}

// pageLines is the number of anomalies per page.
const pageLines = 50

// list serves the start page.
func (s *pages) list(w http.ResponseWriter, r *http.Request, _ *gate.Visitor) error {
	q := r.URL.Query()
	v := &listView{Head: s.Head(r, "list.title"), State: q.Get("state"), Meeting: q.Get("meeting")}
	f := clerk.Filter{Limit: pageLines + 1}
	state := clerk.State(v.State)
	switch {
	case slices.Contains(clerk.States(), state):
		f.State = &state
	case v.State != "all":
		v.State, f.ToDo = "", true
	}
	if id, err := strconv.ParseInt(v.Meeting, 10, 64); err == nil {
		f.Meeting = &id
	} else {
		v.Meeting = ""
	}
	code := q.Get("code")
	if slices.Contains(council.AnomalyCodes(), council.AnomalyCode(code)) {
		f.Code = &code
	}
	if skip, err := strconv.Atoi(q.Get("skip")); err == nil && skip > 0 && skip < 1<<30 {
		f.Skip = skip
	}
	progress, err := clerk.Progress(r.Context(), s.deps.DB, f.Meeting)
	if err != nil {
		return err
	}
	found, err := clerk.Anomalies(r.Context(), s.deps.DB, f)
	if err != nil {
		return err
	}
	v.fill(s, progress, code)
	at := func(skip int) string {
		p := queryOf("state", v.State, "code", code, "meeting", v.Meeting)
		if skip > 0 {
			p.Set("skip", strconv.Itoa(skip))
		}
		return v.ToQuery(p, "/")
	}
	if f.Skip > 0 {
		v.Back = at(max(0, f.Skip-pageLines))
	}
	if len(found) > pageLines {
		found, v.More = found[:pageLines], at(f.Skip+pageLines)
	}
	for _, a := range found {
		one := line{Anomaly: a, Address: v.To("/anomalies/{id}", number(a.ID)), Day: s.Day(v.Lang, a.Date),
			Doubt: s.doubt(v.Lang, a.Code)}
		if v.Lang == site.Languages()[0] {
			one.Detail = a.Message
		}
		v.Lines = append(v.Lines, one)
	}
	return s.Write(w, http.StatusOK, "list.html", v)
}

// queryOf returns a query from alternating names and values. It omits empty values.
func queryOf(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// fill adds counts and choices.
func (v *listView) fill(s *pages, progress map[clerk.State]int, code string) {
	add := func(state clerk.State, n int) {
		p := queryOf("state", string(state), "meeting", v.Meeting)
		v.Counts = append(v.Counts, count{state, n, v.ToQuery(p, "/"), string(state) == v.State})
	}
	toDo := progress[clerk.Open] + progress[clerk.Reopened]
	add("", toDo)
	for _, state := range clerk.States() {
		v.Total += progress[state]
		if n := progress[state]; n > 0 {
			add(state, n)
		}
	}
	v.Done = v.Total - toDo
	for _, state := range append([]string{"", "all"}, clerk.State("").Values()...) {
		v.States = append(v.States, gate.Choice{Value: state, Chosen: state == v.State})
	}
	for _, c := range council.AnomalyCodes() {
		v.Codes = append(v.Codes, gate.Choice{Value: string(c), Text: s.doubt(v.Lang, string(c)), Chosen: string(c) == code})
	}
}

// doubt returns the sentence about a kind of anomaly; the code if an earlier version wrote it.
func (s *pages) doubt(lang, code string) string {
	text, err := s.Site.Words(lang).Say("doubt." + code)
	if err != nil {
		return code
	}
	return text
}

// find redirects to the page of a vote. The visitor enters its number, or its address in the API or
// on the public pages.
func (s *pages) find(w http.ResponseWriter, r *http.Request, _ *gate.Visitor) error {
	h := s.Head(r, "list.title")
	id, err := strconv.ParseInt(path.Base(strings.TrimSpace(r.URL.Query().Get("vote"))), 10, 64)
	if err != nil {
		return clerk.ErrNotFound
	}
	http.Redirect(w, r, h.To("/votes/{id}", number(id)), http.StatusSeeOther)
	return nil
}

func number(id int64) string { return strconv.FormatInt(id, 10) }

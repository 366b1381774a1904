// Package portal serves the two meeting portals of the demo town: an IQM2 / MinuteTraq site with
// the meetings before the move, and a Legistar site with later meetings. Readers of real portals
// can read both.
//
// The pages and rows are templates in this folder. They have the structure of real ones, including
// peculiarities that readers must handle. Agendas and minutes appear at their publication times.
// Meetings and minutes come from package town. Start with New and Register; iqm2.go and legistar.go
// serve the two products.
package portal

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// Client is the city's name in addresses of Legistar.
const Client = "alderbay"

// Portals are the town's portals. They are safe for concurrent use.
type Portals struct {
	*town.Town
	pages *template.Template
}

// The pages are text templates: html/template would escape "&ID=" and control characters in
// attributes, which real portals do not escape.
//
//go:embed iqm2.html legistar.html legistar.json
var files embed.FS

// New opens the portals of a town.
func New(t *town.Town) (*Portals, error) {
	pages, err := template.New("").Funcs(template.FuncMap{
		"upper": strings.ToUpper, "roman": town.Roman, "utc": utc, "body": bodyOf,
		"odd":    func(n int) bool { return n%2 == 1 },
		"letter": func(n int) string { return string(rune('a' + n)) },
		"cut":    func(s, at string) []string { return strings.SplitN(s, at, 2) },
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
	}).ParseFS(files, "*")
	if err != nil {
		return nil, fmt.Errorf("read the pages of the demo's portals: %w", err)
	}
	return &Portals{t, pages}, nil
}

// Register serves both portals.
func (p *Portals) Register(mux *http.ServeMux) {
	p.iqm2(mux)
	p.legistar(mux)
}

// entry is a calendar entry: a meeting, or its twin of another board.
type entry struct {
	*town.Meeting
	ID    int
	Board string
}

// entries returns the calendar entries of meetings, each followed by its twins. lower is subtracted
// from ids.
func entries(meetings []*town.Meeting, lower int) []entry {
	var out []entry
	for _, m := range meetings {
		out = append(out, entry{m, m.ID - lower, m.Board})
		for _, twin := range m.Twins {
			out = append(out, entry{m, twin.ID - lower, twin.Board})
		}
	}
	return out
}

// number returns an id in the query; 0 if it is malformed.
func number(r *http.Request, name string) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(name))
	return n
}

func (p *Portals) show(w http.ResponseWriter, kind, name string, view any) {
	var out bytes.Buffer
	if err := p.pages.ExecuteTemplate(&out, name, view); err != nil {
		http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private")
	_, _ = w.Write(out.Bytes()) // the client may have disconnected
}

const htmlPage = "text/html; charset=utf-8"

// minutes serves the minutes of the first meeting for which is returns true.
func minutes(w http.ResponseWriter, r *http.Request, all []entry, is func(entry) bool) {
	i := slices.IndexFunc(all, is)
	if i < 0 {
		http.Error(w, "The file cannot be found.", http.StatusNotFound)
		return
	}
	file, err := all[i].Minutes()
	document(w, r, all[i].MinutesPosted, file, err)
}

// sheet serves the one document that replaces all documents except minutes.
func sheet(w http.ResponseWriter, r *http.Request) {
	file, err := town.Sheet()
	document(w, r, town.Moved(), file, err)
}

func document(w http.ResponseWriter, r *http.Request, printed time.Time, file []byte, err error) {
	if err != nil {
		http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(file)))
	http.ServeContent(w, r, "", printed, bytes.NewReader(file))
}

// utc formats a time like Legistar: UTC without a Z.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000") }

func bodyOf(board string) int {
	return slices.Index([]string{town.Council, town.Planning, town.Parks}, board) + 1
}

// Package portal serves the two meeting portals of the demo town: an IQM2 / MinuteTraq site with
// the meetings before the move, and a Legistar site with those since. Readers of real portals can
// read both.
//
// Agendas and minutes appear at their times. The pages and rows are our own; the templates in this
// folder have the structure of real ones, with the traits that readers depend on or trip over.
// Documents come from package clerk, meetings from package town. Start with New and Handler;
// iqm2.go and legistar.go serve the two products.
package portal

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// Client is the city's name in addresses of Legistar.
const Client = "alderbay"

// Portals are the town's portals. They are safe for concurrent use.
type Portals struct {
	*town.Bulletin
	pages *template.Template
}

// The pages are text templates: html/template would escape "&ID=" and control characters in
// attributes, which real portals do not escape.
//
//go:embed iqm2.html legistar.html legistar.json
var files embed.FS

// New opens the portals.
func New(b *town.Bulletin) (*Portals, error) {
	pages, err := template.New("").Funcs(template.FuncMap{
		"upper": strings.ToUpper, "roman": town.Roman, "votes": clerk.VoteRecords,
		"odd":    func(n int) bool { return n%2 == 1 },
		"letter": func(n int) string { return string(rune('a' + n)) },
		"cut":    func(s, at string) []string { return strings.SplitN(s, at, 2) },
		"utc":    utc, "guid": guid, "file": file, "body": bodyOf,
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
	}).ParseFS(files, "*")
	if err != nil {
		return nil, fmt.Errorf("read the pages of the demo's portals: %w", err)
	}
	return &Portals{b, pages}, nil
}

// Handler serves both portals.
func (p *Portals) Handler() http.Handler {
	mux := http.NewServeMux()
	p.legistar(mux)
	mux.HandleFunc("/", p.iqm2)
	return mux
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

// find returns the entry with an id, or nil.
func find(all []entry, id int) *entry {
	i := slices.IndexFunc(all, func(e entry) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// number returns an id; 0 if it is malformed.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// show writes a page.
func (p *Portals) show(w http.ResponseWriter, kind, name string, view any) {
	var out bytes.Buffer
	if err := p.pages.ExecuteTemplate(&out, name, view); err != nil {
		http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private")
	_, _ = w.Write(out.Bytes()) // a client that went away misses nothing
}

const htmlPage = "text/html; charset=utf-8"

// A paper selects a document: one of package clerk by name, or the report or attachment of an item.
// The zero paper is none.
type paper struct {
	name    string
	report  bool // the staff report of an item rather than an attachment
	item    int
	printed time.Time // publication time
}

// document serves the PDF of the first meeting that has the paper.
func document(w http.ResponseWriter, r *http.Request, all []entry, of func(entry) paper) {
	for _, e := range all {
		var file []byte
		var err error
		asked := of(e)
		switch {
		case asked.name != "":
			file, err = clerk.Print(asked.name, e.Meeting)
		case asked.item > 0:
			file, err = clerk.Paper(e.Meeting, asked.report, asked.item)
		}
		if err != nil {
			http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
			return
		}
		if file != nil {
			w.Header().Set("Content-Type", "application/pdf")
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(file)))
			http.ServeContent(w, r, "", asked.printed, bytes.NewReader(file))
			return
		}
	}
	http.Error(w, "The file cannot be found.", http.StatusNotFound)
}

// utc formats a time as Legistar does: UTC without a Z.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000") }

// guid returns an id of Legistar's form, a hash of its arguments.
func guid(of ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(of...)))
	h := strings.ToUpper(hex.EncodeToString(sum[:16]))
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// file returns the address of a Legistar document.
func file(host, kind string, id any) string {
	return fmt.Sprintf("http://%s/View.ashx?M=%s&ID=%v&GUID=%s", host, kind, id, url.QueryEscape(guid(kind, id)))
}

func bodyOf(board string) int {
	return slices.Index([]string{town.Council, town.Planning, town.Parks}, board) + 1
}

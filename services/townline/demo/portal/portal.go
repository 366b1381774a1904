// Package portal is the meeting portals of the demo town: the one before the move answers the addresses of an IQM2 / MinuteTraq
// site, and still stands with the meetings until then; the present one those of a Legistar city. Whatever reads real portals reads
// these.
//
// What they show depends on the town and on the clock: agendas and minutes appear when they are posted. The pages and rows are
// the project's own, written after the structure only: templates in the files of this folder, with the traits that readers
// depend on or trip over. Documents come from package clerk, meetings from package town. Start with New and Handler; iqm2.go and
// legistar.go answer for the two products.
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

// Client is the city's name in the addresses of its present portal.
const Client = "alderbay"

// Portals are the town's portals. They are safe for use by several goroutines.
type Portals struct {
	*town.Bulletin
	pages *template.Template
}

// The pages are text templates, not HTML templates: a portal writes "&ID=" and bare control characters into attributes, which an
// escaping template would mend.
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

// entry is one line of a calendar: a meeting, or its twin of another board, under one of its ids.
type entry struct {
	*town.Meeting
	ID    int
	Board string
}

// entries are the lines for meetings: a meeting's twins follow it. The ids are so much lower than those of the portal before.
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

// find is the line of an id, nil if there is none.
func find(all []entry, id int) *entry {
	i := slices.IndexFunc(all, func(e entry) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// number reads an id; 0 for what is none.
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

// A paper is a document that an address asks for: the name of clerk's, or the paper of an item. The zero paper is none.
type paper struct {
	name    string
	report  bool // the staff report of an item rather than an attachment
	item    int
	printed time.Time // since when it is out
}

// document answers with the PDF of the first meeting that has the paper.
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

// utc is a time as Legistar writes it: UTC without a Z.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000") }

// guid is an id of the kind that Legistar's pages want; it follows from what it is of.
func guid(of ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(of...)))
	h := strings.ToUpper(hex.EncodeToString(sum[:16]))
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// file is the address of one of Legistar's documents.
func file(host, kind string, id any) string {
	return fmt.Sprintf("http://%s/View.ashx?M=%s&ID=%v&GUID=%s", host, kind, id, url.QueryEscape(guid(kind, id)))
}

// bodyOf is the number of a board.
func bodyOf(board string) int {
	return slices.Index([]string{town.Council, town.Planning, town.Parks}, board) + 1
}

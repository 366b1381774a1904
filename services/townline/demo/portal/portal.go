// Package portal is the meeting portal that the demo town had before its present one (package legistar): it answers the addresses of an IQM2 / MinuteTraq
// site with pages of the same structure, so that whatever reads real portals reads this one. It still stands, with the meetings until the move.
//
// What a page shows depends on the town and on the clock: agendas and minutes appear when they are posted. The markup keeps the traits that readers
// depend on or trip over: facts in a tooltip with control characters, empty links for missing documents, unescaped ampersands, several
// boards on one calendar, three entries for one joint meeting, a page taken down, a feed that is no XML.
//
// The pages are the project's own, written after the structure only; they carry no script. Documents come from package clerk, meetings
// from package town. Start with New and Handler; view.go is what pages show, documents.go the PDFs, the *.html files the pages.
package portal

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// Portal is the town's meeting portal. It is safe for use by several goroutines.
type Portal struct {
	*town.Bulletin
	pages *template.Template
}

// The pages. They are text templates, not HTML templates: a portal of this kind writes "&ID=" and bare control characters into
// attributes, which an escaping template would mend.
//
//go:embed pages.html
var pages string

// New opens the portal.
func New(b *town.Bulletin) (*Portal, error) {
	all, err := template.New("").Funcs(template.FuncMap{"e": html.EscapeString}).Parse(pages)
	if err != nil {
		return nil, fmt.Errorf("read the portal's pages: %w", err)
	}
	return &Portal{b, all}, nil
}

// Handler serves the portal. Like the real ones, it does not care about capital letters in paths.
func (p *Portal) Handler() http.Handler {
	routes := map[string]http.HandlerFunc{
		"/robots.txt":                    p.robots,
		"/":                              p.calendar,
		"/citizens":                      p.calendar,
		"/citizens/":                     p.calendar,
		"/citizens/default.aspx":         p.calendar,
		"/citizens/calendar.aspx":        p.calendar,
		"/citizens/detail_meeting.aspx":  p.meeting,
		"/citizens/detail_legifile.aspx": p.legiFile,
		"/citizens/detail_motion.aspx":   p.aside,
		"/citizens/splitview.aspx":       p.aside,
		"/citizens/fileopen.aspx":        p.fileOpen,
		"/citizens/fileview.aspx":        p.fileOpen,
		"/services/rss.aspx":             p.feed,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := routes[strings.ToLower(r.URL.Path)]
		if strings.HasPrefix(strings.ToLower(r.URL.Path), "/citizens/images/") {
			page = icon
		}
		switch {
		case page == nil:
			http.Error(w, "The resource cannot be found.", http.StatusNotFound)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The page answers GET only.", http.StatusMethodNotAllowed)
		default:
			page(w, r)
		}
	})
}

// icon stands for every picture of the pages.
func icon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="12"><path d="M1 1h5l3 3v7H1z" fill="#fff" stroke="#00788a"/></svg>`)
}

func (p *Portal) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprint(w, "User-agent: *\nDisallow: /Admin/\nDisallow: /Citizens/Login.aspx\n")
}

// show writes a page.
func (p *Portal) show(w http.ResponseWriter, name string, view any) {
	var out bytes.Buffer
	if err := p.pages.ExecuteTemplate(&out, name, view); err != nil {
		http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	w.Header().Set("Cache-Control", "private")
	w.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	_, _ = w.Write(out.Bytes()) // a client that went away misses nothing
}

// entry is one line of the calendar: a meeting under one of its ids.
type entry struct {
	*town.Meeting
	ID    int
	Board string
}

// entries are the calendar's lines: a meeting's twins follow it.
func (p *Portal) entries() []entry {
	var out []entry
	for _, m := range p.Former() {
		out = append(out, entry{m, m.ID, m.Board})
		for _, twin := range m.Twins {
			out = append(out, entry{m, twin.ID, twin.Board})
		}
	}
	return out
}

// find is the line of a meeting id, nil if there is none.
func (p *Portal) find(id int) *entry {
	for _, e := range p.entries() {
		if e.ID == id {
			return &e
		}
	}
	return nil
}

// parameter reads a number from the query, whatever the case of its name; 0 if there is none.
func parameter(r *http.Request, name string) int {
	n, _ := strconv.Atoi(text(r, name)) // what is no number names nothing
	return n
}

// text reads a query parameter, whatever the case of its name.
func text(r *http.Request, name string) string {
	for key, values := range r.URL.Query() {
		if strings.EqualFold(key, name) {
			return values[0]
		}
	}
	return ""
}

// span reads From and To, as month/day/year; by default the calendar shows the year of the day.
func (p *Portal) span(r *http.Request) (from, to time.Time) {
	year := p.Now().Year()
	read := func(name string, otherwise time.Time) time.Time {
		t, err := time.Parse("1/2/2006", text(r, name))
		if err != nil {
			return otherwise
		}
		return t
	}
	from = read("From", time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
	to = read("To", time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC))
	return from, to
}

// boardID is the portal's number of a board.
func boardID(board string) int {
	return map[string]int{town.Council: 1000, town.Planning: 1016, town.Parks: 1015}[board]
}

// byNewest orders by time, the newest first.
func byNewest(a, b time.Time) int { return cmp.Compare(b.Unix(), a.Unix()) }

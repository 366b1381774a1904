// Package legistar is the meeting portal of the demo town since it moved: it answers the addresses of a Legistar city, its Web API and the pages that
// people look at, so that whatever reads real ones reads this one.
//
// Its rows have the fields and the traits of the API: local midnights and times as text, UTC without a Z, sections as items without a matter, one row
// an action, rosters without words, what passed without a row, copies of the last meetings of the portal before, and the error of a client that nobody knows. Votes
// are data here, from the evening on which they were taken: a second witness beside the minutes, which come later.
//
// Meetings come from package town, documents from package clerk. Start with New and Handler; rows.go is what the API answers, filter.go how it
// is asked, pages.go what people see.
package legistar

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// Client is the city's name in the addresses of the API.
const Client = "alderbay"

// Portal is the town's present portal. It is safe for use by several goroutines.
type Portal struct {
	*town.Bulletin
	pages *template.Template
}

//go:embed pages.html
var pages string

// New opens the portal.
func New(b *town.Bulletin) (*Portal, error) {
	all, err := template.New("").Parse(pages)
	if err != nil {
		return nil, fmt.Errorf("read the present portal's pages: %w", err)
	}
	return &Portal{b, all}, nil
}

// Handler serves the portal: the API below /v1, and what people see at Paths.
func (p *Portal) Handler() http.Handler {
	mux := http.NewServeMux()
	api := func(path string, answer func(r *http.Request) (any, error)) {
		mux.HandleFunc("GET /v1/"+Client+path, func(w http.ResponseWriter, r *http.Request) {
			rows, err := answer(r)
			if err != nil {
				http.Error(w, `{"Message":`+strconv.Quote(err.Error())+`}`, http.StatusBadRequest)
				return
			}
			respond(w, r, rows)
		})
	}
	api("/Bodies", func(*http.Request) (any, error) { return bodies(), nil })
	api("/Events", p.list)
	api("/Events/{id}/EventItems", func(r *http.Request) (any, error) {
		if e := p.event(number(r.PathValue("id"))); e != nil {
			return p.items(r.Host, *e), nil
		}
		return []item{}, nil
	})
	api("/EventItems/{id}/Votes", func(r *http.Request) (any, error) { return p.votes(number(r.PathValue("id"))), nil })
	api("/EventItems/{id}/RollCalls", func(r *http.Request) (any, error) { return p.rollCalls(number(r.PathValue("id"))), nil })
	mux.HandleFunc("GET /v1/{client}/", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("client") == Client {
			http.Error(w, `{"Message":"No HTTP resource was found that matches the request URI."}`, http.StatusNotFound)
			return
		}
		http.Error(w, "LegistarConnectionString setting is not set up in InSite for client: "+url.QueryEscape(r.PathValue("client")), http.StatusInternalServerError)
	})
	mux.HandleFunc("GET /Calendar.aspx", p.calendar)
	mux.HandleFunc("GET /MeetingDetail.aspx", p.meeting)
	mux.HandleFunc("GET /View.ashx", p.view)
	return mux
}

// Paths are what the portal answers to, as patterns of a mux.
func Paths() []string { return []string{"/v1/", "/Calendar.aspx", "/MeetingDetail.aspx", "/View.ashx"} }

// respond answers with JSON to those who ask for it, and with XML to others, as the API does.
func respond(w http.ResponseWriter, r *http.Request, rows any) {
	if !strings.Contains(r.Header.Get("Accept"), "json") {
		w.Header().Set("Content-Type", "application/xml; charset=utf-8")
		fmt.Fprint(w, `<ArrayOfGranicusRow xmlns="http://schemas.datacontract.org/2004/07/LegistarWebAPI.Models.v1" />`)
		return
	}
	body, err := json.Marshal(rows)
	if err != nil {
		http.Error(w, `{"Message":"An error has occurred."}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(body) // a client that went away misses nothing
}

// number reads an id; 0 for what is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// entry is an event: a meeting, or its twin of another body, under the portal's own id.
type entry struct {
	*town.Meeting
	ID    int
	Board string
}

// before is what the ids of the portal before were ahead.
const before = 11_900

// entries are the events, in the order of their start.
func (p *Portal) entries() []entry {
	var out []entry
	for _, m := range p.Present() {
		out = append(out, entry{m, m.ID - before, m.Board})
		for _, twin := range m.Twins {
			out = append(out, entry{m, twin.ID - before, twin.Board})
		}
	}
	return out
}

// event is the event of an id, nil if there is none.
func (p *Portal) event(id int) *entry {
	all := p.entries()
	if i := slices.IndexFunc(all, func(e entry) bool { return e.ID == id }); i >= 0 {
		return &all[i]
	}
	return nil
}

// entered reports whether the votes of an event are there.
func (p *Portal) entered(e entry) bool { return p.Posted(e.Entered()) }

// changed is when something of an event was changed last.
func (p *Portal) changed(e entry) time.Time {
	last := p.Moved().AddDate(0, 0, -7) // when the portal was filled
	for _, at := range []time.Time{e.AgendaPosted, e.Entered(), e.MinutesPosted} {
		if p.Posted(at) && at.After(last) {
			last = at
		}
	}
	return last
}

// view answers with a PDF: M=A is the agenda of an event, M=M its minutes, M=F a file of an item.
func (p *Portal) view(w http.ResponseWriter, r *http.Request) {
	kind, id := r.URL.Query().Get("M"), number(r.URL.Query().Get("ID"))
	for _, e := range p.entries() {
		var file []byte
		var err error
		since := e.AgendaPosted
		switch {
		case kind == "A" && id == e.ID && p.HasAgenda(e.Meeting):
			file, err = clerk.Agenda(e.Meeting)
		case kind == "M" && id == e.ID && p.HasPlain(e.Meeting):
			file, err = clerk.Minutes(e.Meeting)
			since = e.MinutesPosted
		case kind == "M" && id == e.ID && p.HasPacket(e.Meeting):
			file, err = clerk.Packet(e.Meeting)
			since = e.MinutesPosted
		case kind == "F" && p.HasAgenda(e.Meeting):
			file, err = clerk.Paper(e.Meeting, false, id)
		}
		switch {
		case err != nil:
			http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
			return
		case file != nil:
			w.Header().Set("Content-Type", "application/pdf")
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(file)))
			http.ServeContent(w, r, "", since, bytes.NewReader(file))
			return
		}
	}
	http.Error(w, "Invalid parameters!", http.StatusNotFound)
}

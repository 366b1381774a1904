package legistar

import (
	"bytes"
	"net/http"

	"github.com/townline/townline/services/townline/demo/town"
)

// show writes a page.
func (p *Portal) show(w http.ResponseWriter, name string, view any) {
	var out bytes.Buffer
	if err := p.pages.ExecuteTemplate(&out, name, view); err != nil {
		http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "private")
	_, _ = w.Write(out.Bytes()) // a client that went away misses nothing
}

func (p *Portal) calendar(w http.ResponseWriter, r *http.Request) {
	rows := []event{}
	for _, e := range p.entries() {
		rows = append(rows, p.row(r.Host, e))
	}
	p.show(w, "calendar", struct {
		City string
		Rows []event
	}{town.City, rows})
}

func (p *Portal) meeting(w http.ResponseWriter, r *http.Request) {
	e := p.event(number(r.URL.Query().Get("LEGID")))
	if e == nil {
		http.Error(w, "Invalid parameters!", http.StatusNotFound)
		return
	}
	p.show(w, "meeting", struct {
		City  string
		Event event
		Items []item
	}{town.City, p.row(r.Host, *e), p.items(r.Host, *e)})
}

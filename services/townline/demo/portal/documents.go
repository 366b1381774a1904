package portal

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// The kinds of document, by the Type of their address.
const (
	typePacket      = 1
	typeAttachment  = 4
	typeFullMinutes = 12
	typeAgenda      = 14
	typeMinutes     = 15
	typeStaffReport = 30
)

// fileOpen answers with a PDF. Agendas and packets are found by the agenda's id, minutes by the minutes' id, the rest by the file's.
func (p *Portal) fileOpen(w http.ResponseWriter, r *http.Request) {
	kind, id := parameter(r, "Type"), parameter(r, "ID")
	for _, m := range p.Former() {
		file, since, err := p.document(m, kind, id)
		switch {
		case err != nil:
			http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
			return
		case file != nil:
			w.Header().Set("Content-Type", "application/pdf")
			w.Header().Set("Content-Disposition", fmt.Sprintf(`inline; filename="%d_%d.pdf"`, kind, id))
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(file)))
			http.ServeContent(w, r, "", since, bytes.NewReader(file))
			return
		}
	}
	http.Error(w, "The file cannot be found.", http.StatusNotFound)
}

// document prints the document of a meeting that a kind and an id name, with the instant since which it is out; nil if that is
// another meeting's, or not out yet.
func (p *Portal) document(m *town.Meeting, kind, id int) (file []byte, since time.Time, err error) {
	switch {
	case kind == typeAgenda && id == m.AgendaID && p.HasAgenda(m):
		file, err = clerk.Agenda(m)
	case kind == typePacket && id == m.AgendaID && p.HasAgenda(m):
		file, err = clerk.AgendaPacket(m)
	case kind == typeMinutes && id == m.MinutesID && p.HasPlain(m):
		file, err = clerk.Minutes(m)
		return file, m.MinutesPosted, err
	case kind == typeFullMinutes && id == m.MinutesID && p.HasPacket(m):
		file, err = clerk.Packet(m)
		return file, m.MinutesPosted, err
	case (kind == typeStaffReport || kind == typeAttachment) && p.HasAgenda(m):
		file, err = clerk.Paper(m, kind == typeStaffReport, id)
	}
	return file, m.AgendaPosted, err
}

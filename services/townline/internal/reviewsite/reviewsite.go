// Package reviewsite has the pages on which a clerk reviews anomalies and corrects votes: the
// council's half of `townline review`. internal/gate serves them.
//
// Like the commands `townline council correct` and `review` it stores statements with pkg/clerk,
// with a role that can only add them; council-ingest applies corrections. Nothing is overwritten. If
// a clerk has not seen the newest statements, the form stores nothing and shows them (clerk.Seen).
//
// Start with list.go (all anomalies), file.go (the data of one anomaly or vote), page.go (its
// page), act.go (submitted forms), form.go (corrections of a form).
package reviewsite

import (
	"embed"
	"io/fs"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/townline/internal/gate"
)

//go:embed *.html words
var own embed.FS

// pages has the review pages.
type pages struct {
	*gate.Server
	deps run.Deps
}

// Half returns the review pages.
func Half(deps run.Deps) gate.Half {
	return gate.Half{
		Start: "/", Name: "review.half", Files: []fs.FS{own, council.Sentences()}, NotFound: clerk.ErrNotFound,
		Pages: func(server *gate.Server) map[string]gate.Page {
			s := &pages{Server: server, deps: deps}
			return map[string]gate.Page{
				"GET /{$}": s.list, "GET /find": s.find,
				"GET /{kind}/{id}": s.show, "POST /{kind}/{id}": s.submit,
			}
		},
	}
}

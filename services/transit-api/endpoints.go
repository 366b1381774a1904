package transitapi

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// description introduces the API in its OpenAPI document.
const description = `Transit schedules as resources: the GTFS files of each feed, and what is computed from them.

Request JSON with _format=json or with an Accept header that names application/json. Every answer is an envelope of
meta (counts, paging, links) and data. Values are the feed's own cells, as strings; an empty cell is null.

Texts come in the language that lang= or Accept-Language asks for where a feed has translations into it. Others stay in their own.

links name related resources by their relation. next and previous are false if there is no such page.
Answers about a feed change only when a new version is imported: revalidate with If-None-Match. Last-Modified is the time of the feed's last change.`

// endpoints is the whole API. The root listing, the OpenAPI description, access control
// and tests all read it. An endpoint's ID is also the permission needed to read it;
// the word before the dot is the permission's group.
func (a *api) endpoints() rest.Table {
	t := slices.Concat(
		rest.Table{
			rest.Func(rest.Spec{ID: "discovery.resources", Path: "/", Summary: "Every resource with its URI template", Tag: "Discovery"}, a.listResources),
		},
		a.static.Endpoints(),
		a.current.Endpoints(),
	)
	for i := range t {
		t[i].Permission = t[i].ID
	}
	return t
}

// A ResourceDescriptor describes one resource of the API, in the root listing.
type ResourceDescriptor struct {
	ID          string `json:"id" doc:"The resource's id. It is also the permission needed to read the resource." example:"static.stops"`
	Label       string `json:"label" doc:"What the resource contains."`
	URITemplate string `json:"uri_template" doc:"URI template of the resource (RFC 6570)."`
}

func (a *api) listResources(_ context.Context, c *rest.Call, p struct{ wire.Window }) (wire.Envelope[[]ResourceDescriptor], error) {
	var all []ResourceDescriptor
	for i := range a.table {
		e := &a.table[i]
		all = append(all, ResourceDescriptor{e.ID, e.Summary, e.Template(a.public, wire.Dialect())})
	}
	return wire.Cut(c, p.Window, all, wire.Links{{Rel: "feeds", Href: c.URL("/feeds")}}), nil
}

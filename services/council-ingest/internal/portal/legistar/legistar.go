// Package legistar reads councils that use Legistar (Granicus), through its Web API: events, items,
// recorded votes and roll calls.
//
// The API silently truncates answers at a thousand rows, so a full page is never the last.
// Positions are identified by their words, because their numbers differ between tenants. Rows
// without a word are a roster, not a roll call. An item that passed without rows had a voice vote.
// If an answer says that a feature is not set up, that is an error, never an empty list.
//
// The votes on an item are requested if the item has an action, a passed flag, a matter or a roll
// call. They are requested again only after a change of the item. Start with Product; list.go sends
// requests, read.go parses.
package legistar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const name = "legistar"

// Product describes Legistar. It has no PageOf, because the address of a meeting's page needs more
// than the id.
func Product() portal.Product {
	return portal.Product{
		Name: name, Title: "Legistar", Example: "https://TOWN.legistar.com",
		Like:   "Legistar has ones like https://TOWN.legistar.com and https://" + apiHost + "/v1/CLIENT",
		Tenant: tenant, Root: root, Parse: parse,
		New:     func(c *portal.Client) portal.Reader { return &Reader{c} },
		Can:     portal.Can{Record: true, Votes: true, RollCall: true, Changes: true},
		Minutes: []string{string(portal.KindMinutes)},
	}
}

const apiHost = "webapi.legistar.com"

// tenant returns the client in https://webapi.legistar.com/v1/client. For an address of the pages,
// it returns the town, which is usually the same.
func tenant(address *url.URL) string {
	if strings.EqualFold(address.Hostname(), apiHost) {
		return clientIn(address.Path)
	}
	return portal.Town(address, "legistar.com")
}

func clientIn(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		if strings.EqualFold(p, "v1") && i+1 < len(parts) {
			return strings.ToLower(parts[i+1])
		}
	}
	return ""
}

// root returns the root of a tenant's API. It is on any host if the path has /v1/client, otherwise
// on the vendor's host.
func root(address *url.URL) *url.URL {
	if client := clientIn(address.Path); client != "" {
		return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: "/v1/" + client}
	}
	if client := tenant(address); client != "" {
		return &url.URL{Scheme: "https", Host: apiHost, Path: "/v1/" + client}
	}
	return nil
}

// A Reader reads one tenant.
type Reader struct{ *portal.Client }

func (r *Reader) Probe(ctx context.Context) error {
	_, err := r.get(ctx, "/Events", url.Values{"$top": {"1"}})
	return err
}

func (r *Reader) get(ctx context.Context, path string, query url.Values) (page, error) {
	u := *r.Root
	u.Path += path
	if r.Token != "" {
		query.Set("token", r.Token)
	}
	u.RawQuery = query.Encode()
	p, err := portal.FetchJSON(ctx, r.Client, u.String(), func(body []byte) (page, error) {
		rows, err := portal.DecodeList(body)
		if err != nil {
			err = fmt.Errorf("read %s: %w", path, err)
		}
		return page{body, rows}, err
	})
	return p, r.explain(path, err)
}

type page struct {
	body []byte
	rows portal.List
}

// explain adds advice to an error if the answer shows a problem of the tenant.
func (r *Reader) explain(path string, err error) error {
	var answer *fetch.StatusError
	if !errors.As(err, &answer) {
		return err
	}
	switch {
	case bytes.Contains(answer.Body, []byte("LegistarConnectionString")):
		return fmt.Errorf("%w: the API knows no client %q, which need not be the name in the address of its pages: %w",
			portal.ErrNone, clientIn(r.Root.Path), err)
	case bytes.Contains(answer.Body, []byte("Draft/Public status")):
		return fmt.Errorf("%w: the API says that the agenda status of %q is not set up, and lists no events: %w",
			portal.ErrNone, clientIn(r.Root.Path), err)
	case answer.Code == http.StatusForbidden && r.Token == "":
		return fmt.Errorf("%s: the tenant may want a token: set token of the portal in council.yaml: %w", path, err)
	}
	return err
}

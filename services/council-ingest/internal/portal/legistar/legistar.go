// Package legistar reads councils that use Legistar (Granicus), through its Web API: events, their
// items, recorded votes and roll calls.
//
// The API answers a thousand rows at most and does not say so: a full page is never the end. A
// tenant's words are mapped word by word, for its numbers mean something else in the next city.
// Rows without a word are a roster, not a roll, and what passed without a row is a voice vote. An
// answer that something is not set up is an error, never an empty list.
//
// The votes of an item are asked for where there is an action, a passed flag, a matter or a roll
// call, and again only when the item was changed. Start with Product; list.go asks, read.go is the
// pure part.
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

// Product describes Legistar. The addresses of its pages hold more than the id of a meeting.
func Product() portal.Product {
	return portal.Product{
		Name: name, Title: "Legistar", Example: "https://TOWN.legistar.com",
		Like:   "Legistar has ones like https://TOWN.legistar.com and https://" + apiHost + "/v1/CLIENT",
		Tenant: tenant, Root: root, Parse: parse,
		New:     func(c *portal.Client) portal.Reader { return &Reader{c} },
		Can:     portal.Can{Record: true, Votes: true, Roll: true, Changes: true},
		Minutes: []string{string(portal.KindMinutes)},
	}
}

const (
	apiHost = "webapi.legistar.com"
	inSite  = ".legistar.com"
)

// tenant is the client in https://webapi.legistar.com/v1/client, or the host's name where people
// look at it, which is mostly the same.
func tenant(address *url.URL) string {
	host := strings.ToLower(address.Hostname())
	town, ours := strings.CutSuffix(host, inSite)
	switch {
	case host == apiHost:
		return clientIn(address.Path)
	case ours && town != "" && !strings.Contains(town, "."):
		return town
	}
	return ""
}

// clientIn is the client in a path of the API: the element after v1.
func clientIn(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		if strings.EqualFold(p, "v1") && i+1 < len(parts) {
			return strings.ToLower(parts[i+1])
		}
	}
	return ""
}

// root is where the API answers for a tenant: any host with /v1/client in its path, or the API's
// own for a page that people look at.
func root(address *url.URL) *url.URL {
	if client := clientIn(address.Path); client != "" {
		return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: "/v1/" + client}
	}
	if client := tenant(address); client != "" {
		return &url.URL{Scheme: "https", Host: apiHost, Path: "/v1/" + client}
	}
	return nil
}

// A Reader is one tenant of the API.
type Reader struct{ *portal.Client }

// Knock asks for one event.
func (s *Reader) Knock(ctx context.Context) error {
	_, err := s.get(ctx, "/Events", url.Values{"$top": {"1"}})
	return err
}

// get asks for a list below the tenant's root. The query is encoded once, here.
func (s *Reader) get(ctx context.Context, path string, query url.Values) (page, error) {
	u := *s.Root
	u.Path += path
	if s.Token != "" {
		query.Set("token", s.Token)
	}
	u.RawQuery = query.Encode()
	p, err := portal.AskJSON(ctx, s.Client, u.String(), func(body []byte) (page, error) {
		rows, err := portal.DecodeList(body)
		if err != nil {
			err = fmt.Errorf("read %s: %w", path, err)
		}
		return page{body, rows}, err
	})
	return p, s.explained(path, err)
}

// A page is one answer of a list: byte for byte, and its rows.
type page struct {
	body []byte
	rows portal.List
}

// explained gives an error the words of the API where they say what is wrong with the tenant.
func (s *Reader) explained(path string, err error) error {
	var answer *fetch.StatusError
	if !errors.As(err, &answer) {
		return err
	}
	switch {
	case bytes.Contains(answer.Body, []byte("LegistarConnectionString")):
		return fmt.Errorf("%w: the API knows no client %q, which need not be the name in the address of its pages: %w",
			portal.ErrNone, clientIn(s.Root.Path), err)
	case bytes.Contains(answer.Body, []byte("Draft/Public status")):
		return fmt.Errorf("%w: the API says that the agenda status of %q is not set up, and lists no events: %w",
			portal.ErrNone, clientIn(s.Root.Path), err)
	case answer.Code == http.StatusForbidden && s.Token == "":
		return fmt.Errorf("%s: the tenant may want a token: set token of the portal in council.yaml: %w", path, err)
	}
	return err
}

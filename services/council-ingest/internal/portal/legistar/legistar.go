// Package legistar reads councils that use Legistar (Granicus), through its Web API: events, their items, recorded votes and roll calls.
//
// The API answers a thousand rows at most and does not say so: a full page is never the end. A tenant's words are mapped word by word, for
// its numbers mean something else in the next city. Rows without a word are a roster that somebody put there, not a roll, and what
// passed without a row is a voice vote. An answer that says that something is not set up is an error with those words, never an empty list.
//
// Of the answers about one meeting the votes of an item are asked for where there is an action, a passed flag, a matter or a roll call, and again only when the
// portal says that the item was changed. The package stores nothing and concludes nothing; see package portal for what all products
// share. Start with Open; list.go asks, read.go is the pure part, rows.go the API's words.
package legistar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const name = "legistar"

// Product describes Legistar to those who know no product.
func Product() portal.Product {
	return portal.Product{Name: name, Title: "Legistar", Example: "https://TOWN.legistar.com", Tenant: tenant, Read: read, Knock: knock, Minutes: []string{string(portal.KindMinutes)},
		Page: func(string, string) string { return "" }, // its addresses hold more than the id
		Open: portal.Opens(Open)}
}

const (
	apiHost = "webapi.legistar.com"
	inSite  = ".legistar.com"
)

// tenant is the client in https://webapi.legistar.com/v1/client, or the host's name where people look at it, which is mostly the same.
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

// root is where the API answers for a tenant: any host with /v1/client in its path, or the API's own for a page that people look at.
func root(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errAddress
	}
	if client := clientIn(u.Path); client != "" {
		return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/v1/" + client}, nil
	}
	if client := tenant(u); client != "" {
		return &url.URL{Scheme: "https", Host: apiHost, Path: "/v1/" + client}, nil
	}
	return nil, errAddress
}

var errAddress = fmt.Errorf("%w: Legistar has ones like https://TOWN.legistar.com and https://%s/v1/CLIENT", portal.ErrAddress, apiHost)

// A Source is one tenant of the API.
type Source struct {
	cfg    portal.Config
	root   *url.URL
	client *portal.Client
}

// knock asks for one event.
func knock(ctx context.Context, s portal.Source) error {
	source, ours := s.(*Source)
	if !ours {
		return portal.ErrNotPortal
	}
	_, err := source.get(ctx, "/Events", url.Values{"$top": {"1"}})
	return err
}

// Open finds the tenant at an address.
func Open(ctx context.Context, cfg portal.Config) (*Source, error) {
	at, err := root(cfg.URL)
	if err != nil {
		return nil, err
	}
	client, err := portal.NewClient(ctx, cfg, at)
	if err != nil {
		return nil, err
	}
	return &Source{cfg: cfg, root: at, client: client}, nil
}

// Close ends it.
func (s *Source) Close() { s.client.Close() }

// Can is what the API hands over.
func (s *Source) Can() portal.Can {
	return portal.Can{Items: true, Record: true, Votes: true, Roll: true, Changes: true}
}

// File returns a document.
func (s *Source) File(ctx context.Context, address string, have portal.Validators, maxBytes int64) (portal.File, error) {
	return s.client.File(ctx, address, have, maxBytes)
}

// get asks for a list below the tenant's root. The query is encoded once, here.
func (s *Source) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	u := *s.root
	u.Path += path
	if query == nil {
		query = url.Values{}
	}
	if s.cfg.Token != "" {
		query.Set("token", s.cfg.Token)
	}
	u.RawQuery = query.Encode()
	r := fetch.Request{URL: u.String(), Header: http.Header{"Accept": {"application/json"}}}
	body, err := portal.Ask(ctx, s.client, r, func(body []byte, _ fetch.Meta) ([]byte, error) {
		var rows *[]json.RawMessage // null is no list, and not an empty one
		err := portal.Crowded(body)
		if err == nil {
			err = json.Unmarshal(body, &rows)
		}
		if err == nil && rows == nil {
			err = errors.New("null is no list")
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w: %w", path, portal.ErrNotPortal, err)
		}
		return body, nil
	})
	return body, s.explained(path, err)
}

// explained gives an error the words of the API where they say what is wrong with the tenant.
func (s *Source) explained(path string, err error) error {
	var answer *fetch.StatusError
	if !errors.As(err, &answer) {
		return err
	}
	switch {
	case bytes.Contains(answer.Body, []byte("LegistarConnectionString")):
		return fmt.Errorf("%w: the API knows no client %q, which need not be the name in the address of its pages: %w", portal.ErrNone, clientIn(s.root.Path), err)
	case bytes.Contains(answer.Body, []byte("Draft/Public status")):
		return fmt.Errorf("%w: the API says that the agenda status of %q is not set up, and lists no events: %w", portal.ErrNone, clientIn(s.root.Path), err)
	case answer.Code == http.StatusForbidden && s.cfg.Token == "":
		return fmt.Errorf("%s: the tenant may want a token: set token of the portal in council.yaml: %w", path, err)
	}
	return err
}

// Package products lists the portal products, and detects the product at an address. To add a
// product, add a package and a line in All.
package products

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/civicclerk"
	"github.com/townline/townline/services/council-ingest/internal/portal/iqm2"
	"github.com/townline/townline/services/council-ingest/internal/portal/legistar"
	"github.com/townline/townline/services/council-ingest/internal/portal/primegov"
)

// All lists the products. The first product is the default for an unknown address.
func All() []portal.Product {
	return []portal.Product{iqm2.Product(), legistar.Product(), civicclerk.Product(), primegov.Product()}
}

func Named(name string) (p portal.Product, ok bool) {
	p = first(func(p portal.Product) bool { return p.Name == name })
	return p, p.Name != ""
}

// ByAddress returns the product whose vendor hosts the address, or a zero Product.
func ByAddress(u *url.URL) portal.Product {
	return first(func(p portal.Product) bool { return p.Tenant(u) != "" })
}

func first(is func(portal.Product) bool) portal.Product {
	for _, p := range All() {
		if is(p) {
			return p
		}
	}
	return portal.Product{}
}

// A Found is a detected portal.
type Found struct {
	Product portal.Product
	URL     string // address of the portal, even if a link led to it
}

func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Find detects the product at an address: by the address alone, by one cheap request for each
// product, or by a link on the page. The error says what each product answered.
func Find(ctx context.Context, cfg portal.Config) (Found, error) {
	u := portal.WebAddress(cfg.URL)
	if u == nil {
		return Found{}, fmt.Errorf("%q: %w", cfg.URL, portal.ErrAddress)
	}
	if p := ByAddress(u); p.Name != "" {
		return Found{p, cfg.URL}, nil
	}
	cfg.Tries = 1
	var tried []error
	for _, p := range All() {
		err := probe(ctx, p, cfg)
		if ctx.Err() != nil {
			return Found{}, context.Cause(ctx)
		}
		if err == nil {
			return Found{p, cfg.URL}, nil
		}
		tried = append(tried, fmt.Errorf("%s: %w", p.Title, err))
	}
	if found, err := linked(ctx, cfg, u); err == nil && found.Product.Name != "" {
		return found, nil
	}
	return Found{}, fmt.Errorf("none of the products answers at %s: %w", cfg.URL, errors.Join(tried...))
}

func probe(ctx context.Context, p portal.Product, cfg portal.Config) error {
	reader, err := p.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer reader.Close()
	return reader.Probe(ctx)
}

// linked finds a link on a city's page that leads to a portal on a vendor's host.
func linked(ctx context.Context, cfg portal.Config, at *url.URL) (Found, error) {
	client, err := portal.NewClient(ctx, cfg, at)
	if err != nil {
		return Found{}, err
	}
	defer client.Close()
	doc, err := portal.FetchPage(ctx, client, at.String(), portal.ParsePage)
	if err != nil {
		return Found{}, fmt.Errorf("read %s: %w", at, err)
	}
	for _, a := range doc.Find("a[href], iframe[src]").EachIter() {
		to := portal.WebAddress(portal.Resolve(at, a.AttrOr("href", a.AttrOr("src", ""))))
		if to == nil {
			continue
		}
		if p := ByAddress(to); p.Name != "" {
			return Found{p, to.String()}, nil
		}
	}
	return Found{}, nil
}

// Package products lists the makes of portals that are read, and finds out which one an address
// leads to.
//
// It is the one place outside the products that names them. A new product is one more package and
// one more line in All.
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

// All are the products, the one first that is taken for an address that says nothing.
func All() []portal.Product {
	return []portal.Product{iqm2.Product(), legistar.Product(), civicclerk.Product(), primegov.Product()}
}

// Named returns the product of a name; ok is false when there is none.
func Named(name string) (p portal.Product, ok bool) {
	p = first(func(p portal.Product) bool { return p.Name == name })
	return p, p.Name != ""
}

// ByAddress returns the product that an address alone names; one without a name when it names none.
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

// A Found is a portal that was found.
type Found struct {
	Product portal.Product
	URL     string // of the portal, which the address may only have led to
}

// Names are the names of all products.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Find says which product is behind an address, by the address alone, by asking it as each product
// would be asked, with one cheap request each, or by what its pages link to. The error has what
// every product answered.
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
		err := knock(ctx, p, cfg)
		if ctx.Err() != nil {
			return Found{}, context.Cause(ctx)
		}
		if err == nil {
			return Found{p, cfg.URL}, nil
		}
		tried = append(tried, fmt.Errorf("%s: %w", p.Title, err))
	}
	// A city's own page links to its portal.
	if found, err := linked(ctx, cfg, u); err == nil && found.Product.Name != "" {
		return found, nil
	}
	return Found{}, fmt.Errorf("no product that is known answers at %s: %w", cfg.URL, errors.Join(tried...))
}

// knock asks one portal as if it were of a product.
func knock(ctx context.Context, p portal.Product, cfg portal.Config) error {
	src, err := p.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer src.Close()
	return src.Knock(ctx)
}

// linked looks on a page for a link to a portal whose address names its product.
func linked(ctx context.Context, cfg portal.Config, at *url.URL) (Found, error) {
	client, err := portal.NewClient(ctx, cfg, at)
	if err != nil {
		return Found{}, err
	}
	defer client.Close()
	doc, err := portal.AskPage(ctx, client, at.String(), portal.ParsePage)
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

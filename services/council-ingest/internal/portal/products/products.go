// Package products lists the makes of portals that are read, and finds out which one an address leads to.
//
// It is the one place outside the products that names them. It reads no answer: that is for the products (package portal has their
// interface), and stores nothing. A new product is one more package beside iqm2 and one more line in All.
package products

import (
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
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return portal.Product{}, false
}

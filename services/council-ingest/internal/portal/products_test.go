package portal_test

import (
	"net/url"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/portal/products"
)

// The host of an address identifies the product and the town, whatever page of the portal it is.
func TestProductsByAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://alder.portal.civicclerk.com/event/12/files": "civicclerk alder",
		"https://ALDER.api.civicclerk.com/v1/Events":         "civicclerk alder",
		"https://alder.primegov.com/public/portal":           "primegov alder",
		"https://alder.iqm2.com/Citizens/Default.aspx":       "iqm2 alder", "https://www.civicclerk.com": "",
		"https://alder.gov": "", "https://primegov.com.alder.gov": "", "https://civicclerk.com": "",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range products.All() {
			if town := p.Tenant(u); town != "" {
				got += p.Name + " " + town
			}
		}
		if got != want {
			t.Errorf("%s: %q", address, got)
		}
	}
}

// The addresses lead to the pages of meetings, for people.
func TestPagesOfMeetings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ product, root, want string }{
		{"civicclerk", "https://alder.api.civicclerk.com/v1/", "https://alder.portal.civicclerk.com/event/12/overview"},
		{"civicclerk", "http://127.0.0.1:8/clerk/v1/Events?x", "http://127.0.0.1:8/clerk/event/12/overview"},
		{"primegov", "https://alder.primegov.com/Portal/Meeting?meetingTemplateId=3",
			"https://alder.primegov.com/public/portal"},
		{"primegov", "http://127.0.0.1:8/prime/public/portal", "http://127.0.0.1:8/prime/public/portal"},
		{"primegov", "gopher://alder", ""},
	} {
		if p, ok := products.Named(c.product); !ok || p.Page(c.root, "12") != c.want {
			t.Errorf("%s %s: %q", c.product, c.root, p.Page(c.root, "12"))
		}
	}
}

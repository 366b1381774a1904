// Package wellknown serves the files that programs look for at the same address on every host:
// robots.txt for search engines, security.txt (RFC 9116) for those who found a vulnerability, and
// data.json, the catalogue that data.gov harvests (dcat.go).
package wellknown

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
)

// A Host is what the files say about the host of an API.
type Host struct {
	conf.Public
	Root     string   // scheme and host
	Disallow []string // paths that repeat what other pages show
	Sitemap  string   // path of the sitemap; "" for none
}

// SecurityPath is the address of security.txt.
const SecurityPath = "/.well-known/security.txt"

// securityDays is the life of a security.txt. RFC 9116 recommends less than a year. The date moves
// with the days on which the file is served, because the contact is that of the running program.
const securityDays = 180

// Endpoints returns robots.txt, and security.txt if there is a contact.
func (h *Host) Endpoints() (rest.Table, error) {
	contacts, err := h.SecurityContacts()
	if err != nil {
		return nil, err
	}
	t := rest.Table{rest.From(rest.Spec{ID: "site.robots", Path: "/robots.txt",
		Summary: "What search engines should not read", Media: "text/plain"}, rest.Fixed[rest.None](time.Hour), h.robots)}
	if len(contacts) == 0 {
		return t, nil
	}
	return append(t, rest.From(rest.Spec{ID: "site.security", Path: SecurityPath,
		Summary: "Where to report vulnerabilities", Media: "text/plain"}, daily(time.Now),
		func(_ context.Context, _ *rest.Call, _ rest.None, day time.Time) (rest.File, error) {
			return rest.File{Body: h.security(contacts, day)}, nil
		})), nil
}

// daily is the source of answers that change at midnight in UTC.
func daily(now func() time.Time) rest.Source[rest.None, time.Time] {
	const length = 24 * time.Hour
	return rest.Source[rest.None, time.Time]{Now: func(context.Context, *rest.Call, rest.None) (time.Time,
		rest.Generation, error) {
		day := now().UTC().Truncate(length)
		return day, rest.Generation{N: day.Unix(), Until: day.Add(length)}, nil
	}}
}

func (h *Host) robots(context.Context, *rest.Call, rest.None, rest.None) (rest.File, error) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if h.SearchEngines == "off" {
		b.WriteString("Disallow: /\n")
		return rest.File{Body: []byte(b.String())}, nil
	}
	for _, path := range h.Disallow {
		b.WriteString("Disallow: " + path + "\n")
	}
	if h.Sitemap != "" {
		b.WriteString("\nSitemap: " + h.Root + h.Sitemap + "\n")
	}
	return rest.File{Body: []byte(b.String())}, nil
}

func (h *Host) security(contacts []string, day time.Time) []byte {
	var b strings.Builder
	for _, c := range contacts {
		b.WriteString("Contact: " + c + "\n")
	}
	fmt.Fprintf(&b, "Expires: %s\n", day.AddDate(0, 0, securityDays).Format(time.RFC3339))
	if h.SecurityLanguages != "" {
		b.WriteString("Preferred-Languages: " + h.SecurityLanguages + "\n")
	}
	if strings.HasPrefix(h.Root, "https://") {
		b.WriteString("Canonical: " + h.Root + SecurityPath + "\n")
	}
	return []byte(b.String())
}

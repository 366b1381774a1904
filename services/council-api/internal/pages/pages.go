// Package pages serves the pages for people, at the root of the host. Each file has one page, or a
// few of one kind. A page calls the functions of the endpoints whose data it shows, in
// internal/civic and internal/review. It runs only statements that an endpoint declares. Templates
// format the data; the sentences are in words/.
//
// endpoints.go lists the pages. page.go has the view of the templates. pages.go and form.go have
// what pages share.
package pages

import (
	"fmt"
	"hash/fnv"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/image/font/opentype"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/site"
)

// Pages has the settings and dependencies of the pages.
type Pages struct {
	Town   string
	Mail   string // mail address for reports of errors; "" for none
	Zone   *time.Location
	Locale lang.Locale
	Root   string // address of the pages, with scheme and host

	Public conf.Public

	AccessLog rest.AccessLog

	Color  string      // colour of links and buttons, six hexadecimal digits; "" for the site's own
	Logo   string      // path of a picture before the name; "" for none
	Frames site.Policy // which sites may frame the pages below /embed

	site          *site.Site
	regular, bold *opentype.Font // of pictures
}

// Revision is a hash of everything that pages depend on except the data: the program, its texts and
// its settings. After a change, clients fetch the pages again.
func (a *Pages) Revision() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", []string{run.Version, a.site.Digest(), a.Town, a.Mail, a.Zone.String(), a.Root,
		strings.Join(a.Frames.Frames, " "), fmt.Sprint(a.Locale), fmt.Sprint(a.Public, a.AccessLog)})
	return fmt.Sprintf("%016x", h.Sum64())
}

// sections are the main pages with the keys of their names. The first inMenu are in the menu, the
// others in the footer.
func sections() [][2]string {
	return [][2]string{{"nav.votes", "/votes"}, {"nav.members", "/members"}, {"nav.topics", "/topics"},
		{"nav.meetings", "/meetings"}, {"nav.changes", "/changes"}, {"nav.anomalies", "/anomalies"}, {"nav.about", "/about"}}
}

const inMenu = 4

// searchPath is the page that the search field of the header opens.
const searchPath = "/search"

// sectionOf returns the main page to which the page at a path belongs; "" for none.
func sectionOf(path string) string {
	section, _, _ := strings.Cut(path[1:], "/")
	if section == "search" {
		return "/votes"
	}
	return "/" + section
}

// head fills the head that all pages share. here is the main page they belong to.
func (a *Pages) head(c *rest.Call, here string) site.Head {
	h := a.site.Head(c)
	say := a.site.Words(h.Lang)
	h.Brand = a.town(h.Lang)
	h.Docs, h.Styles = c.URL("/docs"), []string{"council.css"}
	h.Canonical = a.Root + c.Self()
	all := make([]site.Link, 0, len(sections()))
	for _, s := range sections() {
		all = append(all, site.Link{Text: say.Text(s[0]), Address: h.To(s[1]), Here: s[1] == here})
	}
	h.Nav, h.Footer = all[:inMenu], all[inMenu:]
	h.Search, h.Accessed = c.Path(searchPath), true
	return h
}

// town returns the name of the town, or of the pages if the operator has not named it.
func (a *Pages) town(tag string) string {
	if a.Town == conf.DefaultTown {
		return a.site.Words(tag).Text("home.brand")
	}
	return a.Town
}

func asJSON(title, address string) site.Other {
	if title != "JSON" {
		title += " (JSON)"
	}
	return site.Other{Type: "application/json", Title: title, Address: address}
}

func number(id int64) string { return strconv.FormatInt(id, 10) }

func withoutPaging(c *rest.Call) string {
	if q := filtersOf(c); len(q) > 0 {
		return "?" + q.Encode()
	}
	return ""
}

func filtersOf(c *rest.Call) url.Values {
	_, raw, _ := strings.Cut(c.SelfWith("cursor", ""), "?")
	q, _ := url.ParseQuery(raw) // cannot fail, because the address was made from parameters
	q.Del("limit")
	return q
}

func each[T, U any](list []T, fn func(*T) U) []U {
	all := make([]U, len(list))
	for i := range list {
		all[i] = fn(&list[i])
	}
	return all
}

// report returns the mailto link that reports an error, or "" if no mail address is set. printed
// quotes the source.
func (a *Pages) report(p *page, what, printed string) string {
	if a.Mail == "" {
		return ""
	}
	body := p.Text("report.body") + "\n\n\n--\n" + what + "\n" + a.Root + p.c.Self() + withoutPaging(p.c) + "\n" + printed
	q := url.Values{"subject": {p.Text("report.subject", what)}, "body": {body}}
	return "mailto:" + url.PathEscape(a.Mail) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// listed describes a list for search engines, as JSON-LD.
func (a *Pages) listed(p *page, entries []ref) map[string]any {
	list := make([]map[string]any, len(entries))
	for i, e := range entries {
		path, _, _ := strings.Cut(e.Address, "?") // without the language, like Canonical
		list[i] = map[string]any{"@type": "ListItem", "position": i + 1, "name": e.Text, "url": a.Root + path}
	}
	return a.linked(p, "ItemList", p.Title, map[string]any{"numberOfItems": len(entries), "itemListElement": list})
}

// linked describes a page for search engines, as JSON-LD.
func (a *Pages) linked(p *page, kind, name string, about map[string]any) map[string]any {
	maps.Copy(about, map[string]any{"@context": "https://schema.org", "@type": kind, "name": name, "url": a.Root +
		p.c.Self()})
	return about
}

func thing(kind, name string) map[string]any { return map[string]any{"@type": kind, "name": name} }

func (a *Pages) listedVotes(p *page, votes votes) map[string]any {
	return a.listed(p, each(votes, func(v *vote) ref { return ref{v.Item, v.Address()} }))
}

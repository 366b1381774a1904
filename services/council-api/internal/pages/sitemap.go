package pages

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A sitemap may have 50,000 addresses (sitemaps.org). So there is one for the meetings and votes of
// each quarter, and one for all other pages.
const (
	maxMeetings = 10_000 // for a quarter
	maxVotes    = 20_000 // for a quarter; the pages of meetings link to the other votes
	maxListed   = 50_000
)

// Sitemap is the address of the list of sitemaps.
const Sitemap = "/sitemap.xml"

// An address is the address of a page or a sitemap, and the day of its last change.
type address struct {
	At      string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

const sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"

func (a *Pages) sitemaps(ctx context.Context, c *rest.Call, _ rest.None) (rest.File, error) {
	times, err := civic.GetTopicTimeline(ctx, c, civic.OfBody{})
	if err != nil {
		return rest.File{}, err
	}
	list := []address{{At: a.Root + "/sitemaps/pages.xml"}}
	last := ""
	for _, e := range times.Data {
		if e.Quarter != last {
			last = e.Quarter
			list = append(list, address{At: a.Root + "/sitemaps/" + last + ".xml"})
		}
	}
	return asXML(ctx, c, struct {
		XMLName xml.Name  `xml:"sitemapindex"`
		Space   string    `xml:"xmlns,attr"`
		List    []address `xml:"sitemap"`
	}{Space: sitemapSpace, List: list[:min(len(list), maxListed)]})
}

type sitemapParams struct {
	Part string `path:"part" pattern:"^(pages|[0-9]{4}-Q[1-4])\\.xml$" doc:"pages.xml, or a quarter such as 2026-Q3.xml."`
}

func (a *Pages) sitemap(ctx context.Context, c *rest.Call, p sitemapParams) (rest.File, error) {
	var list []address
	var err error
	if p.Part == "pages.xml" {
		list, err = a.otherPages(ctx, c)
	} else {
		list, err = a.quarterPages(ctx, c, p.Part)
	}
	if err != nil {
		return rest.File{}, err
	}
	if len(list) == 0 {
		return rest.File{}, rest.NotFound("no meeting is known of %.7s", p.Part)
	}
	return asXML(ctx, c, struct {
		XMLName xml.Name  `xml:"urlset"`
		Space   string    `xml:"xmlns,attr"`
		List    []address `xml:"url"`
	}{Space: sitemapSpace, List: list[:min(len(list), maxListed)]})
}

func (a *Pages) otherPages(ctx context.Context, c *rest.Call) ([]address, error) {
	list := []address{{At: a.Root + "/"}, {At: a.Root + "/members/agreement"}}
	for _, s := range sections() {
		list = append(list, address{At: a.Root + s[1]})
	}
	for _, t := range council.Topics() {
		list = append(list, address{At: a.Root + rest.URL("", "/topics/{topic}", string(t))})
	}
	bodies, err := civic.ListBodies(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	for i := range bodies.Data {
		if len(bodies.Data) > 1 {
			list = append(list, address{At: a.Root + rest.URL("", "/bodies/{id}", bodies.Data[i].Slug)})
		}
	}
	members, err := civic.ListMembers(ctx, c, civic.OfBody{})
	if err != nil {
		return nil, err
	}
	for _, m := range members.Data {
		list = append(list, address{At: a.Root + rest.URL("", "/members/{id}", number(m.ID)), Changed: m.LastSeen.String()})
	}
	return list, nil
}

// quarterPages returns the addresses of the meetings and votes of a quarter. part is a file name
// such as "2026-Q3.xml".
func (a *Pages) quarterPages(ctx context.Context, c *rest.Call, part string) ([]address, error) {
	year, err := strconv.Atoi(part[:4])
	if err != nil {
		return nil, fmt.Errorf("year of sitemap %s: %w", part, err) // cannot happen: the pattern requires digits
	}
	from := rest.Date{Time: time.Date(year, time.Month(1+3*(part[6]-'1')), 1, 0, 0, 0, 0, time.UTC)}
	to := rest.Date{Time: from.AddDate(0, 3, -1)}
	meetings, err := civic.MeetingsBetween(ctx, c, civic.OfBody{}, &from, &to, maxMeetings)
	if err != nil {
		return nil, err
	}
	var list []address
	for i := range meetings {
		one := address{At: a.Root + rest.URL("", "/meetings/{id}", number(meetings[i].IQM2ID))}
		if at := meetings[i].LastFetched; at != nil {
			one.Changed = at.UTC().Format(time.DateOnly)
		}
		list = append(list, one)
	}
	votes, err := civic.ListFound(ctx, c, civic.SearchFilters{VoteFilters: civic.VoteFilters{From: &from, To: &to}},
		maxVotes)
	for i := range votes {
		list = append(list, address{At: a.Root + rest.URL("", "/votes/{id}", number(votes[i].ID)),
			Changed: votes[i].ParsedAt.UTC().Format(time.DateOnly)})
	}
	return list, err
}

func asXML(ctx context.Context, c *rest.Call, v any) (rest.File, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(v); err != nil {
		return rest.File{}, fmt.Errorf("write a sitemap: %w", err)
	}
	return rest.File{Body: b.Bytes()}, c.Reserve(ctx, b.Len())
}

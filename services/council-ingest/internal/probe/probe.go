// Package probe asks portals what they are and what they have, with a handful of requests, and
// stores nothing. Start with Probe, for the portal that is configured; Describe finds out what is
// at an address.
package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// Advice says what to do about an error of [Probe]; "" when there is nothing but to wait.
func Advice(set *settings.Settings, err error) string {
	all, wrong := set.Sources()
	if wrong != nil || len(all) == 0 {
		return portal.Advice(portal.Product{}, err)
	}
	return portal.Advice(all[len(all)-1].Product, err)
}

// Probe asks the portal that the council uses now what an ingest asks first. It returns how many
// meetings the calendar of the last year lists, how many of them are of the configured body, and,
// if none is, which boards there are; "" when the calendar does not say.
func Probe(ctx context.Context, set *settings.Settings,
	allowPrivate bool) (listed, ours int, others string, err error) {
	all, err := set.Sources()
	if err != nil {
		return 0, 0, "", err
	}
	if len(all) == 0 {
		return 0, 0, "", errors.New("no portal is configured")
	}
	src := &all[len(all)-1]
	now := time.Now().In(set.Zone())
	p, rows, err := list(ctx, src, allowPrivate, 1, portal.Window{From: now.AddDate(-1, 0, 0), To: now, Back: now})
	if err != nil {
		return 0, 0, "", fmt.Errorf("portal: %w", err)
	}
	p.Close()
	count := portal.CountBodies(rows)
	board, others := portal.BoardOf(count, src.Body)
	return len(rows), count[board], others, nil
}

// list opens a portal and lists its meetings.
func list(ctx context.Context, src *settings.PortalSource, allowPrivate bool, tries int,
	w portal.Window) (portal.Reader, []portal.Meeting, error) {
	p, err := src.Open(ctx, allowPrivate, tries, nil)
	if err != nil {
		return nil, nil, err
	}
	rows, err := p.Meetings(ctx, w)
	if err != nil {
		p.Close()
	}
	return p, rows, err
}

// A Portrait is what can be said of a portal from its address alone: of which product it is, its
// bodies, and what will be readable.
type Portrait struct {
	Product string `json:"product"` // as council.yaml has it
	Title   string `json:"title"`
	URL     string `json:"url"`
	Source  string `json:"source"` // the name under which ids of its meetings are kept
	// Bodies are those with meetings in the last year, the busiest first, and then the others that the
	// portal knows.
	Bodies   []PortraitBody `json:"bodies"`
	Meetings int            `json:"meetings"` // of the last year
	// Readable is, in words, what an ingest will find.
	Readable []string `json:"readable"`
	// Documents counts the documents that the list of the last year shows, by kind.
	Documents map[string]int `json:"documents"`
}

// A PortraitBody is one of a portal's bodies.
type PortraitBody struct {
	Name     string `json:"name"`
	Meetings int    `json:"meetings"`
}

// Describe finds out what is at an address, with a handful of requests, and stores nothing.
func Describe(ctx context.Context, set *settings.Settings, address string, allowPrivate bool) (Portrait, error) {
	one := *set
	one.Portals, one.Portal = []settings.Portal{{URL: address, Pause: set.Portal.Pause, Contact: set.Portal.Contact,
		Token: set.Portal.Token}}, settings.Portal{}
	all, err := one.Sources()
	if err != nil {
		return Portrait{}, err
	}
	src := &all[0]
	now := time.Now().In(set.Zone())
	last := now.AddDate(-1, 0, 0)
	p, rows, err := list(ctx, src, allowPrivate, 2, portal.Window{From: last, To: now.AddDate(0, 3, 0), Back: last})
	if err != nil {
		return Portrait{}, fmt.Errorf("probe %s: %w", address, err)
	}
	defer p.Close()
	bodies, err := p.Bodies(ctx)
	if err != nil {
		return Portrait{}, fmt.Errorf("probe %s: %w", address, err)
	}
	out := Portrait{
		Product: src.Product.Name, Title: src.Product.Title, URL: src.URL, Source: src.Name, Meetings: len(rows),
		Bodies: []PortraitBody{}, Documents: map[string]int{},
	}
	count := portal.CountBodies(rows)
	for _, b := range bodies {
		count[b.Name] += 0
	}
	for _, name := range portal.BusiestFirst(count) {
		out.Bodies = append(out.Bodies, PortraitBody{name, count[name]})
	}
	for _, m := range rows {
		for _, d := range m.Documents {
			out.Documents[string(d.Kind)]++
		}
	}
	out.Readable = readable(src.Product.Can, out.Documents)
	return out, nil
}

// readable says in words what an ingest will find.
func readable(can portal.Can, documents map[string]int) []string {
	out := []string{"agenda items"}
	add := func(is bool, what string) {
		if is {
			out = append(out, what)
		}
	}
	add(can.Votes, "recorded votes by member, as far as the clerk enters them")
	add(can.Roll, "recorded attendance")
	minutes := documents[string(portal.KindMinutes)] + documents[string(portal.KindActions)]
	add(minutes > 0, fmt.Sprintf("votes in minutes: %d documents of the last year", minutes))
	add(minutes == 0 && !can.Votes, "no minutes in the list of the last year: votes can be read only where a meeting's "+
		"page has some")
	add(can.Changes, "what has changed since a time")
	return out
}

package councilingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// PortalAdvice returns a solution for an error of [Probe], or "" if only waiting helps.
func PortalAdvice(set *settings.Settings, err error) string {
	all, wrong := set.Sources()
	if wrong != nil || len(all) == 0 {
		return portal.Advice(portal.Product{}, err)
	}
	return portal.Advice(all[len(all)-1].Product, err)
}

// Probe requests last year's calendar from the current portal. It returns the number of meetings,
// and the number of meetings of the configured body. If the body has none, it also returns the
// bodies on the calendar, or "" if the calendar names none.
func Probe(ctx context.Context, set *settings.Settings, allowPrivate bool) (total, ours int, others string, err error) {
	all, err := set.Sources()
	if err != nil {
		return 0, 0, "", err
	}
	if len(all) == 0 {
		return 0, 0, "", errors.New("no portal is configured")
	}
	src := &all[len(all)-1]
	now := time.Now().In(set.Zone())
	reader, meetings, err := openAndList(ctx, src, allowPrivate, 1,
		portal.Window{From: now.AddDate(-1, 0, 0), To: now, Back: now})
	if err != nil {
		return 0, 0, "", fmt.Errorf("portal: %w", err)
	}
	reader.Close()
	count := portal.CountBodies(meetings)
	body, others := portal.BodyNamed(count, src.Body)
	return len(meetings), count[body], others, nil
}

func openAndList(ctx context.Context, src *settings.PortalSource, allowPrivate bool, tries int,
	w portal.Window) (portal.Reader, []portal.Meeting, error) {
	reader, err := src.Open(ctx, allowPrivate, tries, nil)
	if err != nil {
		return nil, nil, err
	}
	meetings, err := reader.Meetings(ctx, w)
	if err != nil {
		reader.Close()
	}
	return reader, meetings, err
}

// A Portrait describes the portal at an address.
type Portrait struct {
	Product string `json:"product"` // as in council.yaml
	Title   string `json:"title"`
	URL     string `json:"url"`
	Source  string `json:"source"` // name under which the ids of its meetings are stored
	// Bodies lists the bodies with meetings in the last year, the busiest first, and then the other
	// bodies of the portal.
	Bodies    []PortraitBody `json:"bodies"`
	Meetings  int            `json:"meetings"`  // number of meetings in the last year
	Readable  []string       `json:"readable"`  // descriptions of the data that can be read
	Documents map[string]int `json:"documents"` // number of documents of the last year, by kind
}

// A PortraitBody is one of a portal's bodies.
type PortraitBody struct {
	Name      string `json:"name"`
	Meetings  int    `json:"meetings"`
	Documents int    `json:"documents"` // number of documents in the list
}

// Describe describes the portal at an address. It sends a few requests and stores nothing.
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
	lastYear := now.AddDate(-1, 0, 0)
	reader, meetings, err := openAndList(ctx, src, allowPrivate, 2,
		portal.Window{From: lastYear, To: now.AddDate(0, 3, 0), Back: lastYear})
	if err != nil {
		return Portrait{}, fmt.Errorf("probe %s: %w", address, err)
	}
	defer reader.Close()
	bodies, err := reader.Bodies(ctx)
	if err != nil {
		return Portrait{}, fmt.Errorf("probe %s: %w", address, err)
	}
	out := Portrait{
		Product: src.Product.Name, Title: src.Product.Title, URL: src.URL, Source: src.Name, Meetings: len(meetings),
		Bodies: []PortraitBody{}, Documents: map[string]int{},
	}
	count := portal.CountBodies(meetings)
	for _, b := range bodies {
		count[b.Name] += 0
	}
	for _, name := range portal.BusiestFirst(count) {
		out.Bodies = append(out.Bodies, PortraitBody{Name: name, Meetings: count[name]})
	}
	for _, m := range meetings {
		if at := slices.IndexFunc(out.Bodies, func(b PortraitBody) bool { return b.Name == m.Body }); at >= 0 {
			out.Bodies[at].Documents += len(m.Documents)
		}
		for _, d := range m.Documents {
			out.Documents[string(d.Kind)]++
		}
	}
	out.Readable = readable(src.Product.Can, out.Documents)
	return out, nil
}

func readable(can portal.Can, documents map[string]int) []string {
	out := []string{"agenda items"}
	add := func(is bool, what string) {
		if is {
			out = append(out, what)
		}
	}
	add(can.Votes, "recorded votes by member, as far as the clerk enters them")
	add(can.RollCall, "recorded attendance")
	minutes := documents[string(portal.KindMinutes)] + documents[string(portal.KindActions)]
	add(minutes > 0, fmt.Sprintf("votes in minutes: %d documents of the last year", minutes))
	add(minutes == 0 && !can.Votes, "no minutes in the list of the last year: votes can be read only where a meeting's "+
		"page has some")
	add(can.Changes, "what has changed since a time")
	return out
}

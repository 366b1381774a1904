package conf

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/lang"
)

// Transit is the file that TRANSIT_CONFIG names: the configuration of the transit half. gtfs-import
// reads its feeds, rt-poller its realtime sources, transit-api its access and display. A service
// without the file uses the defaults; then feeds are imported by hand.
type Transit struct {
	Feeds   []Feed  `yaml:"feeds"`
	Access  Access  `yaml:"access"`
	Display Display `yaml:"display"`
	// Screens are boards with a name, which can be changed remotely.
	Screens []Screen `yaml:"screens"`
	Embed   Embed    `yaml:"embed"`
	Site    Site     `yaml:"site"`
}

// Site is the agency's own look of the pages for people.
type Site struct {
	// Name is shown at the top of each page. The default is the name of the only feed.
	Name string `yaml:"name"`
	// Logo is the path of a PNG or SVG picture, shown before the name.
	Logo string `yaml:"logo"`
	// Color is the color of links and buttons, in six hexadecimal digits. Pages darken or lighten it
	// until it is legible.
	Color string `yaml:"color"`
	// Planner is the address of a journey planner, to which the page of a stop links. {lat}, {lon} and
	// {name} stand for the stop's place and name.
	Planner string `yaml:"planner"`
}

var color = regexp.MustCompile(`^#?[0-9A-Fa-f]{6}$`)

const maxSiteName = 80

func (s *Site) validate(bad func(key, format string, args ...any)) {
	if len(s.Name) > maxSiteName {
		bad("site.name", "longer than %d bytes", maxSiteName)
	}
	if s.Color != "" && !color.MatchString(s.Color) {
		bad("site.color", "%q is not six hexadecimal digits, such as 0b57a4", s.Color)
	}
	if s.Planner != "" && !isPlanner(s.Planner) {
		bad("site.planner", "%q is not an http(s) address with {lat} and {lon}", s.Planner)
	}
}

func isPlanner(address string) bool {
	u, err := url.Parse(strings.NewReplacer("{lat}", "0", "{lon}", "0", "{name}", "x").Replace(address))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		strings.Contains(address, "{lat}") && strings.Contains(address, "{lon}")
}

// A Feed is one GTFS feed and the realtime sources that belong to it.
type Feed struct {
	// Alias is the name used in paths: letters, digits, - and _.
	Alias string `yaml:"alias"`
	// Name is the name for people; the alias if empty.
	Name string `yaml:"name"`
	// URL is the http(s) URL or the path of the zip. Without a URL, the feed is imported by hand only.
	URL string `yaml:"url"`
	// Every is the interval between requests for the zip.
	Every time.Duration `yaml:"every"`
	// Headers are sent with each request for the zip.
	Headers map[string]string `yaml:"headers"`
	// Encoding is the IANA name of the encoding of text that is not UTF-8. The default is
	// windows-1252.
	Encoding string `yaml:"encoding"`
	// Inner is the zip or folder in the zip that has the feed, if there are several.
	Inner    string   `yaml:"inner"`
	Realtime []Source `yaml:"realtime"`
	// Observe stores what really ran. The sources are then polled every 30 seconds, day and night.
	Observe bool   `yaml:"observe"`
	OnTime  OnTime `yaml:"on_time"`
	// RouteExtras are additional keys of route payloads, by route_id.
	RouteExtras map[string]map[string]any `yaml:"route_extras"`
}

// OnTime says which delays of observed vehicles count as on time.
type OnTime struct {
	Early time.Duration `yaml:"early"`
	Late  time.Duration `yaml:"late"`
	// Timepoints judges only stops whose times are exact.
	Timepoints bool `yaml:"timepoints"`
}

// Agencies returns the agencies that the sources of trip updates and vehicle positions serve. It
// returns nil if there are no such sources, or one serves all agencies.
func (f *Feed) Agencies() (only []string) {
	for i := range f.Realtime {
		s := &f.Realtime[i]
		if s.Kind == Alerts {
			continue
		}
		if len(s.Agencies) == 0 {
			return nil
		}
		only = append(only, s.Agencies...)
	}
	return only
}

const (
	// observePeriod is the longest time between two polls of an observed source. Nothing is inferred
	// across 90 seconds, so one poll in three may fail.
	observePeriod = 30 * time.Second
	// observeHistory is the number of snapshots from which observers of other replicas catch up.
	observeHistory = 20
)

// A Source is one GTFS-Realtime source.
type Source struct {
	// Kind is trip_updates, vehicle_positions, alerts or mixed.
	Kind    string            `yaml:"kind"`
	URL     string            `yaml:"url"`
	Headers map[string]string `yaml:"headers"`
	// Agencies are the agency_ids of the feed whose data the source has. Entities of other agencies are
	// left out; if empty, none are.
	Agencies []string `yaml:"agencies"`
	// StaleAfter is the age at which a snapshot is stale: a read then requests a poll.
	StaleAfter time.Duration `yaml:"stale_after"`
	// MinInterval is the shortest time between two polls, however many requests there are.
	MinInterval time.Duration `yaml:"min_interval"`
	// IdleInterval is the time between polls while no client reads; 0 polls only on demand.
	IdleInterval time.Duration `yaml:"idle_interval"`
	Timeout      time.Duration `yaml:"timeout"`
	// History is the number of snapshots to keep.
	History int `yaml:"history"`
}

// Access configures the permissions of clients.
type Access struct {
	// Roles lists the permissions of each role. Requests without a key have the role "anonymous". A
	// role can read only the endpoints that it lists.
	Roles map[string][]string `yaml:"roles"`
	// Origins are the web origins whose pages may call the API from a browser. If empty, all origins
	// may.
	Origins []string `yaml:"origins"`
	// Limits are the rates of one client. Each process of the API counts separately.
	Limits Limits `yaml:"limits"`
	// Proxies are the networks (CIDR) whose X-Forwarded-For is trusted.
	Proxies []netip.Prefix `yaml:"proxies"`
}

type Limits struct {
	// Address is the rate of requests without a key, for each network address.
	Address Rate `yaml:"address"`
	Key     Rate `yaml:"key"`
}

// Display configures the format of values for people.
type Display struct {
	// Locale is the region whose format English dates and times have, such as en-US or en-GB.
	Locale string `yaml:"locale"`
	// TimeFormat is "12h" (6:05 am) or "24h" (06:05). The default is the locale's format.
	TimeFormat string `yaml:"time_format"`
	// Written combines Locale and TimeFormat.
	Written lang.Locale `yaml:"-"`
	Map     BaseMap     `yaml:"map"`
	// TitleCase writes names that a feed has in capitals in title case, on all pages.
	TitleCase bool `yaml:"title_case"`
}

// A BaseMap is the background of live maps, in browsers that can draw it. It may be empty.
type BaseMap struct {
	// Style is the address of a MapLibre style: http, https, or a path on the host of the pages.
	Style string `yaml:"style"`
	// PMTiles is the address of a PMTiles file, like Style. Without a style, the pages draw the file's
	// images, or its vector tiles in the Protomaps schema. A style can refer to the file as
	// pmtiles://ADDRESS.
	PMTiles string `yaml:"pmtiles"`
	// Hosts are further origins from which the style loads tiles, fonts and images.
	Hosts []string `yaml:"hosts"`
	// Credit is an attribution, shown in addition to the style's.
	Credit string `yaml:"credit"`
}

// Origins returns the origins that the map loads from, except the pages' own.
func (b *BaseMap) Origins() []string {
	origins := slices.Clone(b.Hosts)
	for _, address := range []string{b.Style, b.PMTiles} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			if own := u.Scheme + "://" + u.Host; !slices.Contains(origins, own) {
				origins = append(origins, own)
			}
		}
	}
	return origins
}

func (b *BaseMap) validate(bad func(key, format string, args ...any)) {
	if b.Style == "" && b.PMTiles == "" && (len(b.Hosts) > 0 || b.Credit != "") {
		bad("display.map.style", "required with hosts and credit, or pmtiles")
	}
	if strings.HasPrefix(b.Style, "pmtiles:") {
		bad("display.map.style", "is the address of tiles: write it as display.map.pmtiles, without pmtiles://")
	} else if err := pageAddress(b.Style); err != nil {
		bad("display.map.style", "%w", err)
	}
	if err := pageAddress(b.PMTiles); err != nil {
		bad("display.map.pmtiles", "%w", err)
	}
	for i, host := range b.Hosts {
		checkOrigin(fmt.Sprintf("display.map.hosts[%d]", i), host, bad)
	}
}

// pageAddress checks that an address is http, https, a path on the pages' host, or empty.
func pageAddress(address string) error {
	if address == "" || strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		return nil
	}
	return httpURL(address)
}

// checkOrigin reports an invalid origin. Origins are written into headers unchanged.
func checkOrigin(key, origin string, bad func(key, format string, args ...any)) {
	if u, err := url.Parse(origin); err != nil || u.Scheme == "" || u.Host == "" || origin != u.Scheme+"://"+u.Host ||
		strings.ContainsAny(origin, " ;,'\"") {
		bad(key, "%q is not an origin, such as https://maps.example", origin)
	}
}

const (
	TripUpdates      = "trip_updates"
	VehiclePositions = "vehicle_positions"
	Alerts           = "alerts"
	Mixed            = "mixed"
)

// ReadTransit reads the file at path and runs the caller's checks. An empty path returns the
// defaults.
func ReadTransit(path string, e Environ, checks ...func(*Transit) error) (*Transit, error) {
	t := &Transit{}
	var bound []func() error
	for _, check := range checks {
		bound = append(bound, func() error { return check(t) })
	}
	if path == "" {
		return t, ParseYAML("", nil, e, t, bound...)
	}
	err := ReadYAML(path, e, t, bound...)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: let TRANSIT_CONFIG name a file like deploy/transit.yaml, or unset it", err)
	}
	return t, err
}

// maxInterval is the longest interval; older realtime data is useless.
const maxInterval = 24 * time.Hour

var alias = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ValidAlias reports whether s can be a feed's alias.
func ValidAlias(s string) bool { return alias.MatchString(s) }

// Validate fills in defaults and reports every mistake, key by key.
func (t *Transit) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) { errs = append(errs, Wrong(key, format, args...)) }
	seen := map[string]bool{}
	for i := range t.Feeds {
		f := &t.Feeds[i]
		key := fmt.Sprintf("feeds[%d]", i)
		switch {
		case f.Alias == "":
			bad(key+".alias", "required")
		case !ValidAlias(f.Alias):
			bad(key+".alias", "%q: only letters, digits, - and _, at most 64", f.Alias)
		case seen[f.Alias]:
			bad(key+".alias", "%q is used twice", f.Alias)
		}
		seen[f.Alias] = true
		f.Name, f.Every = cmp.Or(f.Name, f.Alias), cmp.Or(f.Every, 6*time.Hour)
		if f.Every < time.Minute {
			bad(key+".every", "%s is shorter than a minute", f.Every)
		}
		if strings.Contains(f.URL, "://") {
			if err := httpURL(f.URL); err != nil {
				bad(key+".url", "%w", err)
			}
		}
		for j := range f.Realtime {
			f.Realtime[j].validate(fmt.Sprintf("%s.realtime[%d]", key, j), bad)
		}
		f.validateObserve(key, bad)
	}
	for i, origin := range t.Access.Origins {
		checkOrigin(fmt.Sprintf("access.origins[%d]", i), origin, bad)
	}
	t.Display.validate(bad)
	t.validateScreens(bad)
	t.Embed.validate(bad)
	t.Site.validate(bad)
	return errors.Join(errs...)
}

func (f *Feed) validateObserve(key string, bad func(key, format string, args ...any)) {
	f.OnTime.Early, f.OnTime.Late = cmp.Or(f.OnTime.Early, time.Minute), cmp.Or(f.OnTime.Late, 5*time.Minute)
	for name, d := range map[string]time.Duration{"early": f.OnTime.Early, "late": f.OnTime.Late} {
		if d < 0 || d > time.Hour || d%time.Second != 0 {
			bad(key+".on_time."+name, "must be whole seconds, from 0s to 1h")
		}
	}
	if !f.Observe {
		return
	}
	if !slices.ContainsFunc(f.Realtime, func(s Source) bool { return s.Kind != Alerts }) {
		bad(key+".observe", "needs a realtime source of trip updates or vehicle positions")
	}
	for i := range f.Realtime {
		s := &f.Realtime[i]
		s.MinInterval = min(s.MinInterval, observePeriod)
		if s.IdleInterval == 0 || s.IdleInterval > observePeriod {
			s.IdleInterval = observePeriod
		}
		s.History = max(s.History, observeHistory)
	}
}

func (d *Display) validate(bad func(key, format string, args ...any)) {
	var err error
	d.Written, err = lang.ReadLocale(d.Locale)
	if err != nil {
		bad("display.locale", "%w", err)
	}
	switch d.TimeFormat {
	case "":
		d.TimeFormat = "24h"
		if d.Written.Twelve {
			d.TimeFormat = "12h"
		}
	case "12h", "24h":
		d.Written.Twelve = d.TimeFormat == "12h"
	default:
		bad("display.time_format", "must be 12h or 24h, not %q", d.TimeFormat)
	}
	d.Map.validate(bad)
}

func (s *Source) validate(key string, bad func(key, format string, args ...any)) {
	switch {
	case s.Kind == "":
		bad(key+".kind", "required")
	case !slices.Contains([]string{TripUpdates, VehiclePositions, Alerts, Mixed}, s.Kind):
		bad(key+".kind", "%q is none of trip_updates, vehicle_positions, alerts, mixed", s.Kind)
	}
	if s.URL == "" {
		bad(key+".url", "required")
	} else if err := httpURL(s.URL); err != nil {
		bad(key+".url", "%w", err)
	}
	for _, d := range []struct {
		name     string
		v        *time.Duration
		standard time.Duration
	}{
		{"stale_after", &s.StaleAfter, 30 * time.Second},
		{"min_interval", &s.MinInterval, 10 * time.Second},
		{"timeout", &s.Timeout, 10 * time.Second},
		{"idle_interval", &s.IdleInterval, 0},
	} {
		*d.v = cmp.Or(*d.v, d.standard)
		if *d.v < 0 {
			bad(key+"."+d.name, "negative")
		}
		if *d.v > maxInterval && d.name != "timeout" {
			bad(key+"."+d.name, "longer than %s", maxInterval)
		}
	}
	if slices.Contains(s.Agencies, "") || len(slices.Compact(slices.Sorted(slices.Values(s.Agencies)))) < len(s.Agencies) {
		bad(key+".agencies", "must be agency_ids of the feed, each once")
	}
	s.History = cmp.Or(s.History, 1)
	if s.History < 0 || s.History > 10_000 {
		bad(key+".history", "must be 1 to 10000")
	}
}

// httpURL checks that s is an http(s) URL with a host. The error does not quote s, which may
// contain a key.
func httpURL(s string) error {
	u, err := url.Parse(s)
	if err != nil {
		return errors.New("not a URL")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("must be an http or https URL with a host")
	}
	return nil
}

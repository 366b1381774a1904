package portal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/townline/townline/pkg/fetch"
)

// Config says which portal, and how to behave there.
type Config struct {
	// URL of the portal's root or of any page of it: https://town.iqm2.com.
	URL string
	// Zone is where the portal's times are local.
	Zone *time.Location
	// Pause is the time between two requests; robots.txt can ask for a longer one.
	Pause time.Duration
	// Contact stands in the user agent.
	Contact string
	// AllowPrivate lets the portal be on a private or loopback address.
	AllowPrivate bool
	// Tries is how often a request is tried in all; 0 means 5.
	Tries int
	// Asked, if set, is told of each request how it ended.
	Asked func(Outcome)
}

// An Outcome is how a request to the portal ended, after all its tries.
type Outcome string

const (
	OutcomeOK          Outcome = "ok"
	OutcomeNotModified Outcome = "not_modified"
	OutcomeRefused     Outcome = "refused" // the portal answered with an error
	OutcomeFailed      Outcome = "failed"  // no answer, or a broken one
	OutcomeForbidden   Outcome = "forbidden"
)

// Outcomes lists all of them.
func Outcomes() []Outcome {
	return []Outcome{OutcomeOK, OutcomeNotModified, OutcomeRefused, OutcomeFailed, OutcomeForbidden}
}

// outcome judges an answer.
func outcome(meta fetch.Meta, err error) Outcome {
	var answer *fetch.StatusError
	switch {
	case errors.Is(err, ErrForbidden):
		return OutcomeForbidden
	case errors.As(err, &answer):
		return OutcomeRefused
	case err != nil:
		return OutcomeFailed
	case meta.NotModified:
		return OutcomeNotModified
	}
	return OutcomeOK
}

// A Portal fetches pages of one portal, one at a time.
type Portal struct {
	cfg      Config
	base     *url.URL
	calendar string // name of the calendar's page
	http     *fetch.Client
	robots   map[string]*robotstxt.Group // by host: files may be on another one
}

const (
	agent = "Townline" // as robots.txt would call us
	// The longest pages seen are calendars of two decades, a few megabytes.
	maxPage   = 32 << 20
	maxRobots = 512 << 10
	// maxDelay is the longest pause that robots.txt can ask for.
	maxDelay = time.Minute
)

// ErrForbidden says that robots.txt does not let us in.
var ErrForbidden = errors.New("robots.txt of the portal forbids it")

// Open asks for the portal's robots.txt and returns the portal. Without a robots.txt
// everything is allowed; while it cannot be asked for, nothing is.
func Open(ctx context.Context, cfg Config) (*Portal, error) {
	base, calendar, err := root(cfg.URL)
	if err != nil {
		return nil, err
	}
	if cfg.Tries == 0 {
		cfg.Tries = 5
	}
	p := &Portal{cfg: cfg, base: base, calendar: calendar, robots: map[string]*robotstxt.Group{}}
	p.http = p.client(cfg.Pause)
	rules, err := p.rules(ctx, base)
	if err != nil {
		return nil, err
	}
	if delay := min(rules.CrawlDelay, maxDelay); delay > cfg.Pause {
		p.http = p.client(delay)
	}
	return p, nil
}

// delayLines are the lines of a robots.txt that have to be numbers.
var delayLines = regexp.MustCompile(`(?im)^\s*crawl-delay\s*:.*$`)

// rules are what a host's robots.txt asks of us; it is asked once.
func (p *Portal) rules(ctx context.Context, at *url.URL) (*robotstxt.Group, error) {
	if rules, ok := p.robots[at.Host]; ok {
		return rules, nil
	}
	address := url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}
	body, _, err := p.http.Get(ctx, fetch.Request{URL: address.String(), MaxBytes: maxRobots, Timeout: 30 * time.Second, Tries: p.cfg.Tries})
	status := http.StatusOK
	if answer := (*fetch.StatusError)(nil); errors.As(err, &answer) && answer.Code < 500 {
		status = http.StatusNotFound
	} else if err != nil {
		return nil, fmt.Errorf("ask what robots may do: %w", err)
	}
	robots, err := robotstxt.FromStatusAndBytes(status, body)
	if err != nil { // a line that means nothing takes nothing away from the others
		robots, err = robotstxt.FromStatusAndBytes(status, delayLines.ReplaceAll(body, nil))
	}
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	p.robots[at.Host] = robots.FindGroup(agent)
	return p.robots[at.Host], nil
}

var errAddress = errors.New("the portal's URL is not usable: an IQM2 portal has one like https://town.iqm2.com")

// root is where a portal's pages are, and the name of its calendar. People copy the
// address of any of its pages.
func root(address string) (base *url.URL, calendar string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, "", errAddress
	}
	calendar = "Calendar.aspx"
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if last := parts[len(parts)-1]; strings.HasSuffix(strings.ToLower(last), ".aspx") {
		if strings.EqualFold(last, calendar) {
			calendar = last
		}
		parts = parts[:len(parts)-1]
	}
	// Portals care as little about capital letters as the addresses of one agree in them, but what stands before a portal may.
	if at := slices.IndexFunc(parts, func(part string) bool { return strings.EqualFold(part, "Citizens") }); at >= 0 {
		parts = parts[:at+1]
	} else {
		parts = append(parts, "Citizens")
	}
	path := "/" + strings.TrimLeft(strings.Join(parts, "/"), "/") + "/"
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}, calendar, nil
}

// MeetingURL is the address of a meeting's page at the portal of the given address; "" when that is none.
func MeetingURL(portal string, id int64) string {
	base, _, err := root(portal)
	if err != nil {
		return ""
	}
	return base.JoinPath("Detail_Meeting.aspx").String() + fmt.Sprintf("?ID=%d", id)
}

func (p *Portal) client(pause time.Duration) *fetch.Client {
	name := agent + "/1.0"
	if p.cfg.Contact != "" {
		name += " (" + p.cfg.Contact + ")"
	}
	return fetch.New(fetch.Config{UserAgent: name, AllowPrivate: p.cfg.AllowPrivate, Pause: pause, Cookies: true})
}

// Close closes idle connections.
func (p *Portal) Close() { p.http.CloseIdle() }

func (p *Portal) address(path string) string {
	u, err := p.base.Parse(path)
	if err != nil {
		return p.base.String()
	}
	return u.String()
}

// FetchCalendar returns the calendar's rows from one local day to another, both inclusive.
func (p *Portal) FetchCalendar(ctx context.Context, from, to time.Time) ([]Row, error) {
	const day = "1/2/2006"
	return fetchPage(ctx, p, p.address(p.calendar+"?View=List&From="+from.Format(day)+"&To="+to.Format(day)), func(body []byte) ([]Row, error) {
		return ParseCalendar(body, p.base, p.cfg.Zone)
	})
}

func (p *Portal) fetchYear(ctx context.Context, year int) ([]Row, error) {
	return p.FetchCalendar(ctx, time.Date(year, 1, 1, 0, 0, 0, 0, p.cfg.Zone), time.Date(year, 12, 31, 0, 0, 0, 0, p.cfg.Zone))
}

// blankYears is after how many years without a meeting a council has no earlier ones.
const blankYears = 3

// FetchWholeCalendar returns the rows between two local days also from a portal
// that shows no more than a year or so at a time, whatever it is asked for, or fails when it is asked for decades: it
// asks for the first year that was shown, which may have begun before, for the years before it, as far back as the year of back, and for those
// after what was shown, until they bring nothing new.
func (p *Portal) FetchWholeCalendar(ctx context.Context, from, to, back time.Time) ([]Row, error) {
	rows, err := p.FetchCalendar(ctx, from, to)
	here := min(max(time.Now().In(p.cfg.Zone).Year(), from.Year()), to.Year()) // where a look begins that knows nothing
	if tooMuch(err) && ctx.Err() == nil || err == nil && len(rows) == 0 {
		ofYear, yearErr := p.fetchYear(ctx, here)
		if yearErr == nil || err == nil || ctx.Err() != nil {
			rows, err = ofYear, yearErr
		}
	}
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	first, last := to.Year(), from.Year()
	for _, r := range rows {
		seen[r.ID] = true
		if !r.Starts.IsZero() {
			first, last = min(first, r.Starts.Year()), max(last, r.Starts.Year())
		}
	}
	if first > last { // nothing that tells
		first, last = here, here
	}
	// Looks that report whether there is more than was shown: at the rest of the first year and at the year before, and at the year after.
	for _, side := range []struct{ year, step, looks int }{{first, -1, 2}, {last + 1, 1, 1}} {
		allowed, byYear := side.looks, first == last
		if len(rows) == 0 {
			allowed = blankYears
		}
		for year, blank := side.year, 0; blank < allowed && year >= back.Year() && year <= to.Year(); year += side.step {
			more, err := p.fetchYear(ctx, year)
			// A portal that does not know a year may say so as an error; one that shows several at once may have shown all.
			if err != nil && (ctx.Err() != nil || !Refused(err) && (byYear || year == first)) {
				return nil, err
			}
			blank++
			for _, r := range more {
				if !seen[r.ID] {
					seen[r.ID] = true
					rows = append(rows, r)
					blank, allowed, byYear = 0, blankYears, true
				}
			}
		}
	}
	return rows, nil
}

// tooMuch reports whether an error may come of asking for decades at once: portals then answer with one of many
// statuses, with a broken page, or not in time. Whether and when we may ask at all does not depend on the dates.
func tooMuch(err error) bool {
	var answer *fetch.StatusError
	busy := errors.As(err, &answer) && answer.Code == http.StatusTooManyRequests
	return err != nil && !busy && !errors.Is(err, ErrForbidden)
}

// Refused reports whether the portal answered that it does not have what was asked for.
func Refused(err error) bool {
	var answer *fetch.StatusError
	return errors.As(err, &answer) && answer.Code < 500 && answer.Code != http.StatusTooManyRequests
}

// FetchMeeting returns the page of a meeting to which a row of the calendar leads.
func (p *Portal) FetchMeeting(ctx context.Context, row Row) (Meeting, error) {
	return fetchPage(ctx, p, row.URL, func(body []byte) (Meeting, error) { return ParseMeeting(body, p.base, p.cfg.Zone, row.ID) })
}

// FetchVotes returns the vote records on the page of a legislative file, whose address is one of an outline's.
func (p *Portal) FetchVotes(ctx context.Context, address string) ([]VoteRecord, error) {
	return fetchPage(ctx, p, address, func(body []byte) ([]VoteRecord, error) { return ParseVotes(body, p.base) })
}

// FetchFeed returns the feed's entries.
func (p *Portal) FetchFeed(ctx context.Context) ([]News, error) {
	return fetchPage(ctx, p, p.address("../Services/RSS.aspx?Feed=Calendar"), ParseFeed)
}

// fetchPage fetches and reads a page, and tries again when it cannot be read: an overloaded portal
// answers 200 with an error page, or with half of the right one.
func fetchPage[R any](ctx context.Context, p *Portal, address string, parse func([]byte) (R, error)) (R, error) {
	var none R
	for try := 1; ; try++ {
		body, meta, err := p.get(ctx, fetch.Request{URL: address, MaxBytes: maxPage})
		if err != nil {
			return none, err
		}
		r, err := parse(UTF8(body, meta.ContentType))
		if err == nil || try >= p.cfg.Tries {
			return r, err
		}
		if err := p.rest(ctx, try); err != nil {
			return none, err
		}
	}
}

// rest waits before another try of something that was answered, but wrongly.
func (p *Portal) rest(ctx context.Context, try int) error {
	t := time.NewTimer(min(p.cfg.Pause, time.Second) << try)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// A File is a document's bytes.
type File struct {
	NotModified        bool // it still is what the caller has; there are no bytes
	Bytes              []byte
	SHA256             [sha256.Size]byte
	ETag, LastModified string
}

// FetchFile returns a document of at most maxBytes, unless it is what the caller
// has already, as its validators say.
func (p *Portal) FetchFile(ctx context.Context, address, etag, lastModified string, maxBytes int64) (File, error) {
	body, meta, err := p.get(ctx, fetch.Request{URL: address, ETag: etag, LastModified: lastModified, MaxBytes: maxBytes, Timeout: 5 * time.Minute})
	return File{meta.NotModified, body, meta.SHA256, meta.ETag, meta.LastModified}, err
}

func (p *Portal) get(ctx context.Context, r fetch.Request) (body []byte, meta fetch.Meta, err error) {
	if p.cfg.Asked != nil {
		defer func() {
			if ctx.Err() == nil { // else it was we who ended it
				p.cfg.Asked(outcome(meta, err))
			}
		}()
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, fetch.Meta{}, fmt.Errorf("address of the portal: %w", err)
	}
	rules, err := p.rules(ctx, u)
	if err != nil {
		return nil, fetch.Meta{}, err
	}
	if !rules.Test(u.RequestURI()) {
		return nil, fetch.Meta{}, fmt.Errorf("fetch %s: %w", u.Path, ErrForbidden)
	}
	if r.Timeout == 0 {
		r.Timeout = time.Minute
	}
	r.Tries = p.cfg.Tries
	return p.http.Get(ctx, r)
}

package portal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/townline/townline/pkg/fetch"
)

// Config says which portal, and how to behave there.
type Config struct {
	// URL of the portal's root: https://town.iqm2.com.
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
}

// A Portal fetches pages of one portal, one at a time.
type Portal struct {
	cfg    Config
	base   *url.URL
	http   *fetch.Client
	robots *robotstxt.Group
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
	base, err := url.Parse(strings.TrimRight(cfg.URL, "/") + "/Citizens/")
	if err != nil || base.Host == "" {
		return nil, errors.New("the portal's URL is not usable")
	}
	if cfg.Tries == 0 {
		cfg.Tries = 5
	}
	p := &Portal{cfg: cfg, base: base}
	p.http = p.client(cfg.Pause)
	body, _, err := p.http.Get(ctx, fetch.Request{URL: p.address("/robots.txt"), MaxBytes: maxRobots, Timeout: 30 * time.Second, Tries: cfg.Tries})
	status := http.StatusOK
	if answer := (*fetch.StatusError)(nil); errors.As(err, &answer) && answer.Code < 500 {
		status = http.StatusNotFound
	} else if err != nil {
		return nil, err
	}
	robots, err := robotstxt.FromStatusAndBytes(status, body)
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	p.robots = robots.FindGroup(agent)
	if delay := min(p.robots.CrawlDelay, maxDelay); delay > cfg.Pause {
		p.http = p.client(delay)
	}
	return p, nil
}

func (p *Portal) client(pause time.Duration) *fetch.Client {
	name := agent + "/1.0"
	if p.cfg.Contact != "" {
		name += " (" + p.cfg.Contact + ")"
	}
	return fetch.New(fetch.Config{UserAgent: name, AllowPrivate: p.cfg.AllowPrivate, Pause: pause})
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

// MeetingURL is the address of a meeting's page.
func (p *Portal) MeetingURL(id int64) string {
	return p.address(fmt.Sprintf("Detail_Meeting.aspx?ID=%d", id))
}

// FetchCalendar returns the calendar's rows from one local day to another, both inclusive.
func (p *Portal) FetchCalendar(ctx context.Context, from, to time.Time) ([]Row, error) {
	const day = "1/2/2006"
	return fetchPage(ctx, p, p.address("Calendar.aspx?View=List&From="+from.Format(day)+"&To="+to.Format(day)), func(body []byte) ([]Row, error) {
		return ParseCalendar(body, p.base, p.cfg.Zone)
	})
}

// FetchMeeting returns a meeting's page.
func (p *Portal) FetchMeeting(ctx context.Context, id int64) (Meeting, error) {
	return fetchPage(ctx, p, p.MeetingURL(id), func(body []byte) (Meeting, error) { return ParseMeeting(body, p.base, id) })
}

// FetchVotes returns the vote records on the page of a legislative file, whose address is one of an outline's.
func (p *Portal) FetchVotes(ctx context.Context, address string) ([]VoteRecord, error) {
	return fetchPage(ctx, p, address, func(body []byte) ([]VoteRecord, error) { return ParseVotes(body, p.base) })
}

// FetchFeed returns the feed's entries.
func (p *Portal) FetchFeed(ctx context.Context) ([]News, error) {
	return fetchPage(ctx, p, p.address("/Services/RSS.aspx?Feed=Calendar"), ParseFeed)
}

// fetchPage fetches and reads a page, and tries again when it cannot be read: an overloaded portal
// answers 200 with an error page, or with half of the right one.
func fetchPage[R any](ctx context.Context, p *Portal, address string, parse func([]byte) (R, error)) (R, error) {
	var none R
	for try := 1; ; try++ {
		body, _, err := p.get(ctx, fetch.Request{URL: address, MaxBytes: maxPage})
		if err != nil {
			return none, err
		}
		r, err := parse(body)
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

func (p *Portal) get(ctx context.Context, r fetch.Request) ([]byte, fetch.Meta, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, fetch.Meta{}, fmt.Errorf("address of the portal: %w", err)
	}
	if u.Host == p.base.Host && !p.robots.Test(u.RequestURI()) {
		return nil, fetch.Meta{}, fmt.Errorf("fetch %s: %w", u.Path, ErrForbidden)
	}
	if r.Timeout == 0 {
		r.Timeout = time.Minute
	}
	r.Tries = p.cfg.Tries
	return p.http.Get(ctx, r)
}

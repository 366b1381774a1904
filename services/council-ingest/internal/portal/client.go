package portal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/townline/townline/pkg/fetch"
)

// An Outcome is the result of a request, after all retries.
type Outcome string

const (
	OutcomeOK          Outcome = "ok"
	OutcomeNotModified Outcome = "not_modified"
	OutcomeRefused     Outcome = "refused"
	OutcomeFailed      Outcome = "failed" // there was no answer, or a broken one
	OutcomeForbidden   Outcome = "forbidden"
)

func Outcomes() []Outcome {
	return []Outcome{OutcomeOK, OutcomeNotModified, OutcomeRefused, OutcomeFailed, OutcomeForbidden}
}

func outcomeOf(meta fetch.Meta, err error) Outcome {
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

// A Client sends requests to one portal: one at a time, with pauses, as robots.txt allows, and to
// private addresses only if the configuration allows them. It bounds the size and time of answers.
type Client struct {
	Config
	// Root is the address below which the portal answers.
	Root *url.URL

	http   *fetch.Client
	robots map[string]*robotstxt.Group // rules by host, because files may be on another host
}

const (
	agent     = "Townline" // name of this client in robots.txt
	maxPage   = 32 << 20   // bytes of a page; calendars of two decades have a few megabytes
	maxRobots = 512 << 10
	maxDelay  = time.Minute // longest crawl-delay that is followed
)

// MaxTries is the number of attempts for one address, whatever fails: the connection, the status or
// the reading of the answer. The next ingest tries it again.
const MaxTries = 5

// ErrForbidden means that robots.txt forbids a request.
var ErrForbidden = errors.New("robots.txt of the portal forbids it")

// NewClient reads the robots.txt at root and returns a client. If robots.txt does not exist,
// everything is allowed. If the request for it fails, nothing is.
func NewClient(ctx context.Context, cfg Config, root *url.URL) (*Client, error) {
	cfg.Tries = cmp.Or(cfg.Tries, MaxTries)
	c := &Client{Config: cfg, Root: root, robots: map[string]*robotstxt.Group{}}
	c.http = c.paced(cfg.Pause)
	rules, err := c.rules(ctx, root)
	if err != nil {
		return nil, err
	}
	if delay := min(rules.CrawlDelay, maxDelay); delay > cfg.Pause {
		c.http = c.paced(delay)
	}
	return c, nil
}

// delayLines matches lines of robots.txt that should have a number.
var delayLines = regexp.MustCompile(`(?im)^\s*crawl-delay\s*:.*$`)

func (c *Client) rules(ctx context.Context, at *url.URL) (*robotstxt.Group, error) {
	if rules, ok := c.robots[at.Host]; ok {
		return rules, nil
	}
	address := url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}
	r := fetch.Request{URL: address.String(), MaxBytes: maxRobots, Timeout: 30 * time.Second, Tries: c.Tries}
	body, _, err := c.http.Get(ctx, r)
	status := http.StatusOK
	if answer := (*fetch.StatusError)(nil); errors.As(err, &answer) && answer.Code < 500 {
		status = http.StatusNotFound
	} else if err != nil {
		return nil, fmt.Errorf("fetch robots.txt: %w", err)
	}
	robots, err := robotstxt.FromStatusAndBytes(status, body)
	if err != nil { // an invalid line must not invalidate the others
		robots, err = robotstxt.FromStatusAndBytes(status, delayLines.ReplaceAll(body, nil))
	}
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	c.robots[at.Host] = robots.FindGroup(agent)
	return c.robots[at.Host], nil
}

func (c *Client) paced(pause time.Duration) *fetch.Client {
	name := agent + "/1.0"
	if c.Contact != "" {
		name += " (" + c.Contact + ")"
	}
	return fetch.New(fetch.Config{UserAgent: name, AllowPrivate: c.AllowPrivate, Pause: pause, Cookies: true})
}

func (c *Client) Close() { c.http.CloseIdle() }

// get returns the body at an address. If the status is an error, it returns a [*fetch.StatusError]
// with the beginning of the body.
func (c *Client) get(ctx context.Context, r fetch.Request) (body []byte, meta fetch.Meta, err error) {
	if c.OnRequest != nil {
		defer func() {
			if ctx.Err() == nil { // if ctx has ended, we cancelled the request
				c.OnRequest(outcomeOf(meta, err))
			}
		}()
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, fetch.Meta{}, fmt.Errorf("parse address: %w", err)
	}
	rules, err := c.rules(ctx, u)
	if err != nil {
		return nil, fetch.Meta{}, err
	}
	if !rules.Test(u.RequestURI()) {
		return nil, fetch.Meta{}, fmt.Errorf("fetch %s: %w", u.Path, ErrForbidden)
	}
	r.Timeout = cmp.Or(r.Timeout, time.Minute)
	r.MaxBytes = cmp.Or(r.MaxBytes, maxPage)
	r.Tries = cmp.Or(r.Tries, c.Tries)
	return c.http.Get(ctx, r)
}

// FetchJSON fetches a JSON answer and parses it with read. Without the Accept header, some portals
// send XML.
func FetchJSON[R any](ctx context.Context, c *Client, address string, read func(body []byte) (R, error)) (R, error) {
	r := fetch.Request{URL: address, Header: http.Header{"Accept": {"application/json"}}}
	return fetchParsed(ctx, c, r, func(body []byte, _ fetch.Meta) (R, error) { return read(body) })
}

// FetchPage fetches a web page, converts it to UTF-8 and parses it with read.
func FetchPage[R any](ctx context.Context, c *Client, address string, read func(body []byte) (R, error)) (R, error) {
	return fetchParsed(ctx, c, fetch.Request{URL: address}, func(body []byte, meta fetch.Meta) (R, error) {
		return read(UTF8(body, meta.ContentType))
	})
}

// fetchParsed fetches again if the answer cannot be parsed, because an overloaded portal sends an
// error page, or a part of the page, with status 200. All attempts count against Config.Tries.
func fetchParsed[R any](ctx context.Context, c *Client, r fetch.Request, read func([]byte, fetch.Meta) (R, error)) (R,
	error) {
	var none R
	r.Tries = c.Tries
	for try := 1; ; try++ {
		body, meta, err := c.get(ctx, r)
		if err != nil {
			return none, err
		}
		got, err := read(body, meta)
		if r.Tries -= meta.Tries; err == nil || r.Tries <= 0 {
			return got, err
		}
		select {
		case <-ctx.Done():
			return none, ctx.Err()
		case <-time.After(min(c.Pause, time.Second) << try):
		}
	}
}

// Validators are the validators for a conditional request.
type Validators struct {
	ETag, LastModified string
}

// A File is a downloaded document.
type File struct {
	NotModified bool // the caller's copy is current; there are no bytes
	Bytes       []byte
	SHA256      [sha256.Size]byte
	Validators
	Tries int // number of attempts
}

// A FileRequest is a document to fetch.
type FileRequest struct {
	URL string
	Validators
	MaxBytes int64
	Tries    int // at most Config.Tries; 0 means Config.Tries
}

// File fetches a document. If the validators match, it fetches nothing.
func (c *Client) File(ctx context.Context, want FileRequest) (File, error) {
	r := fetch.Request{URL: want.URL, ETag: want.ETag, LastModified: want.LastModified, MaxBytes: want.MaxBytes,
		Timeout: 5 * time.Minute, Tries: min(cmp.Or(want.Tries, c.Tries), c.Tries)}
	body, meta, err := c.get(ctx, r)
	return File{NotModified: meta.NotModified, Bytes: body, SHA256: meta.SHA256,
		Validators: Validators{ETag: meta.ETag, LastModified: meta.LastModified}, Tries: meta.Tries}, err
}

// IsRefused reports whether the portal answered that it does not have the document or page.
func IsRefused(err error) bool {
	var answer *fetch.StatusError
	return errors.As(err, &answer) && answer.Code < 500 && answer.Code != http.StatusTooManyRequests
}

// Advice tells an operator how to fix an error that occurred when a portal was opened or its
// meetings were listed. It returns "" if only waiting helps.
func Advice(p Product, err error) string {
	address := "portal.url in council.yaml is to be the address of " + p.called()
	if p.Title != "" {
		address += ", " + p.Example
	}
	address += ": open it in a browser and look for its calendar"
	var answer *fetch.StatusError
	var lookup *net.DNSError
	switch {
	// The last two errors explain themselves.
	case errors.Is(err, context.Canceled), errors.Is(err, fetch.ErrPrivate), errors.Is(err, ErrAddress):
		return ""
	case errors.Is(err, ErrForbidden):
		return "ask the clerk for leave; until then load minutes by hand: townline council load --help"
	case errors.Is(err, ErrNotPortal):
		return "either the portal is overloaded, then try again later, or it is not " + p.called() + "; " + address
	case errors.As(err, &answer) && (answer.Code == http.StatusUnauthorized || answer.Code == http.StatusForbidden):
		return "the portal keeps us out: set portal.contact, so that its operator sees who asks, and ask for leave"
	case errors.As(err, &answer) && answer.Code < 500 && answer.Code != http.StatusTooManyRequests:
		return address
	case errors.As(err, &answer):
		return "the portal is in trouble: try again later"
	case errors.As(err, &lookup):
		return "there is no such host, or no name server; " + address
	}
	return "see that this machine may reach the portal: try curl -I with its address"
}

func (p Product) called() string {
	switch {
	case p.Title == "":
		return "a meeting portal"
	case strings.ContainsRune("AEIO", rune(p.Title[0])):
		return "an " + p.Title + " portal"
	}
	return "a " + p.Title + " portal"
}

// Package fetch is a polite HTTP client. It sends conditional requests that identify the operator,
// bounds the size of answers, pauses between requests, backs off after errors, never connects to
// private networks, and uses the proxy of the environment.
//
// It sends only GET requests. It retries only if Request.Tries says so, because most callers retry
// in a loop of their own.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/net/http/httpproxy"

	"github.com/townline/townline/pkg/wait"
)

// Config has the settings that all requests of a Client share.
type Config struct {
	// UserAgent names the client and says how to reach its operator.
	UserAgent string
	// AllowPrivate allows loopback, private and link-local addresses. The check happens after the name
	// is resolved, and again for each redirect.
	AllowPrivate bool
	// Pause is the time between the end of one request and the start of the next; requests then run
	// one at a time. 0 means no limit.
	Pause time.Duration
	// Cookies keeps cookies as long as the Client lives. Some sites redirect clients without a session
	// for ever.
	Cookies bool
}

// A Client sends requests. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client

	paced sync.Mutex // held during a request if there is a pause
	last  time.Time  // when the last request ended
}

// A Request is an address to fetch, with limits.
type Request struct {
	URL    string
	Header http.Header
	// ETag and LastModified are the validators of the caller's copy. If the copy is current, the
	// answer has no body and sets Meta.NotModified.
	ETag, LastModified string
	// MaxBytes bounds the body after decompression; required.
	MaxBytes int64
	// Timeout bounds one attempt, including the body. 0 means 30 seconds.
	Timeout time.Duration
	// Tries is the number of attempts if failures are temporary: no connection, a broken body, 429 or
	// 5xx. 0 and 1 mean no retry.
	Tries int
	// Waiting, if not nil, is called before each wait for a retry.
	Waiting func(cause error, wait time.Duration)
}

// Meta describes the answer to a request.
type Meta struct {
	NotModified bool
	// URL is the address that answered, after redirects.
	URL                string
	ETag, LastModified string
	ContentType        string
	Bytes              int64
	SHA256             [sha256.Size]byte
	// Tries is the number of attempts, also if there was an error. A caller that asks again, because
	// it cannot use an answer, subtracts it from its own number.
	Tries int
}

// A StatusError is an answer other than 200 and 304.
type StatusError struct {
	Code  int
	After time.Duration // from the Retry-After header; 0 without one
	Body  []byte
}

func (e *StatusError) Error() string {
	if e.After > maxWait {
		return fmt.Sprintf("the server answered %d %s and asks to come back in %s", e.Code, http.StatusText(e.Code), e.After)
	}
	return fmt.Sprintf("the server answered %d %s", e.Code, http.StatusText(e.Code))
}

// RetryAfter returns the pause that the server asked for in err.
func RetryAfter(err error) (time.Duration, bool) {
	var status *StatusError
	if errors.As(err, &status) && status.After > 0 {
		return status.After, true
	}
	return 0, false
}

// ErrTooLarge is wrapped by the error for a body above Request.MaxBytes.
var ErrTooLarge = errors.New("larger than allowed")

// maxRedirects is enough for real portals, which need one or two.
const maxRedirects = 5

// maxWait bounds the pause before a retry. If a server asks for a longer pause, there is no retry.
const maxWait = 2 * time.Minute

const maxErrorBody = 4 << 10

// errRedirect is wrapped by the error for a redirect that was not followed. A retry cannot help.
var errRedirect = errors.New("redirect not followed")

// New returns a client. It uses the proxy of the environment: HTTPS_PROXY, HTTP_PROXY, NO_PROXY.
func New(cfg Config) *Client {
	return newClient(cfg, httpproxy.FromEnvironment().ProxyFunc())
}

func newClient(cfg Config, proxy proxyOf) *Client {
	direct := transport(cfg.AllowPrivate)
	proxied := transport(true) // the proxy may be private; proxies checks the hosts behind it
	proxied.Proxy = func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
	through := &proxies{of: proxy, direct: direct, proxied: proxied, allowPrivate: cfg.AllowPrivate,
		lookup: net.DefaultResolver.LookupNetIP}
	c := &Client{cfg: cfg, http: &http.Client{Transport: through, CheckRedirect: checkRedirect}}
	if cfg.Cookies {
		c.http.Jar, _ = cookiejar.New(nil) // fails only with options
	}
	return c
}

func transport(allowPrivate bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if !allowPrivate {
		dialer.ControlContext = refusePrivate
	}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		IdleConnTimeout:       30 * time.Second,
		MaxIdleConnsPerHost:   2,
		// Both limits are far above real traffic.
		MaxResponseHeaderBytes: 64 << 10,
	}
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("%w: more than %d redirects, they may form a circle", errRedirect, maxRedirects)
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return fmt.Errorf("%w: it leads to a %s address", errRedirect, req.URL.Scheme)
	}
	// Our headers may contain keys, which are only for the configured host and only over TLS.
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme == "http" && via[0].URL.Scheme == "https" {
		kept := http.Header{}
		for _, name := range []string{"User-Agent", "If-None-Match", "If-Modified-Since"} {
			if v := req.Header.Values(name); len(v) > 0 {
				kept[name] = v
			}
		}
		req.Header = kept
	}
	return nil
}

func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

func (c *Client) Get(ctx context.Context, r Request) ([]byte, Meta, error) {
	var body bytes.Buffer
	meta, err := c.Copy(ctx, r, func() (io.Writer, error) {
		body.Reset()
		return &body, nil
	})
	if err != nil || meta.NotModified {
		return nil, meta, err
	}
	return body.Bytes(), meta, nil
}

// Copy streams the body at r.URL to the writer that open returns. It calls open for each attempt;
// each call must return an empty destination.
func (c *Client) Copy(ctx context.Context, r Request, open func() (io.Writer, error)) (Meta, error) {
	if r.MaxBytes <= 0 {
		return Meta{}, errors.New("fetch: Request.MaxBytes is required")
	}
	req, err := c.request(r)
	if err != nil {
		return Meta{}, fmt.Errorf("fetch %s: %w", clean(r.URL), err)
	}
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = time.Second, time.Minute
	for try := 1; ; try++ {
		meta, err := c.traced(ctx, r, req, open)
		meta.Tries = try
		if err == nil {
			return meta, nil
		}
		pause, mayPass := retryIn(err, pauses)
		if try >= r.Tries || !mayPass {
			return meta, fmt.Errorf("fetch %s: %w", clean(r.URL), err)
		}
		if r.Waiting != nil && ctx.Err() == nil {
			r.Waiting(err, pause)
		}
		if !wait.For(ctx, pause) {
			return meta, fmt.Errorf("fetch %s: %w", clean(r.URL), context.Cause(ctx))
		}
	}
}

func retryIn(err error, pauses *backoff.ExponentialBackOff) (time.Duration, bool) {
	var status *StatusError
	switch {
	case errors.As(err, &status):
		if status.Code != http.StatusTooManyRequests && status.Code < 500 || status.After > maxWait {
			return 0, false
		}
		if status.After > 0 {
			pauses.Reset()
			return status.After, true
		}
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrPrivate), errors.Is(err, errRedirect), errors.Is(err, errStore):
		return 0, false
	}
	return pauses.NextBackOff(), true
}

var errStore = errors.New("cannot store the body")

// stored marks errors of the caller's writer, such as a full disk. A retry cannot help.
type stored struct{ to io.Writer }

func (s stored) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	if err != nil {
		err = fmt.Errorf("%w: %w", errStore, err)
	}
	return n, err
}

func (c *Client) once(ctx context.Context, r Request, req *http.Request, open func() (io.Writer, error)) (Meta, error) {
	if c.cfg.Pause > 0 {
		c.paced.Lock()
		defer c.paced.Unlock()
		defer func() { c.last = time.Now() }()
		if !wait.For(ctx, time.Until(c.last.Add(c.cfg.Pause))) {
			return Meta{}, ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.Timeout, 30*time.Second))
	defer cancel()
	resp, err := c.http.Do(req.Clone(ctx))
	if err != nil {
		return Meta{}, unwrapURL(err)
	}
	defer resp.Body.Close()
	meta := Meta{
		URL: resp.Request.URL.String(), ETag: resp.Header.Get("ETag"),
		LastModified: resp.Header.Get("Last-Modified"), ContentType: resp.Header.Get("Content-Type"),
	}
	switch {
	case resp.StatusCode == http.StatusNotModified && (r.ETag != "" || r.LastModified != ""):
		meta.NotModified = true
		if meta.ETag == "" && meta.LastModified == "" {
			meta.ETag, meta.LastModified = r.ETag, r.LastModified
		}
		return meta, nil
	case resp.StatusCode != http.StatusOK:
		said, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // best effort: the request has failed already
		return meta, &StatusError{Code: resp.StatusCode, After: ParseRetryAfter(resp.Header.Get("Retry-After"), time.Now()),
			Body: said}
	case resp.ContentLength > r.MaxBytes:
		return meta, fmt.Errorf("%d bytes announced: %w (%d)", resp.ContentLength, ErrTooLarge, r.MaxBytes)
	}
	w, err := open()
	if err != nil {
		return meta, fmt.Errorf("%w: %w", errStore, err)
	}
	hash := sha256.New()
	meta.Bytes, err = io.Copy(io.MultiWriter(stored{w}, hash), io.LimitReader(resp.Body, r.MaxBytes+1))
	switch {
	case errors.Is(err, errStore):
		return meta, err
	case err != nil:
		return meta, fmt.Errorf("the body broke off after %d bytes: %w", meta.Bytes, err)
	}
	if meta.Bytes > r.MaxBytes {
		return meta, fmt.Errorf("body: %w (%d bytes)", ErrTooLarge, r.MaxBytes)
	}
	copy(meta.SHA256[:], hash.Sum(nil))
	return meta, nil
}

func (c *Client) request(r Request) (*http.Request, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, r.URL, nil)
	if err != nil || (req.URL.Scheme != "http" && req.URL.Scheme != "https") || req.URL.Host == "" {
		return nil, errors.New("not an http or https URL")
	}
	maps.Copy(req.Header, r.Header)
	for name, value := range map[string]string{
		"User-Agent": c.cfg.UserAgent, "If-None-Match": r.ETag, "If-Modified-Since": r.LastModified,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

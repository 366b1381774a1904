// Package portal has the shared code of all meeting portals: the interface Reader, the records that
// readers return, and the polite client.
//
// A product (IQM2, Legistar …) is a package below this one: bytes in, records out. Portal and
// products know no database, no minutes and no ingest; other packages know no single product. A
// failed, truncated or incomplete list is an error, never an empty list.
//
// Start with Reader and Product. meeting.go has the records, words.go the words for positions,
// bundle.go the archived answers, client.go requests and advice on errors. page.go, html.go,
// fields.go and title.go parse web pages, JSON fields and titles. Package products lists the
// products.
package portal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// A Reader reads the portal of one council. It is not safe for concurrent use.
type Reader interface {
	// Probe sends one cheap request, and returns an error if the portal is not of this product.
	Probe(ctx context.Context) error
	// Bodies lists the bodies of the portal; nil without an error if only meetings name them.
	Bodies(ctx context.Context) ([]Body, error)
	// Meetings lists the meetings of all bodies: the complete list, or an error.
	Meetings(ctx context.Context, w Window) ([]Meeting, error)
	// Fetch requests all answers about a meeting. before has the archived ones, or is nil; unchanged
	// ones are copied from it. Fetch returns a complete bundle or an error.
	Fetch(ctx context.Context, m Meeting, before *Bundle) (Bundle, error)
	// File fetches a document of at most maxBytes, unless the validators match.
	File(ctx context.Context, address string, have Validators, maxBytes int64) (File, error)
	// Close closes idle connections.
	Close()
}

// A VoteTableReader reads votes from tables on the pages of items, one request each, for councils
// that publish no minutes.
type VoteTableReader interface {
	// VoteTables returns the tables on the page of an item, of all its meetings.
	VoteTables(ctx context.Context, it Item) ([]VoteTable, error)
}

// A FeedReader reads a portal's feed of publications.
type FeedReader interface {
	// Feed returns the entries of the feed.
	Feed(ctx context.Context) ([]FeedEntry, error)
}

// A Product is the software of a portal.
type Product struct {
	// Name is the product in council.yaml (legistar), Title its name for people (Legistar).
	Name, Title string
	// Example is the address of such a portal, for advice; Like is a sentence about its addresses, for
	// errors.
	Example, Like string
	// Tenant returns the town in an address of the product's vendor; "" for other addresses. It sends no
	// request.
	Tenant func(address *url.URL) string
	// Root returns the root address of the portal's answers from the address of any of its pages; nil
	// if that is impossible.
	Root func(address *url.URL) *url.URL
	New  func(c *Client) Reader
	// Parse parses a bundle. It is a pure function.
	Parse func(b Bundle, root *url.URL, opts ParseOptions) (Detail, error)
	// PageOf, if set, returns the address of a meeting's page.
	PageOf func(root *url.URL, id string) string
	Can    Can
	// Plain is set if the ids of meetings are their numbers in the API.
	Plain bool
	// LeastPause is the minimum pause between two requests to the vendor's hosts.
	LeastPause time.Duration
	// Minutes lists the documents that are minutes, by kind or name, the best first, unless
	// council.yaml names some.
	Minutes []string
}

// Open returns the portal at an address.
func (p Product) Open(ctx context.Context, cfg Config) (Reader, error) {
	root, err := p.root(cfg.URL)
	if err != nil {
		return nil, err
	}
	if p.Tenant(root) != "" {
		cfg.Pause = max(cfg.Pause, p.LeastPause)
	}
	client, err := NewClient(ctx, cfg, root)
	if err != nil {
		return nil, err
	}
	return p.New(client), nil
}

func (p Product) root(address string) (*url.URL, error) {
	if u := WebAddress(address); u != nil {
		if root := p.Root(u); root != nil {
			return root, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrAddress, p.Like)
}

// Page returns the address of a meeting's page at a portal; "" if there is none.
func (p Product) Page(address, id string) string {
	root, err := p.root(address)
	if err != nil || p.PageOf == nil {
		return ""
	}
	return p.PageOf(root, id)
}

func (p Product) Read(b Bundle, opts ParseOptions) (Detail, error) {
	root, err := url.Parse(b.Root)
	if err != nil || len(b.Answers) == 0 {
		return Detail{}, fmt.Errorf("read bundle of %s: %w", p.called(), ErrNotPortal)
	}
	return p.Parse(b, root, opts)
}

// Can lists the features of a product. A council need not use them.
type Can struct {
	// Record is set if answers about a meeting are archived, and items and votes are read from them.
	Record   bool
	Votes    bool // recorded votes, by member
	RollCall bool // recorded attendance
	Changes  bool // lists of changes since a time
	Feed     bool
}

// A Window selects the meetings to list.
type Window struct {
	From, To time.Time // local days, inclusive
	// Back is the first day from which changes matter; never before From. A portal that is read year
	// by year is read from that day.
	Back time.Time
	// Changed, unless zero, allows the reader to omit unchanged meetings before Back, if Can.Changes.
	Changed time.Time
}

// A Body is a council, board or committee.
type Body struct {
	ID, Name string
	Kind     string // the portal's word: Committee; "" if it has none
}

// Config configures requests to a portal.
type Config struct {
	URL     string        // of any page of the portal: https://town.iqm2.com
	Pause   time.Duration // between two requests; robots.txt can require a longer one
	Contact string        // in the user agent
	// AllowPrivate allows private and loopback addresses.
	AllowPrivate bool
	// Tries is the number of attempts per request; 0 means 5. An answer that cannot be parsed counts.
	Tries int
	// Token is for portals that require one. Errors, logs and the archive must not contain it.
	Token string
	// OnRequest, if set, is called with the outcome of each request.
	OnRequest func(Outcome)
	ParseOptions
}

// ParseOptions are the settings of a council for parsing answers.
type ParseOptions struct {
	Zone  *time.Location // of local times
	Words Words
	// Kinds maps the council's names of documents, folded by FoldName, to kinds. They have precedence
	// over the product's table.
	Kinds map[string]DocumentKind
}

// ErrNotPortal reports that an answer does not come from the product: an error page, a truncated
// answer, or another system.
var ErrNotPortal = errors.New("not an answer of such a portal")

// ErrNone reports that the portal is not set up for this council.
var ErrNone = errors.New("the portal does not have this for the council")

// ErrAddress reports an address that cannot belong to the product.
var ErrAddress = errors.New("the address is none of a meeting portal of this product")

// A FeedEntry announces a publication for a meeting. It is a hint: entries can lack a date, and the
// feed does not announce removals.
type FeedEntry struct {
	MeetingID string // "" if the entry names none
	Headline  string // "City Council - Minutes - Jun 23, 2026 9:30 AM"
	Published string // as printed: "Fri, 26 Jun 2026 23:49:33 GMT"
}

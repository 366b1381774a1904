// Package portal has the code that all meeting portals share: the interface Reader, the records
// that readers return, and the polite client.
//
// Each product (IQM2, Legistar …) is a package below this one: bytes in, records out. Portal and
// products do not depend on the database, on minutes or on the ingest, and other packages do not
// depend on a single product. A failed, truncated or incomplete list is an error, never an empty
// list.
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
	// Bodies lists the bodies of the portal. It returns nil and no error if only meetings name the
	// bodies.
	Bodies(ctx context.Context) ([]Body, error)
	// Meetings lists the meetings of all bodies. It returns the complete list or an error.
	Meetings(ctx context.Context, w Window) ([]Meeting, error)
	// Fetch requests all answers about a meeting. before has the archived answers, or is nil;
	// unchanged answers are copied from it. Fetch returns a complete bundle or an error.
	Fetch(ctx context.Context, m Meeting, before *Bundle) (Bundle, error)
	// File fetches a document. If the validators match, it fetches nothing.
	File(ctx context.Context, want FileRequest) (File, error)
	Close()
}

// A VoteTableReader reads votes from tables on the pages of items. Each page is one request. It is
// for councils that publish no minutes.
type VoteTableReader interface {
	// VoteTables returns the tables on the page of an item that belong to a meeting. Each has the printed
	// rows of label and value, such as RESULT: and ADOPTED [4 TO 1].
	VoteTables(ctx context.Context, it Item, meetingID string) ([][][2]string, error)
}

// A FeedReader reads a portal's feed of publications.
type FeedReader interface {
	Feed(ctx context.Context) ([]FeedEntry, error)
}

// A Product is the software of a portal.
type Product struct {
	// Name is the product in council.yaml (legistar). Title is its name for people (Legistar).
	Name, Title string
	// Example is the address of such a portal, for advice. Like is a sentence about such addresses,
	// for errors.
	Example, Like string
	// Tenant returns the town in an address of the product's vendor, or "" for other addresses. It
	// sends no request.
	Tenant func(address *url.URL) string
	// Root returns the root address of the portal's answers from the address of any of its pages, or
	// nil if that is impossible.
	Root  func(address *url.URL) *url.URL
	New   func(c *Client) Reader
	Parse func(b Bundle, root *url.URL, opts ParseOptions) (Detail, error)
	// PageOf returns the address of a meeting's page. It is nil if the id is not enough for that.
	PageOf func(root *url.URL, id string) string
	Can    Can
	// Plain says that the API uses the portal's ids as numbers of the meetings.
	Plain bool
	// LeastPause is the shortest pause between two requests to the vendor's hosts.
	LeastPause time.Duration
	// Minutes lists the documents that are minutes, by kind or name, the best first. council.yaml can
	// override the list.
	Minutes []string
}

// Open opens the portal at an address.
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

// Page returns the address of a meeting's page at a portal, or "" if there is none.
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

// Can lists the features of a product. Some councils use only some of them.
type Can struct {
	// Record says that answers about a meeting are archived, and that items and votes are read from
	// them.
	Record   bool
	Votes    bool // recorded votes with each member's position
	RollCall bool
	Changes  bool // lists of changes since a given time
	Feed     bool
}

// A Window says which meetings to list.
type Window struct {
	From, To time.Time // local days, inclusive
	// Back is the first day from which changes matter. It is never before From. A portal that is read
	// year by year is read from that day on.
	Back time.Time
	// Changed, if not zero, allows the reader to omit meetings before Back that have not changed
	// since. Only readers with Can.Changes use it.
	Changed time.Time
}

// A Body is a council, board or committee.
type Body struct {
	ID, Name string
	Kind     string // portal's word for the kind, such as Committee; "" if it has none
}

// Config configures the requests to a portal.
type Config struct {
	URL          string        // address of any page of the portal, such as https://town.iqm2.com
	Pause        time.Duration // between two requests; robots.txt may require a longer pause
	Contact      string        // address of the operator, for the user agent
	AllowPrivate bool
	// Tries is the number of attempts for each address. 0 means MaxTries. An answer that cannot be parsed
	// counts as a failed attempt.
	Tries int
	// Token is for portals that require a token. Errors, logs and the archive must not contain it.
	Token string
	// OnRequest, if not nil, is called with the outcome of each request.
	OnRequest func(Outcome)
	ParseOptions
}

// ParseOptions are a council's settings for parsing answers.
type ParseOptions struct {
	Zone  *time.Location
	Words Words
	// Kinds maps the council's names of documents, folded by FoldName, to kinds. It takes precedence
	// over the product's table.
	Kinds map[string]DocumentKind
}

// ErrNotPortal means that an answer does not come from the product. It is an error page, a
// truncated answer, or from another system.
var ErrNotPortal = errors.New("not an answer of such a portal")

// ErrNone means that the portal is not set up for this council.
var ErrNone = errors.New("the portal does not have this for the council")

// ErrAddress means that an address cannot belong to the product.
var ErrAddress = errors.New("the address is none of a meeting portal of this product")

// A FeedEntry announces a publication for a meeting. It is only a hint: an entry may lack a date,
// and the feed does not announce removals.
type FeedEntry struct {
	MeetingID string // "" if the entry does not name a meeting
	Headline  string // such as "City Council - Minutes - Jun 23, 2026 9:30 AM"
	Published string // as printed, such as "Fri, 26 Jun 2026 23:49:33 GMT"
}

// Package portal is what all meeting portals have in common: the interface by which a council's
// portal is read, the plain types that it hands over, and the polite client that every product
// uses.
//
// A product (IQM2, Legistar …) is a package below this one: bytes in, records out. Neither this
// package nor a product knows a database, the minutes of a council, or what an ingest does with the
// records; and nothing outside knows one product. What a product cannot hand over, it does not make
// up: an error, an answer that is cut off, or a list that is not whole is never an empty list.
//
// Start with Source and Product. meeting.go is what a source hands over, words.go the positions by
// the words of a council, bundle.go how answers are decoded and archived, client.go how they are
// asked for and what an operator can do about an error, page.go how web pages are read within
// bounds. Package products lists the products; a new one is one more package and a line there.
package portal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// A Reader is the portal of one council, of whatever product. It is used by one goroutine at a
// time.
type Reader interface {
	// Knock asks one cheap question, and returns an error if the portal is not of this product.
	Knock(ctx context.Context) error
	// Bodies are the boards that the portal knows; nil without an error where they have to be read
	// from the meetings.
	Bodies(ctx context.Context) ([]Body, error)
	// Meetings lists the meetings of all boards. It is the whole list, or an error.
	Meetings(ctx context.Context, w Window) ([]Meeting, error)
	// Fetch asks for everything that facts about a meeting come from. before are the archived answers,
	// if any: what cannot have changed since is copied from them. The bundle is whole, or there is an
	// error.
	Fetch(ctx context.Context, m Meeting, before *Bundle) (Bundle, error)
	// File returns a document of at most maxBytes, unless its validators say that the caller has it.
	File(ctx context.Context, address string, have Validators, maxBytes int64) (File, error)
	// Close closes idle connections.
	Close()
}

// A VoteTableReader is a source that has votes as tables on the pages of items, one page a request.
// They are asked for where a council publishes no minutes.
type VoteTableReader interface {
	// Tables returns the tables on the page of an item, of all meetings that took it up.
	Tables(ctx context.Context, it Item) ([]VoteTable, error)
}

// A NewsReader is a source that says in a feed what was published last.
type NewsReader interface {
	// News returns the entries of the feed.
	News(ctx context.Context) ([]News, error)
}

// A Product is a make of portals.
type Product struct {
	// Name is what council.yaml calls it: legistar. Title is how people write it: Legistar.
	Name, Title string
	// Example is an address of such a portal, as advice shows it; Like is a sentence about its
	// addresses, for errors.
	Example, Like string
	// Tenant returns the part of an address that stays when a page is added to it: whose portal it is.
	// It sends no request; "" means that the address alone does not show that the portal is of this
	// product.
	Tenant func(address *url.URL) string
	// Root returns where the portal answers, by the address of any of its pages; nil if that cannot
	// be.
	Root func(address *url.URL) *url.URL
	// New returns the source behind a client, which asks below the root.
	New func(c *Client) Reader
	// Parse turns archived answers into a detail. It is a pure function: the same bytes give the same
	// detail.
	Parse func(b Bundle, root *url.URL, r Reading) (Detail, error)
	// PageOf, if set, is the address of a meeting's page by the portal's own id.
	PageOf func(root *url.URL, id string) string
	// Can says what its portals hand over.
	Can Can
	// Plain says that the ids of its meetings are the numbers by which the API has always named them.
	Plain bool
	// LeastPause is the shortest time between two requests at the vendor's own hosts.
	LeastPause time.Duration
	// Minutes are the documents that are minutes where council.yaml does not say, by kind or name, the
	// best first.
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

// Page is the address of a meeting's page at a portal, by the portal's own id; "" where there is
// none.
func (p Product) Page(address, id string) string {
	root, err := p.root(address)
	if err != nil || p.PageOf == nil {
		return ""
	}
	return p.PageOf(root, id)
}

// Read turns archived answers into what they say of the meeting.
func (p Product) Read(b Bundle, r Reading) (Detail, error) {
	root, err := url.Parse(b.Root)
	if err != nil || len(b.Answers) == 0 {
		return Detail{}, fmt.Errorf("read bundle of %s: %w", p.called(), ErrNotPortal)
	}
	return p.Parse(b, root, r)
}

// Can is what a portal hands over. It says nothing of whether a council uses it.
type Can struct {
	// Record says that the answers about a meeting are archived, and its items and votes are read from
	// them.
	Record  bool
	Votes   bool // recorded votes, by member
	Roll    bool // who was there
	Changes bool // the list can be asked for what has changed since a time
	News    bool // there is a feed
}

// A Window says which meetings to list.
type Window struct {
	// From and To are local days, both included.
	From, To time.Time
	// Back is how far a list needs to go back on a portal that has to be asked year by year; never
	// before From.
	Back time.Time
	// Changed, unless it is zero, allows a source that lists changes (Can) to leave out meetings
	// before Back that have not changed since.
	Changed time.Time
}

// A Body is a board, a committee, a commission.
type Body struct {
	ID, Name string
}

// Config says which portal, and how to behave there.
type Config struct {
	// URL of the portal's root or of any page of it: https://town.iqm2.com.
	URL string
	// Pause is the time between two requests; robots.txt can ask for a longer one.
	Pause time.Duration
	// Contact stands in the user agent.
	Contact string
	// AllowPrivate lets the portal be on a private or loopback address.
	AllowPrivate bool
	// Tries is how often a request is tried in all; 0 means 5. An answer that cannot be read is a
	// failed try.
	Tries int
	// Token opens portals that want one. It stands in no error, log or archive.
	Token string
	// Asked, if set, is called with the outcome of each request.
	Asked func(Outcome)
	Reading
}

// Reading is what has to be known to read a portal's answers and does not stand in them.
type Reading struct {
	// Zone is where the portal's times are local.
	Zone *time.Location
	// Words are the positions by this council's words.
	Words Words
	// Kinds are the kinds of documents by this council's names of them, folded by FoldName; they win
	// over the product's own table.
	Kinds map[string]DocumentKind
}

// ErrNotPortal says that an answer is not what a portal of the product answers: an error
// page, half an answer, or another system.
var ErrNotPortal = errors.New("not an answer of such a portal")

// ErrNone says that the portal answered that what was asked for is not set up for this council. It
// is not an empty list.
var ErrNone = errors.New("the portal does not have this for the council")

// ErrAddress says that an address is none of the product.
var ErrAddress = errors.New("the address is none of a meeting portal of this product")

// News is an entry of the feed: something was published for a meeting. It is a hint of where to
// look, no more: entries can lack a date, and the feed says nothing of what is gone.
type News struct {
	MeetingID string // "" where the entry names none
	Headline  string // "City Council - Minutes - Jun 23, 2026 9:30 AM"
	Published string // as printed: "Fri, 26 Jun 2026 23:49:33 GMT"
}

package files

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// AtomMedia is the media type of the feeds (RFC 4287). The ids of entries never change, so a feed
// reader shows a vote only once, and again only after a correction.
const AtomMedia = "application/atom+xml"

const feedLength = 100

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated rest.Time   `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID      string     `xml:"id"`
	Title   string     `xml:"title"`
	Updated rest.Time  `xml:"updated"`
	Links   []atomLink `xml:"link"`
	Summary string     `xml:"summary"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

var memberName = rest.SQL[civic.IDParams, string](`SELECT full_name FROM council.member WHERE id = @id`)

// FeedEndpoints are the feeds of votes.
func FeedEndpoints(place Place) rest.Table {
	return rest.Table{
		feed(place, rest.Spec{ID: "feedVotes", Path: "/feeds/votes.atom", Summary: "The newest votes as an Atom feed"},
			func(_ *rest.Call, of civic.OfBody) (subject, list string, f civic.SearchFilters) {
				f.OfBody = of
				return "votes", "/votes", f
			}),
		feed(place, rest.Spec{ID: "feedSplitVotes", Path: "/feeds/split-votes.atom",
			Summary: "The newest votes that were not unanimous as an Atom feed"},
			func(_ *rest.Call, of civic.OfBody) (subject, list string, f civic.SearchFilters) {
				f.OfBody, f.Split = of, new(true)
				return "split votes", "/votes?split=true", f
			}),
		memberFeed(place),
		feed(place, rest.Spec{ID: "feedTopicVotes", Path: "/feeds/topics/{topic}/votes.atom", NotFound: "unknown topic",
			Summary: "The newest votes on one topic as an Atom feed"},
			func(_ *rest.Call, p civic.TopicParams) (subject, list string, f civic.SearchFilters) {
				f.OfBody, f.Topic = p.OfBody, &p.Topic
				return "votes on " + string(p.Topic), "/votes?topic=" + string(p.Topic), f
			}),
	}
}

// feed makes the endpoint of a feed. find returns the subject of the feed's title, the path of the
// same votes as JSON, and the filters.
func feed[P any](place Place, spec rest.Spec,
	find func(*rest.Call, P) (subject, list string, f civic.SearchFilters)) rest.Endpoint {
	spec.Tag, spec.Doc = "Feeds", feedDoc
	spec.Media = AtomMedia
	spec.Queries = append(rest.Queries(civic.CouncilName, correctionsOf), civic.FoundQueries()...)
	return rest.Func(spec, func(ctx context.Context, c *rest.Call, p P) (rest.File, error) {
		subject, list, f := find(c, p)
		votes, err := civic.ListFound(ctx, c, f, feedLength)
		if err != nil {
			return rest.File{}, err
		}
		return place.atom(ctx, c, subject, c.URL(list), f.OfBody, votes, nil)
	})
}

func memberFeed(place Place) rest.Endpoint {
	return rest.Func(rest.Spec{ID: "feedMemberVotes", Path: "/feeds/members/{id}/votes.atom", Tag: "Feeds", Doc: feedDoc,
		Summary: "One member's newest votes as an Atom feed", NotFound: "unknown member",
		Queries: rest.Queries(civic.CouncilName, correctionsOf, memberName, civic.MemberVoteRows), Media: AtomMedia},
		func(ctx context.Context, c *rest.Call, p civic.MemberParams) (rest.File, error) {
			name, err := memberName.One(ctx, c, p.IDParams)
			if err != nil {
				return rest.File{}, civic.Missing(err, "member", p.ID)
			}
			args := civic.MemberVotesParams{MemberVoteFilters: civic.MemberVoteFilters{MemberParams: p},
				Links: wire.LinksOf(c)}
			args.Fetch = feedLength
			votes, err := civic.MemberVoteRows.List(ctx, c, args)
			if err != nil {
				return rest.File{}, err
			}
			found := make([]civic.FoundVote, len(votes))
			for i := range votes {
				found[i] = civic.FoundVote{Vote: votes[i].Vote, OfItem: votes[i].OfItem}
			}
			return place.atom(ctx, c, "votes of "+name, c.URL("/members/{id}/votes", strconv.FormatInt(p.ID, 10)), p.OfBody,
				found,
				func(i int) string { return "Position: " + string(votes[i].Position) + "." })
		})
}

const feedDoc = "RFC 4287: the newest 100 votes, newest meeting first and in document order within it. An entry's id " +
	"never changes; updated is when the vote was first read with its present content; " +
	"its link leads to the page of the vote, the link via to the page of the minutes, or, until there are minutes, " +
	"to the portal's page of the meeting. The summary says what a person corrected. Title and author name the council."

// atom writes a feed of the votes of a body. list is the address of the same votes as JSON. note,
// if not nil, returns a sentence for the summary of a vote.
func (place Place) atom(ctx context.Context, c *rest.Call, subject, list string, of civic.OfBody,
	votes []civic.FoundVote, note func(i int) string) (rest.File, error) {
	body, name, err := place.nameOf(ctx, c, of)
	if err != nil {
		return rest.File{}, err
	}
	corrected, err := listCorrections(ctx, c, votes)
	if err != nil {
		return rest.File{}, err
	}
	self := c.Self()
	if of.Body != nil {
		self, list = c.SelfQuery(), withBody(list, *of.Body)
	}
	title := name + ": " + subject
	// A feed without entries has the time 0, because it has never changed.
	f := atomFeed{ID: self, Title: title, Author: body, Updated: rest.Time{Time: time.Unix(0, 0)},
		Links:   []atomLink{{"self", AtomMedia, self}, {"alternate", "application/json", list}},
		Entries: make([]atomEntry, len(votes))}
	for i := range votes {
		v, id := &votes[i], strconv.FormatInt(votes[i].ID, 10)
		sentence := ""
		if note != nil {
			sentence = note(i)
		}
		if how := corrected[v.ID]; how != "" {
			sentence = strings.TrimSpace(sentence + " Corrected: " + how + ".")
		}
		f.Entries[i] = atomEntry{ID: tagURI(c, "votes", id), Title: v.ItemTitle + ": " + string(v.Result),
			Updated: v.ParsedAt, Summary: summary(v, sentence),
			Links: []atomLink{{Rel: "alternate", Href: place.page(v)}, {Rel: "via", Href: v.SourceURL},
				{"related", "application/json", c.URL("/votes/{id}", id)}}}
		if v.ParsedAt.After(f.Updated.Time) {
			f.Updated = v.ParsedAt
		}
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(f); err != nil {
		return rest.File{}, fmt.Errorf("encode feed %q: %w", title, err)
	}
	return rest.File{Body: b.Bytes()}, nil
}

// withBody adds a filter by body to an address, unless the address has one.
func withBody(address, body string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // cannot happen, because the address is ours
	}
	q := u.Query()
	q.Set("body", body)
	u.RawQuery = q.Encode()
	return u.String()
}

func summary(v *civic.FoundVote, sentence string) string {
	parts := []string{fmt.Sprintf("%s: %s, %s, on %s.", v.Result, council.Count(v.AyesCount, "aye"),
		council.Count(v.NaysCount, "nay"), v.MeetingDate)}
	if v.BodyName != nil {
		parts = append(parts, *v.BodyName+".")
	}
	source := "Printed: "
	if v.Origin == council.FromRecord {
		source = "Recorded by the portal: "
	}
	if v.ResultRaw != "" {
		parts = append(parts, source+v.ResultRaw+".")
	}
	for _, text := range []string{sentence, v.MotionText} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// tagEpoch is the date in every tag URI. Together with the host it names the authority.
const tagEpoch = "2026-01-01"

// tagURI returns a permanent id for an entry (RFC 4151).
func tagURI(c *rest.Call, kind, id string) string {
	return "tag:" + host(c) + "," + tagEpoch + ":" + kind + "/" + id
}

// host returns the host of the API's public address, without the port.
func host(c *rest.Call) string {
	u, err := url.Parse(c.URL(""))
	if err != nil || u.Hostname() == "" {
		return "localhost" // cannot happen, because rest.New refuses such an address
	}
	return u.Hostname()
}

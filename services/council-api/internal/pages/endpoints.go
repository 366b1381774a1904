package pages

import (
	"context"
	"embed"
	"slices"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
)

//go:embed *.html words assets
var content embed.FS

// Open loads templates, words and assets and returns the site.
func (a *Pages) Open() (*rest.Site, error) {
	var err error
	a.site, err = site.New(content, council.Sentences())
	if err != nil {
		return nil, err
	}
	if err := a.openFonts(); err != nil {
		return nil, err
	}
	a.site.SetBrand(a.Town)
	if a.Color != "" {
		if err := a.site.SetAccent(a.Color); err != nil {
			return nil, err
		}
	}
	if a.Logo != "" {
		if err := a.site.SetLogo(a.Logo); err != nil {
			return nil, err
		}
	}
	a.site.SetErrorHead(func(c *rest.Call) site.Head { return a.head(c, "") })
	return a.site.Serve(slices.Concat(a.lists(), a.framedPages(), a.files(), a.notices())), nil
}

func (a *Pages) notices() rest.Table {
	return a.site.Notices(site.Notices{Public: a.Public, AccessLog: a.AccessLog,
		Barriers: []site.Sentence{{Key: "notice.pdf"}},
		Kept:     []site.Sentence{{Key: "notice.archive"}, {Key: "notice.clerks"}},
		Head:     func(c *rest.Call) site.Head { return a.head(c, "") }})
}

// A filler fills a page with the answers that it shows.
type filler[P any] func(context.Context, *page, P) error

// pageAt declares a page; missing describes its 404. Its template has the name of its id.
func pageAt[P any](a *Pages, id, path, summary, missing string, fill filler[P]) rest.Endpoint {
	spec := rest.Spec{ID: "page." + id, Path: path, Summary: summary, NotFound: missing}
	return rest.Func(spec, func(ctx context.Context, c *rest.Call, p P) (rest.HTML, error) {
		v := a.page(c, sectionOf(path), id)
		var err error
		switch of := any(p).(type) {
		case interface{ Of() civic.OfBody }:
			err = v.addBodies(ctx, of.Of())
		case rest.None:
			err = v.addBodies(ctx, civic.OfBody{})
		}
		if err == nil {
			err = fill(ctx, v, p)
		}
		if err != nil {
			return nil, err
		}
		return a.show(v)
	})
}

func (a *Pages) lists() rest.Table {
	return rest.Table{
		pageAt(a, "home", "/", "Start page", "", a.pageHome),
		pageAt(a, "body", "/bodies/{id}", "One body with its last meetings and divided votes", "unknown body", a.pageBody),
		pageAt(a, "meetings", "/meetings", "Meetings, newest first", "", a.pageMeetings),
		pageAt(a, "meeting", "/meetings/{id}", "One meeting with its agenda, motions and votes", "unknown meeting",
			a.pageMeeting),
		pageAt(a, "minutes", "/meetings/{id}/minutes", "A page of the archived minutes with its votes marked",
			"unknown meeting, no archived text, or no such page", a.pageMinutes),
		pageAt(a, "votes", "/votes", "Votes by words and filters", "", a.pageVotes),
		pageAt(a, "vote", "/votes/{id}", "One vote with its roll call and the proof of it", "unknown vote", a.pageVote),
		pageAt(a, "search", "/search", "Members, items, motions and minutes with some words", "", a.pageSearch),
		pageAt(a, "searchMinutes", "/search/minutes", "Pages of minutes with some words, newest first", "",
			a.pageSearchMinutes),
		pageAt(a, "members", "/members", "Everyone who voted, moved or seconded", "", a.pageMembers),
		pageAt(a, "member", "/members/{id}", "One member's record and votes", "unknown member", a.pageMember),
		pageAt(a, "agreement", "/members/agreement", "Who votes with whom", "", a.pageAgreement),
		pageAt(a, "pair", "/members/{id}/with/{other}", "The votes of two members", "unknown member, or the same one twice",
			a.pagePair),
		pageAt(a, "topics", "/topics", "Topics over time", "", a.pageTopics),
		pageAt(a, "topic", "/topics/{topic}", "One topic over time, with its votes", "unknown topic", a.pageTopic),
		pageAt(a, "anomalies", "/anomalies", "What is wrong in the sources", "", a.pageAnomalies),
		pageAt(a, "anomaly", "/anomalies/{id}", "One anomaly with what people said of it", "unknown anomaly", a.pageAnomaly),
		pageAt(a, "changes", "/changes", "What changed after publication", "", a.pageChanges),
		pageAt(a, "about", "/about", "Method, words and licence", "", a.pageAbout),
	}
}

const (
	voteFrame   = "vote"
	memberFrame = "member"
)

func (a *Pages) framedPages() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "page.embed_vote", Path: "/embed/votes/{id}", Summary: "One vote in a page of another site",
			NotFound: "unknown vote", Framed: voteFrame, Header: a.Frames.Header()}, a.embedVote),
		rest.Func(rest.Spec{ID: "page.embed_member", Path: "/embed/members/{id}",
			Summary:  "One member's record in a page of another site",
			NotFound: "unknown member", Framed: memberFrame, Header: a.Frames.Header()}, a.embedMember),
	}
}

func (a *Pages) files() rest.Table {
	const media = "application/xml"
	return rest.Table{
		rest.Func(rest.Spec{ID: "site.oembed", Path: oembedPath,
			Summary:  "What to show in place of a link to a vote or a member",
			NotFound: "no page that can be embedded", Media: "application/json"}, a.oembed),
		rest.Func(rest.Spec{ID: "site.vote_picture", Path: picturePath, Summary: "A vote as a picture, for links to it",
			NotFound: "unknown vote", Media: "image/png"}, a.votePicture),
		rest.Func(rest.Spec{ID: "site.sitemaps", Path: Sitemap, Summary: "The sitemaps of all pages", Media: media},
			a.sitemaps),
		rest.Func(rest.Spec{ID: "site.sitemap", Path: "/sitemaps/{part}", Summary: "Addresses of pages",
			NotFound: "no such sitemap", Media: media}, a.sitemap),
	}
}

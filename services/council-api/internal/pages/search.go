package pages

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/search"
)

const eachKind = 8

type searchPageParams struct {
	Q string `query:"q" maxlen:"200"`
	civic.OfBody
}

type results struct {
	search.FoundText
	Q                       string // search words
	Items, Motions, Minutes []hit
	Nothing                 bool
	Most                    int // number of entries of one kind if there may be more
	Newest                  bool
	Earlier                 ref // link to a search in earlier meetings
}

// A hit is a place where the words occur. Without a title, its text is the link.
type hit struct {
	Address, Title string
	Parts          []search.TextPart
	Where          string // day and body of the hit
	Outcome        outcome
}

func (a *Pages) pageSearch(ctx context.Context, v *page, p searchPageParams) error {
	words := len(search.Words(p.Q)) > 0
	if words {
		v.Others = []site.Other{asJSON("JSON", v.c.URL("/search")+"?"+v.inBody(query("q", p.Q)).Encode())}
	}
	v.About, v.Unlisted = v.Text("search.about"), true
	v.searchForm(v.withBodies()...)
	has := results{Q: p.Q, Most: eachKind}
	v.Title, v.Has = v.Text("search.title"), &has
	if !words {
		return nil
	}
	report := v.Title
	v.Title = v.Text("search.for", p.Q)
	var err error
	has.FoundText, err = search.Search(ctx, v.c, search.Params{Q: p.Q, OfBody: p.OfBody, Limit: eachKind})
	if err != nil {
		return err
	}
	if has.Corrected != nil {
		has.Q = *has.Corrected
	}
	has.Items = each(has.FoundText.Items, func(it *search.FoundItem) hit {
		item := v.Link("/meetings/{id}", it.MeetingID) + "#item-" + number(it.ID)
		return hit{Address: item, Parts: it.Snippet, Where: v.where(it.MeetingDate, it.BodyRef),
			Outcome: v.ended(it.Result)}
	})
	has.Motions = each(has.FoundText.Motions, func(m *search.FoundMotion) hit {
		return hit{Address: v.Link("/votes/{id}", m.VoteID), Title: m.ItemTitle, Parts: m.Snippet,
			Where:   v.where(m.MeetingDate, m.BodyRef),
			Outcome: v.ended(&m.Result)}
	})
	has.Minutes = v.inMinutes(has.FoundText.Minutes)
	has.Nothing = len(has.Members)+len(has.Items)+len(has.Motions)+len(has.Minutes) == 0
	has.Newest = !has.Complete
	v.Report = a.report(v, report, "")
	return nil
}

func (a *Pages) pageSearchMinutes(ctx context.Context, v *page, p search.MinutesParams) error {
	v.also(asJSON("JSON", v.c.URL("/search/minutes")+withoutPaging(v.c)))
	v.template = "search"
	v.Title, v.About = v.Text("search.minutesfor", p.Q), v.Text("search.about")
	v.Unlisted = true
	v.searchForm(v.withBodies()...)
	v.Find.Action, v.Find.More = v.c.Path("/search/minutes"), []field{v.field("date", "from"), v.field("date", "to")}
	v.Find.opened()
	list, err := search.SearchMinutes(ctx, v.c, p)
	if err != nil {
		return err
	}
	has := results{Minutes: v.inMinutes(list.Data), Nothing: len(list.Data) == 0, Newest: list.SearchedSince != nil}
	if since := list.SearchedSince; since != nil {
		asked := v.inBody(query("q", p.Q, "to", since.AddDate(0, 0, -1).Format(time.DateOnly)))
		if p.From != nil {
			asked.Set("from", p.From.Format(time.DateOnly))
		}
		has.Earlier = ref{v.Text("search.earlier", v.Date(since.Time)), v.ToQuery(asked, "/search/minutes")}
	}
	v.Has = &has
	v.paged(list.NextCursor)
	return nil
}

func (p *page) inMinutes(found []search.FoundPage) []hit {
	return each(found, func(f *search.FoundPage) hit {
		title := p.Text("search.page", f.Title, f.Page)
		return hit{Address: p.MinutesLink(f.MeetingID, f.Page), Title: title, Parts: f.Snippet,
			Where: p.where(f.MeetingDate, f.BodyRef)}
	})
}

func (p *page) where(day rest.Date, of civic.BodyRef) string {
	if name := p.OtherBody(of); name != "" {
		return p.Date(day.Time) + " · " + name
	}
	return p.Date(day.Time)
}

func (p *page) ended(r *council.Result) outcome {
	if r == nil {
		return outcome{}
	}
	return p.Outcome(*r, 0, 0, true)
}

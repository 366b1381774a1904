package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
)

type embedParams struct {
	civic.IDParams
	site.FrameParams
}

func (a *Pages) framed(c *rest.Call, kind string, p site.FrameParams) *page {
	v := a.page(c, "", "embed"+kind)
	v.Head = a.site.Head(c)
	v.Brand = a.town(v.Lang)
	v.Styles = []string{"council.css"}
	a.site.Framed(&v.Head, kind, p)
	v.Frame.State = site.FrameRecord
	return v
}

func (a *Pages) embedVote(ctx context.Context, c *rest.Call, p embedParams) ([]byte, error) {
	d, item, err := voteOn(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	corrected, err := review.ListCorrections(ctx, c, []int64{d.ID})
	if err != nil {
		return nil, err
	}
	v := a.framed(c, voteFrame, p.FrameParams)
	v.Title = brief(item.Title, whole)
	one := votePage{vote: v.voteOf(&d.Vote, &item, 0), Proof: d.Proof}
	one.Corrected = corrected[d.ID]
	v.Has = one
	return a.show(v)
}

func (a *Pages) embedMember(ctx context.Context, c *rest.Call, p embedParams) ([]byte, error) {
	m, err := civic.GetMember(ctx, c, civic.MemberParams{IDParams: p.IDParams})
	if err != nil {
		return nil, err
	}
	v := a.framed(c, memberFrame, p.FrameParams)
	v.Title, v.Has = m.FullName, m
	return a.show(v)
}

const oembedPath = "/oembed"

// oembedAddress returns the address of the page's oEmbed description, or "" if no site may frame
// pages.
func (a *Pages) oembedAddress(c *rest.Call) string {
	if len(a.Frames.Frames) == 0 {
		return ""
	}
	return a.Root + oembedPath + "?" + url.Values{"url": {a.Root + c.Self()}}.Encode()
}

type oembedParams struct {
	URL       string  `query:"url" minlen:"1" maxlen:"2000"`
	MaxWidth  *int    `query:"maxwidth" min:"1" max:"100000"`
	MaxHeight *int    `query:"maxheight" min:"1" max:"100000"`
	Format    *string `query:"format" maxlen:"20"`
}

type rich struct {
	Type         string `json:"type"`
	Version      string `json:"version"`
	Title        string `json:"title"`
	AuthorName   string `json:"author_name,omitempty"` // name of the body
	AuthorURL    string `json:"author_url,omitempty"`
	ProviderName string `json:"provider_name"`
	ProviderURL  string `json:"provider_url"`
	CacheAge     int    `json:"cache_age"`
	HTML         string `json:"html"`
	Width        int    `json:"width"`
	Height       int    `json:"height"`
}

const (
	frameWidth  = 600
	frameHeight = 380
)

func (a *Pages) oembed(ctx context.Context, c *rest.Call, p oembedParams) (rest.File, error) {
	if p.Format != nil && *p.Format != "" && *p.Format != "json" {
		return rest.File{}, &rest.Error{Status: http.StatusNotImplemented, Detail: "answers are in JSON alone"}
	}
	path, lang := a.ownPath(p.URL)
	kind, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number(n) != id || n < 1 || len(a.Frames.Frames) == 0 {
		return rest.File{}, rest.NotFound("there is no page to embed at this address")
	}
	var title string
	var of civic.BodyRef
	switch kind {
	case "votes":
		var d review.VoteDetail
		var item civic.AgendaItem
		d, item, err = voteOn(ctx, c, civic.IDParams{ID: n})
		title, of = brief(item.Title, whole), d.BodyRef
	case "members":
		var m civic.MemberProfile
		m, err = civic.GetMember(ctx, c, civic.MemberParams{IDParams: civic.IDParams{ID: n}})
		title = m.FullName
	default:
		err = rest.NotFound("pages of votes and members can be embedded, others cannot")
	}
	if err != nil {
		return rest.File{}, err
	}
	r := rich{Type: "rich", Version: "1.0", Title: title, ProviderName: a.Town, ProviderURL: a.Root + "/", CacheAge: 3600,
		Width: frameWidth, Height: frameHeight}
	r.Width, r.Height = min(r.Width, *cmp.Or(p.MaxWidth, &r.Width)), min(r.Height, *cmp.Or(p.MaxHeight, &r.Height))
	if of.BodySlug != nil {
		r.AuthorName, r.AuthorURL = council.Text(of.BodyName), a.Root+rest.URL("", "/bodies/{id}", *of.BodySlug)
	}
	r.HTML = frameCode(a.Root+"/embed"+path+lang, title, r.Width, r.Height)
	body, err := json.Marshal(r)
	if err != nil {
		return rest.File{}, fmt.Errorf("describe %s for other sites: %w", path, err)
	}
	return rest.File{Body: body}, nil
}

// frameCode returns the HTML that shows a page in another site.
func frameCode(address, title string, width, height int) string {
	return fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" loading="lazy" style="border:0"></iframe>`,
		html.EscapeString(address), html.EscapeString(title), width, height)
}

// ownPath returns the path of one of these pages from its address, and the lang parameter as a
// query. It returns "" for other addresses.
func (a *Pages) ownPath(address string) (path, lang string) {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.User != nil || u.Scheme+"://"+u.Host != a.Root {
		return "", ""
	}
	if asked := u.Query().Get("lang"); slices.Contains(site.Languages(), asked) {
		lang = "?lang=" + asked
	}
	return u.Path, lang
}

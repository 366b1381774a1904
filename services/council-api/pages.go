package councilapi

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/view"
)

// Pages are the answers for people, at the root of the host. A page calls the functions of the endpoints that it shows and runs no
// statement that no endpoint declares; what they answer it fills into a view of internal/view, which has the templates and the words.
// One file has the pages of one kind: page_meetings.go, page_votes.go, page_members.go, page_record.go. Here is what they share.
type pages struct {
	town string         // its name; "" is that of the council
	mail string         // where errors are reported; "" is nowhere
	zone *time.Location // of the council
	root string         // address of the pages, with scheme and host

	site *site.Site
}

// open reads the views and returns the site.
func (a *pages) open() (*rest.Site, error) {
	var err error
	if a.site, err = view.Open(); err != nil {
		return nil, err
	}
	a.site.SetBrand(a.town)
	return a.site.Serve(slices.Concat(
		a.homePages(),
		a.meetingPages(),
		a.votePages(),
		a.memberPages(),
		a.recordPages(),
	)), nil
}

// revision identifies the program and what the pages are made of beside the data, so that clients fetch answers again when one changes.
func (a *pages) revision() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", []string{run.Version, a.site.Digest(), a.town, a.mail, a.zone.String(), a.root})
	return fmt.Sprintf("%016x", h.Sum64())
}

func (a *pages) speaker(lang string) view.Speaker {
	return view.Speaker{Words: a.site.Words(lang), Zone: a.zone}
}

// sections are the main pages by the keys of their names.
func sections() [][2]string {
	return [][2]string{{"nav.meetings", "/meetings"}, {"nav.votes", "/votes"}, {"nav.members", "/members"}, {"nav.topics", "/topics"}, {"nav.anomalies", "/anomalies"}, {"nav.changes", "/changes"}, {"nav.about", "/about"}}
}

// head is the head of a page with what all pages have; here is the main page that it belongs to, others are the same answers for programs.
func (a *pages) head(c *rest.Call, here string, others ...site.Other) site.Head {
	h := a.site.Head(c)
	say := a.site.Words(h.Lang)
	h.Docs, h.Others, h.Styles = c.URL("/docs"), others, []string{"council.css"}
	for _, s := range sections() {
		h.Nav = append(h.Nav, site.Link{Text: say.Text(s[0]), Address: h.To(s[1]), Here: s[1] == here})
	}
	return h
}

// asJSON is the address of an answer as JSON.
func asJSON(title, address string) site.Other {
	return site.Other{Type: "application/json", Title: title, Address: address}
}

func number(id int64) string { return strconv.FormatInt(id, 10) }

// field is the field of a form, which has the value that the request gives.
func field(c *rest.Call, say view.Speaker, kind, name string, options ...view.Option) view.Field {
	f := view.Field{Name: name, Label: say.Text("filter." + name), Type: kind, Value: c.Param(name)}
	if len(options) > 0 {
		f.Options = append([]view.Option{{Text: say.Text("filter.any")}}, options...)
		for i := range f.Options {
			f.Options[i].Chosen = f.Options[i].Value == f.Value
		}
	}
	return f
}

// options are answers whose texts are the words with a key that begins so.
func options[T ~string](say view.Speaker, prefix string, values []T) []view.Option {
	list := make([]view.Option, len(values))
	for i, v := range values {
		list[i] = view.Option{Value: string(v), Text: say.Text(prefix + string(v))}
	}
	return list
}

// form is a form with these fields; more are behind a summary, which is open if one of them is set.
func form(h *site.Head, say view.Speaker, action string, fields []view.Field, more ...view.Field) view.Form {
	f := view.Form{Action: action, Button: say.Text("find.button"), Fields: fields, More: more}
	if h.Asked() {
		f.Lang = h.Lang
	}
	for _, one := range more {
		f.Open = f.Open || one.Value != ""
	}
	return f
}

// pager leads to the rest of a list by its cursors.
func pager(h *site.Head, c *rest.Call, next *string) view.Pager {
	var p view.Pager
	if next != nil {
		p.Next = h.Keep(c.SelfWith("cursor", *next))
	}
	if c.Param("cursor") != "" {
		p.First = h.Keep(c.SelfWith("cursor", ""))
	}
	return p
}

// report is a mail that reports an error of a page, "" where nobody takes reports. printed is what the source says.
func (a *pages) report(say view.Speaker, c *rest.Call, what, printed string) string {
	if a.mail == "" {
		return ""
	}
	q := url.Values{"subject": {say.Text("report.subject", what)}, "body": {say.Text("report.body") + "\n\n\n--\n" + what + "\n" + a.root + c.Self() + "\n" + printed}}
	return "mailto:" + url.PathEscape(a.mail) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// sourcePage is the page of a document that an address names.
func sourcePage(address string) string {
	_, page, found := strings.Cut(address, "#page=")
	if !found {
		return ""
	}
	return page
}

// voteLine is a vote in a list. The title is that of its item.
func voteLine(h *site.Head, say view.Speaker, v *Vote, title string, printed *string) view.VoteLine {
	return view.VoteLine{Address: h.To("/votes/{id}", number(v.ID)), Title: title, Number: textOr(printed), Motion: brief(v.MotionText),
		Date: say.Short(v.MeetingDate.Time), Meeting: h.To("/meetings/{id}", number(v.MeetingID)) + "#item-" + number(v.ItemID),
		Outcome: say.Outcome(v.Result, v.ResultRaw, v.AyesCount, v.NaysCount, v.Unanimous), Consent: v.ViaConsent}
}

// brief is the beginning of a text that is too long for a list.
func brief(text string) string {
	const most = 400
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most])) + " …"
}

// rollOf is a roll by position: all five, or those that somebody took.
func rollOf(h *site.Head, say view.Speaker, roll []VotePosition, all bool) []view.RollRow {
	var rows []view.RollRow
	for _, position := range council.Positions() {
		stand := say.Position(position, "")
		row := view.RollRow{Kind: stand.Kind, Symbol: stand.Symbol, Word: stand.Word}
		for _, p := range roll {
			if p.Position == position {
				row.Names = append(row.Names, view.Ref{Text: p.MemberName, Address: h.To("/members/{id}", number(p.MemberID))})
			}
		}
		if all || len(row.Names) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// stands are those of a roll who did not vote as the motion ended.
func stands(say view.Speaker, v *Vote) []view.Stand {
	if v.Unanimous {
		return nil
	}
	side := council.Aye
	if v.Result == council.Failed {
		side = council.Nay
	}
	var list []view.Stand
	for _, p := range v.Positions {
		if p.Position != side && p.Position != council.Absent {
			list = append(list, say.Position(p.Position, p.MemberName))
		}
	}
	return list
}

func anomalyOf(say view.Speaker, a *Anomaly) view.Anomaly {
	v := view.Anomaly{Kind: say.Text("anomaly." + string(a.Kind)), Message: a.Message, Code: a.Code}
	if a.MinutesURL != nil {
		v.Where = *a.MinutesURL
	}
	return v
}

// label is what a machine says of an item, nil when it says nothing.
func label(h *site.Head, say view.Speaker, it *AgendaItem) *view.Label {
	if it.Topic == nil && it.Summary == nil {
		return nil
	}
	l := &view.Label{Summary: textOr(it.Summary)}
	if it.Topic != nil {
		l.Topic = view.Ref{Text: say.Topic(*it.Topic), Address: h.ToQuery(url.Values{"topic": {string(*it.Topic)}}, "/votes")}
	}
	if it.ClassifierModel != nil {
		l.By = say.Text("machine.by", *it.ClassifierModel)
	}
	return l
}

func (a *pages) homePages() rest.Table {
	return rest.Table{rest.Page(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page"}, a.pageHome)}
}

// Lengths of lists on the start page.
const (
	homeMeetings = 30
	homeSplit    = 8
)

func (a *pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Home{Head: a.head(c, "", asJSON(a.word(c, "nav.votes"), c.URL("/votes")), asJSON(a.word(c, "nav.meetings"), c.URL("/meetings")),
		site.Other{Type: atomMedia, Title: a.word(c, "votes.splitfeed"), Address: c.URL("/feeds/split-votes.atom")},
		site.Other{Type: "text/calendar", Title: a.word(c, "meetings.calendar"), Address: c.URL("/feeds/meetings.ics")})}
	say := a.speaker(v.Lang)
	name, err := nameOf(ctx, c)
	if err != nil {
		return nil, err
	}
	v.Title, v.About, v.Intro = say.Text("home.title", name), say.Text("home.about", name), say.Text("home.intro")
	v.Find = form(&v.Head, say, c.Path("/votes"), []view.Field{field(c, say, "search", "q")})
	var meetings meetingsParams
	complete := council.StatusComplete
	meetings.Status, meetings.Fetch, meetings.Base = &complete, homeMeetings, c.URL("")
	rows, err := meetingRows.List(ctx, c, meetings)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].VoteCount > 0 {
			line := meetingLine(&v.Head, say, &rows[i])
			v.Meeting = &line
			break
		}
	}
	split, consent := true, false // one nay on a consent calendar would fill the list
	found, err := listFound(ctx, c, foundWish{voteWish: voteWish{Split: &split, ViaConsent: &consent}}, homeSplit)
	if err != nil {
		return nil, err
	}
	v.Split, v.All = foundLines(&v.Head, say, found), v.ToQuery(url.Values{"split": {"true"}}, "/votes")
	stats, err := getStats(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	v.Numbers = []string{say.Many("count.meetings", stats.MeetingsComplete), say.Many("count.votes", stats.Votes), say.Many("count.members", stats.Members), say.Many("count.anomalies", stats.Anomalies)}
	if stats.LastIngestAt != nil {
		v.Numbers = append(v.Numbers, say.Text("count.read", say.Moment(stats.LastIngestAt.Time)))
	}
	return a.site.Render("home.html", v)
}

// word is one word in the language of a call.
func (a *pages) word(c *rest.Call, key string) string {
	lang, _ := c.Language()
	return a.site.Words(lang).Text(key)
}

func foundLines(h *site.Head, say view.Speaker, found []FoundVote) []view.VoteLine {
	lines := make([]view.VoteLine, len(found))
	for i := range found {
		f := &found[i]
		lines[i] = voteLine(h, say, &f.Vote, f.ItemTitle, f.ItemNumber)
		lines[i].Stands = stands(say, &f.Vote)
	}
	return lines
}

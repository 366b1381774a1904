package pages

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
)

// A page is the view of all templates.
type page struct {
	site.Head
	Speaker
	Find        form
	First, Next string         // the beginning of a list, and its next part
	Report      string         // a mail that reports an error of the page
	Bodies      []record.Body  // of a dataset with several, without joint ones
	Body        record.BodyRef // which the page is about
	Has         any            // the answers

	c        *rest.Call
	template string
}

// page returns a page of one of the main sections.
func (a *Pages) page(c *rest.Call, section, template string) *page {
	p := &page{Head: a.head(c, section), c: c, template: template}
	p.Speaker = Speaker{Speaker: a.site.Speaker(p.Lang, a.Locale), Zone: a.Zone}
	return p
}

// also names the same answers for programs.
func (p *page) also(others ...site.Other) { p.Others = others }

// show renders a page. Reports of errors name its title, unless the page says otherwise.
func (a *Pages) show(p *page) ([]byte, error) {
	if p.Report == "" {
		p.Report = a.report(p, p.Title, "")
	}
	return a.site.Render(p.template+".html", p)
}

// Link returns the address of a page, with values for the parameters of its path.
func (p *page) Link(path string, values ...any) string {
	return p.To(path, texts(values)...)
}

// Query returns the address of a page with a query, names and values in turn, about the body of this
// page.
func (p *page) Query(path string, parameters ...any) string {
	return p.ToQuery(p.inBody(query(parameters...)), path)
}

// inBody adds the body that the page is about to a query.
func (p *page) inBody(q url.Values) url.Values {
	if p.Body.BodySlug != nil && !q.Has("body") {
		q.Set("body", *p.Body.BodySlug)
	}
	return q
}

func query(parameters ...any) url.Values {
	q := url.Values{}
	all := texts(parameters)
	for i := 0; i+1 < len(all); i += 2 {
		q.Set(all[i], all[i+1])
	}
	return q
}

func texts(values []any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		switch of := v.(type) {
		case *int64:
			v = *of
		case *string:
			v = *of
		}
		list[i] = fmt.Sprint(v)
	}
	return list
}

// MinutesLink returns the address of a page of the archived minutes.
func (p *page) MinutesLink(meeting int64, number int) string {
	return p.ToQuery(query("page", number), "/meetings/{id}/minutes", texts([]any{meeting})...)
}

// MeetingTitle returns the title of a meeting with its day.
func (p *page) MeetingTitle(m record.Meeting) string {
	return p.Text("meeting.title", m.Title, p.Date(m.MeetingDate.Time))
}

// paged sets the links to other parts of a list.
func (p *page) paged(next *string) {
	if next != nil {
		p.Next = p.Keep(p.c.SelfWith("cursor", *next))
	}
	if p.c.Param("cursor") != "" {
		p.First = p.Keep(p.c.SelfWith("cursor", ""))
	}
}

// State returns the state of an anomaly's review. A reply means that the clerk has reviewed it.
func (p *page) State(state clerk.State, reply *review.AnomalyReply) string {
	if state == clerk.Open && reply != nil {
		return p.Text("review.replied")
	}
	return p.Text("review." + string(state))
}

// By returns the author and the time of a reply.
func (p *page) By(reply review.AnomalyReply) string {
	made := reply.MadeAt
	var t rest.Time
	if t.UnmarshalText([]byte(made)) == nil {
		made = p.Moment(t.Time)
	}
	return p.Text("review.by", reply.Author, made)
}

type act struct{ What, Text, By string }

func (p *page) Corrected(k review.Correction) act {
	was, becomes := orDash(council.Text(k.Was)), orDash(council.Text(k.Becomes))
	if k.Kind == clerk.Person && k.Becomes != nil {
		was, becomes = council.Text(k.Member), p.Text("person.same", becomes)
	} else if k.Kind == clerk.Person {
		was, becomes = council.Text(k.Member), p.Text("person.other")
	}
	return act{
		What: p.Text("correction."+string(k.State), was, becomes),
		Text: strings.TrimSpace(k.Reason + " (" + k.Document + ")"),
		By:   p.Text("review.by", k.Author, p.Moment(k.MadeAt.Time)),
	}
}

// Label returns the machine's label of an item; nil if it has none.
func (p *page) Label(it *record.AgendaItem) *label {
	if it.Topic == nil && it.Summary == nil {
		return nil
	}
	l := &label{Summary: council.Text(it.Summary)}
	if it.Topic != nil {
		l.Topic = ref{p.Topic(*it.Topic), p.Query("/votes", "topic", *it.Topic)}
	}
	return l
}

type label struct {
	Topic   ref
	Summary string
}

// A ref is a link; without an address it is text.
type ref struct{ Text, Address string }

// source links to where a vote is recorded: the page of the minutes, the minutes, or the portal's
// record.
func (p *page) source(address string, recorded bool) ref {
	number := record.SourcePage(address)
	switch {
	case recorded:
		return ref{p.Text("vote.portal"), address}
	case number != "":
		return ref{p.Text("vote.page", number), address}
	}
	return ref{p.Text("vote.document"), address}
}

// An anomaly is an anomaly of the API in words, with its review.
type anomaly struct {
	*review.Anomaly
	Doubt, Place, Address string
	State, Reply, By      string
}

// anomaly describes an anomaly, whose review may be nil.
func (p *page) anomaly(a *review.Anomaly, said *review.Reviewed) anomaly {
	v := anomaly{Anomaly: a, Doubt: p.Doubt(*a)}
	if said == nil {
		return v
	}
	v.State = p.State(said.State, said.Reply)
	if said.Reply != nil {
		v.Reply, v.By = said.Reply.Text, p.By(*said.Reply)
	}
	return v
}

// Doubt returns the anomaly in words: those of its code, else those of its kind.
func (p *page) Doubt(a review.Anomaly) string {
	if text, err := p.Say("doubt." + a.Code); err == nil {
		return text
	}
	return p.Text("anomaly." + string(a.Kind))
}

// A vote is a vote of the API in words.
type vote struct {
	*record.Vote
	Item, Number string  // title and number of its item
	Of           string  // name of the motion within its item; "" if it is the only one
	Stands       []stand // positions of the members of a list
	Listed       bool    // in a list of many meetings
	p            *page
}

// vote returns a vote for a list of many meetings, with the positions that the list is about.
func (p *page) vote(v *record.Vote, of record.OfItem, stands ...stand) vote {
	motion := p.Motion(v.MotionText, v.MotionSeq, 0)
	return vote{v, of.ItemTitle, council.Text(of.ItemNumber), motion, stands, true, p}
}

// voteOf returns a vote on an item with the given number of votes.
func (p *page) voteOf(v *record.Vote, it *record.AgendaItem, many int) vote {
	motion := p.Motion(v.MotionText, v.MotionSeq, many)
	return vote{Vote: v, Item: it.Title, Number: council.Text(it.ItemNumber), Of: motion, p: p}
}

func (v vote) Address() string { return v.p.Link("/votes/{id}", v.ID) }

// Meeting returns the address of its item on the page of the meeting.
func (v vote) Meeting() string {
	return v.p.Link("/meetings/{id}", v.MeetingID) + fmt.Sprint("#item-", v.ItemID)
}

func (v vote) Day() string { return v.p.Date(v.MeetingDate.Time) }

// Motion returns the motion, shortened in a list.
func (v vote) Motion() string {
	if v.Listed {
		return brief(v.MotionText, 160)
	}
	return v.MotionText
}

// Outcome returns how the vote ended, and whether its roll call contradicts the tally.
func (v vote) Outcome() outcome {
	o := v.p.Outcome(v.Result, v.AyesCount, v.NaysCount, v.Unanimous)
	o.Differs = v.TallyDiffers
	return o
}

// OtherBody returns the body that voted if the page is not about it.
func (v vote) OtherBody() string { return v.p.OtherBody(v.BodyRef) }

// Moved returns mover and seconder.
func (v vote) Moved() string {
	var moved []string
	if v.MoverName != nil {
		moved = append(moved, v.p.Text("vote.movedby", *v.MoverName))
	}
	if v.SeconderName != nil {
		moved = append(moved, v.p.Text("vote.secondedby", *v.SeconderName))
	}
	return strings.Join(moved, ", ")
}

// Recorded reports whether the vote is only in the portal's record.
func (v vote) Recorded() bool { return v.Origin == record.FromRecord }

// Say returns a sentence about minutes, or its variant about the portal's record.
func (v vote) Say(key string) string {
	if v.Recorded() {
		key += ".record"
	}
	return v.p.Text(key)
}

// Source links to where the vote is recorded.
func (v vote) Source() ref { return v.p.source(v.SourceURL, v.Recorded()) }

// Roll returns the roll call by position: all five, or those with names.
func (v vote) Roll(all bool) []rollRow {
	var rows []rollRow
	for _, position := range council.Positions() {
		row := rollRow{stand: v.p.Position(position, "")}
		for _, m := range v.Positions {
			if m.Position == position {
				row.Names = append(row.Names, ref{m.MemberName, v.p.Link("/members/{id}", m.MemberID)})
			}
		}
		if all || len(row.Names) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

type rollRow struct {
	stand
	Names []ref
}

// found returns the votes of a search, each with its dissenters.
func (p *page) found(list []record.FoundVote) []vote {
	return each(list, func(f *record.FoundVote) vote { return p.vote(&f.Vote, f.OfItem, p.dissent(&f.Vote)...) })
}

func (p *page) dissent(v *record.Vote) []stand {
	if v.Unanimous {
		return nil
	}
	side := council.Aye
	if v.Result == council.Failed {
		side = council.Nay
	}
	var list []stand
	for _, m := range v.Positions {
		if m.Position != side && m.Position != council.Absent {
			list = append(list, p.Position(m.Position, m.MemberName))
		}
	}
	return list
}

// whole is how many characters of a title are shown, or of a motion on its own.
const whole = 400

func brief(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most])) + " …"
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

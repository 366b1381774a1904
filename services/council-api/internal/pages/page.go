package pages

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
)

type page struct {
	site.Head
	Speaker
	Find        form
	First, Next string        // links to the beginning of a list and to its next part
	Report      string        // mailto link that reports an error of the page
	Bodies      []civic.Body  // bodies of a dataset with several bodies, except joint ones
	Body        civic.BodyRef // body that the page is about
	Has         any           // what the template shows: rows of the API

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

// Link returns the address of a page. values are for the parameters of its path.
func (p *page) Link(path string, values ...any) string {
	return p.To(path, texts(values)...)
}

// Query returns the address of a page with a query, about the same body as this page. parameters
// has names and values in turn.
func (p *page) Query(path string, parameters ...any) string {
	return p.ToQuery(p.inBody(query(parameters...)), path)
}

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
func (p *page) MeetingTitle(m civic.Meeting) string {
	return p.Text("meeting.title", m.Title, p.Date(m.MeetingDate.Time))
}

func (p *page) paged(next *string) {
	if next != nil {
		p.Next = p.Keep(p.c.SelfWith("cursor", *next))
	}
	if p.c.Param("cursor") != "" {
		p.First = p.Keep(p.c.SelfWith("cursor", ""))
	}
}

// State returns a sentence about the review of an anomaly. A reply means that the clerk has
// reviewed the anomaly.
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

// Label returns the machine's label of an item, or nil if it has none.
func (p *page) Label(it *civic.AgendaItem) *label {
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

// A ref is a link. Without an address it is plain text.
type ref struct{ Text, Address string }

// source links to the source of a vote: the page of the minutes, the minutes, or the portal's
// record.
func (p *page) source(address string, recorded bool) ref {
	number := civic.SourcePage(address)
	switch {
	case recorded:
		return ref{p.Text("vote.portal"), address}
	case number != "":
		return ref{p.Text("vote.page", number), address}
	}
	return ref{p.Text("vote.document"), address}
}

// An anomaly is an anomaly of the API in sentences, with its review.
type anomaly struct {
	*review.Anomaly
	Doubt, Detail, Place, Address string
	State, Reply, By              string
}

// anomaly describes an anomaly. said may be nil.
func (p *page) anomaly(a *review.Anomaly, said *review.Reviewed) anomaly {
	v := anomaly{Anomaly: a, Doubt: p.Doubt(*a), Detail: p.Detail(a.Message)}
	if said == nil {
		return v
	}
	v.State = p.State(said.State, said.Reply)
	if said.Reply != nil {
		v.Reply, v.By = said.Reply.Text, p.By(*said.Reply)
	}
	return v
}

// Detail returns what is wrong with the printed text, which the parser writes in English; "" on a
// page in another language.
func (p *page) Detail(message string) string {
	if p.Lang != site.Languages()[0] {
		return ""
	}
	return message
}

// Doubt returns a sentence about the anomaly. The sentence belongs to its code, or to its kind if
// the code has none.
func (p *page) Doubt(a review.Anomaly) string {
	if text, err := p.Say("doubt." + a.Code); err == nil {
		return text
	}
	return p.Text("anomaly." + string(a.Kind))
}

// A vote is a vote of the API in sentences.
type vote struct {
	*civic.Vote
	Item, Number string
	Of           string  // name of the motion within the item; "" if it is the only motion
	Stands       []stand // positions that the list is about
	Listed       bool    // the vote is in a list of many meetings
	p            *page

	Corrected []review.VoteCorrection // in force
}

// vote makes a vote for a list of many meetings. stands are the positions that the list is about.
func (p *page) vote(v *civic.Vote, of civic.OfItem, stands ...stand) vote {
	motion := p.Motion(v.MotionText, v.MotionSeq, 0)
	return vote{Vote: v, Item: of.ItemTitle, Number: council.Text(of.ItemNumber), Of: motion, Stands: stands, Listed: true,
		p: p}
}

// voteOf makes a vote on an item. many is the number of votes on that item.
func (p *page) voteOf(v *civic.Vote, it *civic.AgendaItem, many int) vote {
	motion := p.Motion(v.MotionText, v.MotionSeq, many)
	return vote{Vote: v, Item: it.Title, Number: council.Text(it.ItemNumber), Of: motion, p: p}
}

// votes is a list of votes, newest first.
type votes []vote

// A voteGroup has consecutive votes of a list. Those that one meeting adopted with its consent
// calendar are folded if they are several.
type voteGroup struct {
	Votes  votes
	Folded string // what the group has, in words; "" if it is not folded
}

// Groups folds the consent calendars of a list.
func (l votes) Groups() (all []voteGroup) {
	for i := 0; i < len(l); {
		end := i + 1
		for end < len(l) && l[i].ViaConsent && l[i].Listed && l[end].ViaConsent && l[end].MeetingID == l[i].MeetingID {
			end++
		}
		g := voteGroup{Votes: l[i:end]}
		if end > i+1 {
			g.Folded = l[i].p.Text("votes.consent", l[i].Day(), l[i].p.Many("votes", int64(end-i)))
		} else if n := len(all); n > 0 && all[n-1].Folded == "" {
			all[n-1].Votes = l[i-len(all[n-1].Votes) : end]
			i = end
			continue
		}
		all = append(all, g)
		i = end
	}
	return all
}

func (v vote) Address() string { return v.p.Link("/votes/{id}", v.ID) }

// Meeting returns the address of the item on the page of its meeting.
func (v vote) Meeting() string {
	return v.p.Link("/meetings/{id}", v.MeetingID) + fmt.Sprint("#item-", v.ItemID)
}

func (v vote) Day() string { return v.p.Date(v.MeetingDate.Time) }

// Motion returns the text of the motion, which is shortened in a list.
func (v vote) Motion() string {
	if v.Listed {
		return brief(v.MotionText, 160)
	}
	return v.MotionText
}

// Outcome returns the result, and whether the roll call contradicts the tally.
func (v vote) Outcome() outcome {
	o := v.p.Outcome(v.Result, v.AyesCount, v.NaysCount, v.Unanimous)
	o.Differs = v.TallyDiffers
	return o
}

// OtherBody returns the name of the body that voted, unless the page is about that body.
func (v vote) OtherBody() string { return v.p.OtherBody(v.BodyRef) }

// Moved returns a sentence with mover and seconder.
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

// Recorded reports whether the vote comes from the portal's record, not from minutes.
func (v vote) Recorded() bool { return v.Origin == council.FromRecord }

// Say returns a sentence about a vote in minutes, or its variant for a vote in the portal's record.
func (v vote) Say(key string) string {
	if v.Recorded() {
		key += ".record"
	}
	return v.p.Text(key)
}

// Source links to the source of the vote.
func (v vote) Source() ref { return v.p.source(v.SourceURL, v.Recorded()) }

// Roll returns the roll call by position.
func (v vote) Roll() []rollRow {
	var rows []rollRow
	for _, position := range council.Positions() {
		row := rollRow{stand: v.p.Position(position, "")}
		for _, m := range v.Positions {
			if m.Position == position {
				row.Names = append(row.Names, rollName{ref{m.MemberName, v.p.Link("/members/{id}", m.MemberID)},
					v.correction(m.MemberName)})
			}
		}
		if len(row.Names) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

type rollRow struct {
	stand
	Names []rollName
}

// A rollName is a member in a roll call. Note says that a person corrected the position.
type rollName struct {
	ref
	Note string
}

// correction says from what the position of a member was corrected, when and why.
func (v vote) correction(member string) string {
	for _, k := range v.Corrected {
		if k.Kind == clerk.Position && council.FoldName(council.Text(k.Member)) == council.FoldName(member) {
			was := v.p.Text("vote.noposition")
			if k.Was != nil {
				was = v.p.Position(council.Position(*k.Was), "").Word
			}
			return v.p.Text("vote.correctedfrom", was, v.p.Date(k.MadeAt.Time), k.Reason)
		}
	}
	return ""
}

// Correctors returns the names of those who corrected the vote.
func (v vote) Correctors() string {
	var names []string
	for _, k := range v.Corrected {
		if !slices.Contains(names, k.Author) {
			names = append(names, k.Author)
		}
	}
	return strings.Join(names, "; ")
}

// found makes the votes of a search, each with the members who dissented.
func (p *page) found(list []civic.FoundVote) votes {
	return each(list, func(f *civic.FoundVote) vote { return p.vote(&f.Vote, f.OfItem, p.dissent(&f.Vote)...) })
}

func (p *page) dissent(v *civic.Vote) []stand {
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

// whole is the number of characters that are shown of a title, or of a motion on its own page.
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

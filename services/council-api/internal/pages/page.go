package pages

import (
	"cmp"
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
	reviews  map[int64]*review.Reviewed // of the anomalies that the page shows, by their ids
}

// page returns a page of one of the main sections.
func (a *Pages) page(c *rest.Call, section, template string) *page {
	p := &page{Head: a.head(c, section), c: c, template: template}
	p.Speaker = Speaker{Speaker: a.site.Speaker(p.Lang, a.Locale), Zone: a.Zone}
	return p
}

// With returns the page with other rows, for a block of a template that needs the page too.
func (p *page) With(has any) *page {
	of := *p
	of.Has = has
	return &of
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
		case *council.Topic:
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

// Corrected returns what a correction says.
func (p *page) Corrected(k review.Correction) string {
	was, becomes := orDash(council.Text(k.Was)), orDash(council.Text(k.Becomes))
	if k.Kind == clerk.Person && k.Becomes != nil {
		was, becomes = council.Text(k.Member), p.Text("person.same", becomes)
	} else if k.Kind == clerk.Person {
		was, becomes = council.Text(k.Member), p.Text("person.other")
	}
	return p.Text("correction."+string(k.State), was, becomes)
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

// Place names the item of an anomaly, as a link to it.
func (p *page) Place(a review.Anomaly) string {
	return cmp.Or(council.Text(a.ItemTitle), p.Text("anomaly.open"))
}

// Reviewed returns what people said of an anomaly, or nil if nobody did.
func (p *page) Reviewed(anomaly int64) *review.Reviewed { return p.reviews[anomaly] }

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

// Groups divides a list so that the votes which one meeting adopted with its consent calendar are a
// part of their own if they are several.
func (l votes) Groups() (all []votes) {
	for i := 0; i < len(l); {
		end := i + 1
		for end < len(l) && sameConsent(&l[i], &l[end]) {
			end++
		}
		if n := len(all); end == i+1 && n > 0 && all[n-1].Folded() == "" {
			all[n-1] = l[i-len(all[n-1]) : end]
		} else {
			all = append(all, l[i:end])
		}
		i = end
	}
	return all
}

// Folded says what a part of a list has, if it is folded: several votes of one consent calendar.
func (l votes) Folded() string {
	if len(l) < 2 || !sameConsent(&l[0], &l[1]) {
		return ""
	}
	return l[0].p.Text("votes.consent", l[0].Day(), l[0].p.Many("votes", int64(len(l))))
}

// sameConsent reports whether a meeting adopted two votes of a list with its consent calendar.
func sameConsent(a, b *vote) bool {
	return a.Listed && a.ViaConsent && b.ViaConsent && a.MeetingID == b.MeetingID
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

// Link returns the address of a page.
func (v vote) Link(path string, values ...any) string { return v.p.Link(path, values...) }

// Taken returns the positions that members took.
func (v vote) Taken() []council.Position {
	return slices.DeleteFunc(council.Positions(), func(p council.Position) bool { return len(v.Who(p)) == 0 })
}

// As returns a position in words.
func (v vote) As(position council.Position) stand { return v.p.Position(position, "") }

// Who returns the members who took a position.
func (v vote) Who(position council.Position) (all []civic.VotePosition) {
	for _, m := range v.Positions {
		if m.Position == position {
			all = append(all, m)
		}
	}
	return all
}

// Brief returns the beginning of the motion, which fits into a frame.
func (v vote) Brief() string { return brief(v.MotionText, whole) }

// Correction says from what the position of a member was corrected, when and why.
func (v vote) Correction(member string) string {
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

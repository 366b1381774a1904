package councilapi

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// recordPages are about what is wrong, what changed, what votes are about, and how all of it is made.
func (a *pages) recordPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.topics", Path: "/topics", Summary: "Topics over time"}, a.pageTopics),
		rest.Page(rest.Spec{ID: "page.topic", Path: "/topics/{topic}", Summary: "One topic over time, with its votes", NotFound: "unknown topic"}, a.pageTopic),
		rest.Page(rest.Spec{ID: "page.anomalies", Path: "/anomalies", Summary: "What is wrong in the sources"}, a.pageAnomalies),
		rest.Page(rest.Spec{ID: "page.anomaly", Path: "/anomalies/{id}", Summary: "One anomaly with what people said of it", NotFound: "unknown anomaly"}, a.pageAnomaly),
		rest.Page(rest.Spec{ID: "page.changes", Path: "/changes", Summary: "What changed after publication"}, a.pageChanges),
		rest.Page(rest.Spec{ID: "page.about", Path: "/about", Summary: "Method, words and licence"}, a.pageAbout),
	}
}

func (a *pages) pageTopics(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Topics{Head: a.head(c, "/topics", asJSON("JSON", c.URL("/topics")), asJSON(a.word(c, "topics.time"), c.URL("/topics/timeline")))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("nav.topics"), say.Text("topics.about")
	counts, err := listTopics(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	for _, t := range counts.Data {
		v.Rows = append(v.Rows, view.TopicCount{Ref: view.Ref{Text: say.Topic(t.Topic), Address: v.To("/topics/{topic}", string(t.Topic))}, Items: t.Count, Split: t.SplitVotes,
			Votes: v.ToQuery(url.Values{"topic": {string(t.Topic)}, "split": {"true"}}, "/votes")})
	}
	v.Rows = append(v.Rows, view.TopicCount{Ref: view.Ref{Text: say.Text("topic.none")}, Items: counts.Unclassified})
	return a.site.Render("topics.html", v)
}

// topicVotes is how many votes the page of a topic lists.
const topicVotes = 15

func (a *pages) pageTopic(ctx context.Context, c *rest.Call, p topicParams) ([]byte, error) {
	topic := string(p.Topic)
	v := &view.Topic{Head: a.head(c, "/topics", asJSON("JSON", c.URL("/topics/timeline")), asJSON(a.word(c, "nav.votes"), c.URL("/search/votes?topic="+topic)))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Topic(p.Topic), say.Text("topic.about", say.Topic(p.Topic))
	times, err := getTopicTimeline(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, e := range times.Data {
		if string(e.Topic) == topic {
			counts[e.Quarter] = e.Count
		}
	}
	if n := len(times.Data); n > 0 {
		v.Chart = view.NewChart(say, quarters(times.Data[0].Quarter, times.Data[n-1].Quarter), counts)
	}
	found, err := listFound(ctx, c, foundWish{voteWish: voteWish{Topic: &p.Topic}}, topicVotes)
	if err != nil {
		return nil, err
	}
	v.Lines = foundLines(&v.Head, say, found)
	v.All, v.Split = v.ToQuery(url.Values{"topic": {topic}}, "/votes"), v.ToQuery(url.Values{"topic": {topic}, "split": {"true"}}, "/votes")
	return a.site.Render("topic.html", v)
}

// maxQuarters is how many quarters a chart shows: the newest ones.
const maxQuarters = 48

// quarters are all quarters between two, "2025-Q4".
func quarters(first, last string) []string {
	var list []string
	year, _ := strconv.Atoi(first[:max(0, len(first)-3)])
	quarter := 1
	if n := len(first); n > 0 {
		quarter = int(first[n-1] - '0')
	}
	for range 4000 {
		now := strconv.Itoa(year) + "-Q" + strconv.Itoa(quarter)
		list = append(list, now)
		if now >= last {
			break
		}
		if quarter++; quarter > 4 {
			year, quarter = year+1, 1
		}
	}
	return list[max(0, len(list)-maxQuarters):]
}

func (a *pages) pageAnomalies(ctx context.Context, c *rest.Call, p anomaliesParams) ([]byte, error) {
	v := &view.Anomalies{Head: a.head(c, "/anomalies", asJSON("JSON", c.URL("/anomalies")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.anomalies"), say.Text("anomalies.about"), say.Text("anomalies.intro")
	var codes []view.Option
	for _, code := range council.AnomalyCodes() {
		codes = append(codes, view.Option{Value: string(code), Text: string(code)})
	}
	v.Find = form(&v.Head, say, c.Path("/anomalies"), []view.Field{field(c, say, "", "kind", options(say, "anomaly.", council.AnomalyKinds())...), field(c, say, "", "code", codes...),
		field(c, say, "date", "from"), field(c, say, "date", "to")})
	page, err := listAnomalies(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for i, n := range []int64{page.Counts.Typo, page.Counts.Missing, page.Counts.Inconsistency, page.Counts.Error} {
		kind := string(council.AnomalyKinds()[i])
		v.Counts = append(v.Counts, view.Tally{Word: say.Text("anomaly." + kind), Count: n, Address: v.ToQuery(url.Values{"kind": {kind}}, "/anomalies")})
	}
	for i := range page.Data {
		one := &page.Data[i]
		line := anomalyOf(say, one)
		line.Date, line.Address, line.Title = say.Short(one.MeetingDate.Time), v.To("/anomalies/{id}", number(one.ID)), textOr(one.ItemTitle)
		v.Lines = append(v.Lines, line)
	}
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return a.site.Render("anomalies.html", v)
}

func (a *pages) pageAnomaly(ctx context.Context, c *rest.Call, p idParams) ([]byte, error) {
	d, err := getAnomaly(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v := &view.AnomalyPage{Head: a.head(c, "/anomalies", asJSON("JSON", c.URL("/anomalies/{id}", number(p.ID)))), Message: d.Message, Code: d.Code}
	say := a.speaker(v.Lang)
	v.Kind = say.Text("anomaly." + string(d.Kind))
	v.Title, v.About = say.Text("anomaly.title", v.Kind, say.Short(d.MeetingDate.Time)), say.Text("anomalies.about")
	v.State = say.Text("review." + string(d.State))
	for _, rule := range council.AnomalyRules() {
		if string(rule.Code) == d.Code {
			v.Meaning = rule.Meaning
		}
	}
	v.Links = append(v.Links, view.Ref{Text: say.Text("anomaly.meeting", say.Short(d.MeetingDate.Time)), Address: v.To("/meetings/{id}", number(d.MeetingID))})
	if d.ItemID != nil {
		v.Links = append(v.Links, view.Ref{Text: textOr(d.ItemTitle), Address: v.To("/meetings/{id}", number(d.MeetingID)) + "#item-" + number(*d.ItemID)})
	}
	if d.VoteID != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("meeting.vote"), Address: v.To("/votes/{id}", number(*d.VoteID))})
	}
	if d.SourcePage != nil && d.Links.Text != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("vote.text", *d.SourcePage), Address: v.ToQuery(url.Values{"page": {strconv.Itoa(*d.SourcePage)}}, "/meetings/{id}/minutes", number(d.MeetingID))})
	}
	if d.MinutesURL != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("vote.document"), Address: *d.MinutesURL})
	}
	if d.Reply != nil {
		v.Reply, v.ReplyBy = d.Reply.Text, say.Text("review.by", d.Reply.Author, when(say, d.Reply.MadeAt))
	}
	for _, k := range d.Corrections {
		v.Corrections = append(v.Corrections, correctionOf(say, &k))
	}
	for _, act := range d.History {
		v.History = append(v.History, view.Act{What: say.Text("act." + string(act.Act)), Text: act.Text, By: say.Text("review.by", act.Author, say.Moment(act.MadeAt.Time))})
	}
	v.Report = a.report(say, c, say.Text("anomaly.reported", number(p.ID)), d.Message)
	return a.site.Render("anomaly.html", v)
}

// when is a time of the API in words.
func when(say view.Speaker, text string) string {
	var t rest.Time
	if t.UnmarshalText([]byte(text)) != nil {
		return text
	}
	return say.Moment(t.Time)
}

func correctionOf(say view.Speaker, k *Correction) view.Act {
	was, becomes := textOr(k.Was), textOr(k.Becomes)
	if was == "" {
		was = "–"
	}
	if becomes == "" {
		becomes = "–"
	}
	return view.Act{What: say.Text("correction."+string(k.State), was, becomes), Text: strings.TrimSpace(k.Reason + " (" + k.Document + ")"), By: say.Text("review.by", k.Author, say.Moment(k.MadeAt.Time))}
}

func (a *pages) pageChanges(ctx context.Context, c *rest.Call, p changesParams) ([]byte, error) {
	v := &view.Changes{Head: a.head(c, "/changes", asJSON("JSON", c.URL("/changes")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.changes"), say.Text("changes.about"), say.Text("changes.intro")
	v.Find = form(&v.Head, say, c.Path("/changes"), []view.Field{field(c, say, "", "kind", options(say, "change.", kindsOfChange())...), field(c, say, "date", "since")})
	page, err := wire.Walk(ctx, c, changeRows, p)
	if err != nil {
		return nil, err
	}
	for i := range page.Data {
		one := &page.Data[i]
		line := view.Change{Date: say.Moment(one.ChangedAt.Time), What: say.Text("change." + string(one.Kind)), Reason: one.Reason, Fields: strings.Join(one.Fields, ", ")}
		reading := one.After
		if reading == nil {
			reading = one.Before
		}
		switch {
		case one.VoteID != nil:
			line.Text = say.Text("change.vote", number(*one.VoteID))
			if reading != nil && reading.ItemTitle != nil {
				line.Text = *reading.ItemTitle
			}
			if one.Kind != "vote_removed" {
				line.Address = v.To("/votes/{id}", number(*one.VoteID))
			}
		case one.MemberID != nil:
			if line.Text = number(*one.MemberID); reading != nil && reading.FullName != nil {
				line.Text = *reading.FullName
			}
		case one.MeetingID != nil:
			line.Text = say.Text("change.meeting", number(*one.MeetingID))
			if one.MeetingDate != nil {
				line.Text, line.Address = say.Text("anomaly.meeting", say.Short(one.MeetingDate.Time)), v.To("/meetings/{id}", number(*one.MeetingID))
			}
		}
		if one.Before != nil && one.After != nil {
			line.Values = differences(one)
		}
		v.Lines = append(v.Lines, line)
	}
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return a.site.Render("changes.html", v)
}

// differences are the values before and after a change that a reader can compare at a glance.
func differences(ch *Change) []view.Fact {
	var all []view.Fact
	for _, d := range []struct{ name, before, after string }{
		{"result_raw", textOr(ch.Before.ResultRaw), textOr(ch.After.ResultRaw)}, {"mover_name", textOr(ch.Before.MoverName), textOr(ch.After.MoverName)},
		{"seconder_name", textOr(ch.Before.SeconderName), textOr(ch.After.SeconderName)}, {"item_title", textOr(ch.Before.ItemTitle), textOr(ch.After.ItemTitle)},
		{"motion_text", brief(textOr(ch.Before.MotionText)), brief(textOr(ch.After.MotionText))}, {"status", textOr(ch.Before.Status), textOr(ch.After.Status)},
	} {
		if d.before != d.after {
			all = append(all, view.Fact{Name: d.name, Ref: view.Ref{Text: d.before + " → " + d.after}})
		}
	}
	return all
}

func kindsOfChange() []ChangeKind {
	var kinds []ChangeKind
	for _, k := range ChangeKind("").Values() {
		kinds = append(kinds, ChangeKind(k))
	}
	return kinds
}

func (a *pages) pageAbout(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Simple{Head: a.head(c, "/about", asJSON("JSON", c.URL("/stats")))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.about"), say.Text("about.about"), say.Text("about.intro")
	stats, err := getStats(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	part := func(id string, texts ...string) *view.Section {
		v.Parts = append(v.Parts, view.Section{ID: id, Title: say.Text("about." + id), Texts: texts})
		return &v.Parts[len(v.Parts)-1]
	}
	part("method", say.Text("about.method1"), say.Text("about.method2"), say.Text("about.method3"))
	words := part("words")
	for _, w := range []string{"unanimous", "consent", "positions", "dissent", "alike", "topics", "anomaly"} {
		words.Terms = append(words.Terms, view.Fact{Name: say.Text("about.word." + w), Ref: view.Ref{Text: say.Text("about.means." + w)}})
	}
	part("numbers", say.Many("count.meetings", stats.MeetingsComplete), say.Many("count.votes", stats.Votes), say.Many("count.members", stats.Members), say.Many("count.anomalies", stats.Anomalies))
	wrong := part("wrong", say.Text("about.wrong1"))
	if to := a.report(say, c, v.Title, ""); to != "" {
		wrong.Links = []view.Ref{{Text: say.Text("report.link"), Address: to}}
	}
	part("licence", say.Text("about.licence1")).Links = []view.Ref{{Text: say.Text("about.files"), Address: c.URL("/export/")}}
	return a.site.Render("simple.html", v)
}

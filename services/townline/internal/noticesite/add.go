package noticesite

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/townline/internal/gate"
	transitapi "github.com/townline/townline/services/transit-api"
)

// An aboutView finds what a notice is about.
type aboutView struct {
	site.Head
	Q      string
	Sought bool
	Found  []entity
	Route  *entity // the list has its trips
	Day    string
}

// mostFound is the number of results that the page shows.
const mostFound = 40

// mostTrips is the number of trips of a line on one day that the page shows.
const mostTrips = 1000

// about finds stops, lines, trips and agencies by name, number or id.
func (s *pages) about(w http.ResponseWriter, r *http.Request, _ *gate.Visitor) error {
	v := &aboutView{Head: s.Head(r, "about.title"), Q: strings.TrimSpace(r.URL.Query().Get("q"))}
	if v.Q != "" && utf8.ValidString(v.Q) && len(v.Q) <= 200 {
		found, err := operator.FindEntities(r.Context(), s.deps.DB, v.Q, mostFound)
		if err != nil {
			return err
		}
		v.Sought = true
		v.add(s, found)
	}
	return s.Write(w, http.StatusOK, "about.html", v)
}

func (v *aboutView) add(s *pages, found []operator.Entity) {
	for _, e := range found {
		one := s.entity(e)
		one.Add = v.ToQuery(addressOf(e), "/notices/new")
		v.Found = append(v.Found, one)
	}
}

// addressOf returns the query that names an entity.
func addressOf(e operator.Entity) url.Values {
	return url.Values{"feed": {e.Feed}, "type": {e.Type}, "id": {e.ID}}
}

// trips lists the trips of a line on one day.
func (s *pages) trips(w http.ResponseWriter, r *http.Request, _ *gate.Visitor) error {
	q := r.URL.Query()
	line, err := s.named(r, operator.Subject{Feed: q.Get("feed"), Type: "routes", ID: q.Get("id")})
	if err != nil {
		return err
	}
	v := &aboutView{Head: s.Head(r, "about.trips"), Route: line, Sought: true}
	zone, err := time.LoadLocation(line.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	day, err := time.Parse(time.DateOnly, q.Get("day"))
	if err != nil {
		day = time.Now().In(zone)
	}
	v.Day = day.Format(time.DateOnly)
	found, err := operator.TripsOn(r.Context(), s.deps.DB, line.Feed, line.ID, day, mostTrips)
	if err != nil {
		return err
	}
	v.add(s, found)
	return s.Write(w, http.StatusOK, "about.html", v)
}

// subjectOf returns the entity that a query of [addressOf] names.
func subjectOf(r *http.Request) operator.Subject {
	q := r.URL.Query()
	return operator.Subject{Feed: q.Get("feed"), Type: q.Get("type"), ID: q.Get("id")}
}

// named returns an entity of a live feed.
func (s *pages) named(r *http.Request, subject operator.Subject) (*entity, error) {
	if !utf8.ValidString(subject.ID) || strings.ContainsRune(subject.ID, 0) {
		return nil, errNotFound
	}
	found, err := operator.Entities(r.Context(), s.deps.DB, subject)
	if err != nil {
		return nil, err
	}
	if len(found[0]) == 0 {
		return nil, errNotFound
	}
	e := s.entity(found[0][0])
	return &e, nil
}

// An addView is the form of a new notice, with its preview.
type addView struct {
	site.Head
	Of      *entity
	Trips   string // address of the trips of a line
	Token   string
	Fields  []gate.Input
	When    []gate.Input
	Days    []gate.Input
	Hours   []gate.Input
	Name    string
	Fixed   bool
	Problem string // key of a sentence: why nothing was stored
	Preview template.HTML
	Period  string
}

// add serves an empty form, or one that is filled in like another notice.
func (s *pages) add(w http.ResponseWriter, r *http.Request, who *gate.Visitor) error {
	filled, subject := url.Values{}, subjectOf(r)
	if id, err := strconv.Atoi(r.URL.Query().Get("like")); err == nil {
		found, err := operator.ListAnnotations(r.Context(), s.deps.DB, []int{id})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errNotFound
		}
		filled.Set("text", found[0].Source)
		subject = found[0].Subject()
	}
	of, err := s.named(r, subject)
	if err != nil {
		return err
	}
	return s.Write(w, http.StatusOK, "add.html", s.addView(r, who, of, filled))
}

func (s *pages) addView(r *http.Request, who *gate.Visitor, of *entity, sent url.Values) *addView {
	v := &addView{Head: s.Head(r, "add.title"), Of: of, Token: who.Token, Name: who.Name, Fixed: who.Fixed}
	if of.Type == "routes" {
		v.Trips = v.ToQuery(url.Values{"feed": {of.Feed}, "id": {of.ID}}, "/notices/trips")
	}
	word := func(key string) string { return s.Word(v.Lang, key) }
	v.Fields = []gate.Input{{Name: "text", Type: "textarea", Max: transitapi.MaxBody, Required: true,
		Label: word("add.text"), Hint: word("hint.text")}}
	if !who.Fixed {
		v.Fields = append(v.Fields, gate.Input{Name: "by", Value: who.Name, Max: maxName, Required: true})
	}
	v.When = []gate.Input{{Name: "from", Type: "date"}, {Name: "fromtime", Type: "time"},
		{Name: "until", Type: "date"}, {Name: "untiltime", Type: "time"}}
	for i, key := range dayKeys {
		v.Days = append(v.Days, gate.Input{Name: weekdays[i], Type: "checkbox", Label: word("day." + key)})
	}
	v.Hours = []gate.Input{{Name: "starts", Type: "time"}, {Name: "ends", Type: "time"}}
	for _, list := range [][]gate.Input{v.Fields, v.When, v.Days, v.Hours} {
		for i := range list {
			list[i].ID = list[i].Name
			list[i].Label = cmp.Or(list[i].Label, s.Site.Words(v.Lang)["field."+list[i].Name])
			list[i].Restore(len(sent) > 0 && (list[i].Name != "by" || sent.Has("by")), sent)
		}
	}
	return v
}

// maxName is the most characters of the name of an operator.
const maxName = 120

// Days of the week: keys of their names, and the words of operator.ReadHours.
var (
	dayKeys  = [...]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
	weekdays = [...]string{"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"}
)

// submit shows a preview, or stores the notice.
func (s *pages) submit(w http.ResponseWriter, r *http.Request, who *gate.Visitor) error {
	form := r.PostForm
	of, err := s.named(r, subjectOf(r))
	if err != nil {
		return err
	}
	if who.Fixed {
		form.Set("by", who.Name)
	}
	a, starts, ends, problem := noticeOf(of, form, time.Now())
	if problem == "" && form.Get("then") == "store" {
		id, err := operator.AddAnnotation(r.Context(), s.deps.DB, a, starts, ends)
		if err != nil {
			return err
		}
		s.Remember(who, *a.Author)
		s.Log.Info("notice stored", "id", id, "by", *a.Author, "of", a.EntityType+" "+a.EntityID)
		return s.done(w, r, id)
	}
	v := s.addView(r, who, of, form)
	status := http.StatusOK
	if problem != "" {
		v.Problem, status = problem, http.StatusBadRequest
		return s.Write(w, status, "add.html", v)
	}
	body, err := transitapi.RenderBody(a.Format, a.Source)
	if err != nil {
		return err
	}
	a.From, a.Until = localText(starts), localText(ends)
	v.Preview, v.Period = safe(body), s.period(v.Lang, a)
	return s.Write(w, status, "add.html", v)
}

func localText(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(t.Format(localTime))
}

// noticeOf reads a form. problem is the key of a sentence about a mistake.
func noticeOf(of *entity, form url.Values, now time.Time) (a operator.Annotation, starts, ends *time.Time,
	problem string) {
	name := strings.TrimSpace(form.Get("by"))
	text := strings.TrimSpace(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"))
	a = operator.Annotation{AnnotationType: "comment", Feed: &of.Feed, EntityType: of.Type, EntityID: of.ID,
		OverrideEntityID: new(""), Format: "markdown", Source: text, TimeZone: of.TimeZone, Author: &name}
	body, err := transitapi.RenderBody(a.Format, text)
	switch {
	case err != nil:
		return a, nil, nil, "long"
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0) || body == "":
		return a, nil, nil, "text"
	case name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl):
		return a, nil, nil, "who"
	}
	starts, ok := moment(form, "from", operator.ReadTime)
	ends, endOK := moment(form, "until", operator.ReadEnd)
	zone, err := time.LoadLocation(of.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	local := now.In(zone).Format(time.DateTime)
	switch {
	case !ok || !endOK:
		return a, nil, nil, "date"
	case starts != nil && ends != nil && !starts.Before(*ends):
		return a, nil, nil, "order"
	case ends != nil && ends.Format(time.DateTime) <= local:
		return a, nil, nil, "past"
	}
	a.Hours, ok = hoursOf(form)
	if !ok {
		return a, nil, nil, "hours"
	}
	return a, starts, ends, ""
}

// moment reads a date and an optional time of day.
func moment(form url.Values, field string, read func(string) (*time.Time, error)) (*time.Time, bool) {
	date, clock := strings.TrimSpace(form.Get(field)), strings.TrimSpace(form.Get(field+"time"))
	if date == "" {
		return nil, clock == ""
	}
	t, err := read(strings.TrimSpace(date + " " + clock))
	return t, err == nil
}

// hoursOf reads days of the week and hours; nil means always.
func hoursOf(form url.Values) (*string, bool) {
	var days []string
	for _, day := range weekdays {
		if form.Get(day) != "" {
			days = append(days, day)
		}
	}
	from, to := strings.TrimSpace(form.Get("starts")), strings.TrimSpace(form.Get("ends"))
	if len(days) == 0 && from == "" && to == "" {
		return nil, true
	}
	text := strings.Join(days, ",")
	if from != "" || to != "" {
		text += " " + cmp.Or(from, "00:00") + "-" + cmp.Or(to, "24:00")
	}
	hours, err := operator.ReadHours(text)
	return &hours, err == nil
}

// Places returns the keys of the sentences that say where a notice stands.
func (e *entity) Places() string { return "stands." + e.Type }

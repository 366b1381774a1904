package reviewsite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/pkg/site"
)

// A fileView is what the page of an anomaly, a vote or an item shows.
type fileView struct {
	site.Head
	Heading  string
	Anomaly  *clerk.Anomaly
	Meaning  string // of the anomaly's code
	Meeting  meetingRow
	Day      string // of the meeting
	Item     *itemRow
	ItemPage string
	Vote     *voteRow
	Named    []rollRow
	Siblings []link
	Next     string // the page of the next anomaly that waits

	// The text of the minutes.
	Page, Pages   int
	Blocks        []marked.Block
	Marked        bool
	PDF           string
	Before, After string

	// What was said.
	History []said
	Said    []correction
	Waiting bool
	Undo    *said // what an undo would take back

	// What became of a form.
	Done     int64
	Live     bool
	Problem  string
	Detail   string
	Changes  []string
	Since    []said
	SinceNew []correction

	// Forms.
	Token, Saw, Name string
	Fixed            bool
	Forms            []form
	Text             string
}

type link struct{ Text, Address string }

type said struct {
	clerk.Review
	When    string
	Changed bool // the anomaly said something else then
	TakenBy int64
}

type correction struct {
	clerk.Correction
	When  string
	Holds bool
	Other int64 // that it withdraws
}

// A form corrects something.
type form struct {
	Do     string
	Open   bool
	Fields []input
	People []input // positions
	Common []input // who, why, by what
}

// An input is a field of a form.
type input struct {
	ID, Name, Label, Value, Type string
	Hint                         string
	Max                          int
	Options                      []choice
	Required, Checked            bool
	List                         string // id of proposals
}

// subject is the file of an address.
func (d *Desk) subject(r *http.Request) (*file, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.PathValue("id"), clerk.ErrNothing)
	}
	return d.load(r.Context(), r.PathValue("kind"), id)
}

// show is the page of an anomaly, a vote or an item.
func (d *Desk) show(w http.ResponseWriter, r *http.Request, v *visitor) error {
	f, err := d.subject(r)
	if err != nil {
		return err
	}
	view := d.fileView(r, v, f, nil)
	view.Done, err = strconv.ParseInt(r.URL.Query().Get("done"), 10, 64)
	if err == nil {
		view.Live = r.URL.Query().Get("live") != ""
	}
	if f.Anomaly != nil {
		waiting, err := clerk.Anomalies(r.Context(), d.deps.DB, clerk.Filter{ToDo: true, Limit: 2})
		if err != nil {
			return err
		}
		for _, a := range waiting {
			if a.ID != f.Anomaly.ID && view.Next == "" {
				view.Next = view.To("/anomalies/{id}", number(a.ID))
			}
		}
	}
	return d.write(w, http.StatusOK, "file.html", view)
}

// fileView shows a file, and what became of a form.
func (d *Desk) fileView(r *http.Request, who *visitor, f *file, done *outcome) *fileView {
	v := &fileView{Head: d.head(r, "file.title"), Anomaly: f.Anomaly, Meeting: f.Meeting, Item: f.Item, Vote: f.Vote, Waiting: f.Waiting, Token: who.token, Saw: f.seen(), Name: who.name, Fixed: who.fixed}
	v.Day = d.day(v.Lang, f.Meeting.Date)
	v.Heading = f.Meeting.Title
	if f.Item != nil {
		v.Heading, v.ItemPage = oneLine(f.Item.Title), v.To("/items/{id}", number(f.Item.ID))
	}
	v.Title = d.word(v.Lang, "file.title") + ": " + v.Heading
	if f.Anomaly != nil {
		for _, rule := range council.AnomalyRules() {
			if string(rule.Code) == f.Anomaly.Code {
				v.Meaning = rule.Meaning
			}
		}
	}
	for _, other := range f.Others {
		v.Siblings = append(v.Siblings, link{other.ResultRaw, v.To("/votes/{id}", number(other.ID))})
	}
	d.fillText(v, r, f)
	d.fillSaid(v, f)
	if done != nil {
		v.Problem, v.Detail, v.Changes = done.problem, done.detail, done.changes
		if done.status == http.StatusConflict {
			reviews, corrections := f.sinceThen(r.PostForm.Get("seen"))
			for _, one := range reviews {
				v.Since = append(v.Since, said{Review: one, When: d.when(v.Lang, one.MadeAt)})
			}
			for _, one := range corrections {
				v.SinceNew = append(v.SinceNew, d.correction(v.Lang, f, one))
			}
		}
		v.Text = r.PostForm.Get("text")
	}
	d.fillForms(v, f, r.PostForm)
	return v
}

// fillText adds the page of the minutes.
func (d *Desk) fillText(v *fileView, r *http.Request, f *file) {
	spans := f.spans()
	v.Page, v.Pages = f.page(spans), len(f.pages)
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && n >= 1 && n <= v.Pages {
		v.Page = n
	}
	if v.Page == 0 {
		return
	}
	here := slices.DeleteFunc(spans, func(s marked.Span) bool { return s.Page != v.Page })
	v.Blocks, v.Marked = marked.Cut(f.pages[v.Page-1], here), len(here) > 0
	if f.Meeting.MinutesURL != nil {
		v.PDF = *f.Meeting.MinutesURL + "#page=" + strconv.Itoa(v.Page)
	}
	to := func(page int) string {
		return v.ToQuery(url.Values{"page": {strconv.Itoa(page)}}, "/{kind}/{id}", r.PathValue("kind"), r.PathValue("id"))
	}
	if v.Page > 1 {
		v.Before = to(v.Page - 1)
	}
	if v.Page < v.Pages {
		v.After = to(v.Page + 1)
	}
}

// fillSaid adds what was said.
func (d *Desk) fillSaid(v *fileView, f *file) {
	takenBy := map[int64]int64{}
	for _, one := range f.History {
		if one.Undoes != nil {
			takenBy[*one.Undoes] = one.ID
		}
	}
	for _, one := range f.History {
		v.History = append(v.History, said{Review: one, When: d.when(v.Lang, one.MadeAt), Changed: one.Message != f.Anomaly.Message, TakenBy: takenBy[one.ID]})
		if last := v.History[len(v.History)-1]; one.Act != clerk.Undone && last.TakenBy == 0 {
			v.Undo = &last
		}
	}
	for _, one := range f.Said {
		v.Said = append(v.Said, d.correction(v.Lang, f, one))
	}
}

func (d *Desk) correction(lang string, f *file, one clerk.Correction) correction {
	c := correction{Correction: one, When: d.when(lang, one.MadeAt), Holds: f.Holds[one.ID]}
	if one.Withdraws != nil {
		c.Other = *one.Withdraws
	}
	return c
}

// day is a date of the tables as the town writes it.
func (d *Desk) day(lang, iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return d.site.Speaker(lang, d.locale).Date(t)
}

func (d *Desk) when(lang string, t time.Time) string {
	say := d.site.Speaker(lang, d.locale)
	t = t.In(d.zone)
	return say.Date(t) + ", " + say.Clock(t) + " " + t.Format("MST")
}

// fillForms makes the forms. One that was sent has what was written into it.
func (d *Desk) fillForms(v *fileView, f *file, sent url.Values) {
	say := func(key string) string { return d.word(v.Lang, key) }
	add := func(do string, fields []input, people []input) {
		one := form{Do: do, Fields: fields, People: people, Open: sent.Get("do") == do}
		if !v.Fixed {
			one.Common = append(one.Common, input{Name: "by", Value: v.Name, Max: 120, Required: true})
		}
		one.Common = append(one.Common, input{Name: "reason", Type: "textarea", Max: 2000, Required: true}, input{Name: "document", Max: 500, Required: true, Hint: say("hint.document")})
		if do == "vote" || do == "missing" {
			one.Common = append(one.Common, input{Name: "newname", Type: "checkbox"})
		}
		for _, list := range [][]input{one.Fields, one.People, one.Common} {
			for i := range list {
				list[i].ID = do + "-" + list[i].Name
				if list[i].Label == "" {
					list[i].Label = say("field." + list[i].Name)
				}
				list[i].resume(one.Open, sent)
			}
		}
		v.Forms = append(v.Forms, one)
	}
	results := func(chosen council.Result) input {
		in := input{Name: "result", Value: string(chosen), Required: true}
		for _, r := range council.Results() {
			in.Options = append(in.Options, choice{Value: string(r), Text: say("result." + string(r))})
		}
		return in
	}
	seat := func(name, label, position string) input {
		in := input{Name: name, Label: label, Value: position}
		for _, p := range append(council.Position("").Values(), clerk.NotNamed) {
			in.Options = append(in.Options, choice{Value: p, Text: say("position." + p)})
		}
		return in
	}
	roll := func(position func(int64) string) (all []input) {
		for _, p := range f.People {
			all = append(all, seat(positionField(p.ID), p.Name, position(p.ID)))
		}
		return append(all, input{Name: "other", Max: 120}, seat("otherposition", "", string(council.Aye)))
	}
	count := func(name string, value string) input {
		return input{Name: name, Value: value, Type: "number", Max: 4}
	}
	who := func(name, value string) input { return input{Name: name, Value: value, Max: 120, List: "people"} }
	if vote := f.Vote; vote != nil {
		add("vote", []input{results(vote.Result), count("ayes", strconv.Itoa(vote.Ayes)), count("nays", strconv.Itoa(vote.Nays)), who("mover", council.Text(vote.Mover)), who("seconder", council.Text(vote.Seconder))}, roll(vote.position))
		add("doubled", nil, nil)
	}
	if f.Item != nil {
		add("title", []input{{Name: "title", Value: f.Item.Title, Type: "textarea", Max: 4000, Required: true}}, nil)
		add("missing", []input{{Name: "printed", Max: 200, Required: true, Hint: say("hint.printed")}, results(council.Adopted), {Name: "motion", Type: "textarea", Max: 4000}, count("ayes", ""), count("nays", ""),
			who("mover", ""), who("seconder", ""), count("page", ""), {Name: "consent", Type: "checkbox"}}, roll(func(int64) string { return clerk.NotNamed }))
	}
}

// resume gives a field what was written into it, and marks what is chosen.
func (in *input) resume(was bool, sent url.Values) {
	if was {
		in.Value, in.Checked = sent.Get(in.Name), sent.Get(in.Name) != ""
	}
	for i := range in.Options {
		in.Options[i].Chosen = in.Options[i].Value == in.Value
	}
}

// head is the head of each page.
func (d *Desk) head(r *http.Request, title string) site.Head {
	h := d.site.HeadFor(r)
	h.Title, h.Styles = d.word(h.Lang, title), []string{"review.css"}
	h.Brand = d.word(h.Lang, "review.brand") + " · " + h.Brand
	return h
}

func (d *Desk) word(lang, key string) string { return d.site.Words(lang).Text(key) }

func (d *Desk) write(w http.ResponseWriter, status int, page string, v site.View) error {
	html, err := d.site.Render(page, v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(html) // the browser may be gone
	return nil
}

// A stopView says why there is no page.
type stopView struct {
	site.Head
	Why  string
	Home bool
}

// stop answers with a page that says why there is no other.
func (d *Desk) stop(w http.ResponseWriter, r *http.Request, status int, why string) {
	v := &stopView{Head: d.head(r, "stop."+why), Why: why, Home: d.gate.visitor(r) != nil}
	v.Title = d.word(v.Lang, "stop.title")
	if err := d.write(w, status, "stop.html", v); err != nil {
		http.Error(w, errors.Join(errors.New(http.StatusText(status)), err).Error(), status)
	}
}

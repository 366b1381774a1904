package reviewsite

import (
	"cmp"
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
	*file
	outcome
	Heading string
	Meaning string // of the anomaly's code
	Next    string // the page of the next anomaly that waits

	// The text of the minutes.
	Page, Pages   int
	Blocks        []marked.Block
	Marked        bool
	PDF           string
	Before, After string

	// What was said, and after the clerk saw the page.
	History, Since []reviewAct
	Said, SinceNew []correction
	Undo           *reviewAct // what an undo would take back

	// Forms.
	Token, Saw, Name string
	Fixed            bool
	Forms            []form
	Text             string

	desk *Server
}

type reviewAct struct {
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
func (d *Server) subject(r *http.Request) (*file, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.PathValue("id"), clerk.ErrNotFound)
	}
	return d.load(r.Context(), r.PathValue("kind"), id)
}

// show is the page of an anomaly, a vote or an item.
func (d *Server) show(w http.ResponseWriter, r *http.Request, v *visitor) error {
	f, err := d.subject(r)
	if err != nil {
		return err
	}
	var done outcome
	done.Done, err = strconv.ParseInt(r.URL.Query().Get("done"), 10, 64)
	done.Live = err == nil && r.URL.Query().Get("live") != ""
	view := d.fileView(r, v, f, done)
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
func (d *Server) fileView(r *http.Request, who *visitor, f *file, done outcome) *fileView {
	v := &fileView{Head: d.head(r, "file.title"), file: f, outcome: done, Heading: f.Meeting.Title, desk: d,
		Token: who.token, Saw: f.seen(), Name: who.name, Fixed: who.fixed, Text: r.PostForm.Get("text")}
	if f.Item != nil {
		v.Heading = oneLine(f.Item.Title)
	}
	v.Title += ": " + v.Heading
	if f.Anomaly != nil {
		for _, rule := range council.AnomalyRules() {
			if string(rule.Code) == f.Anomaly.Code {
				v.Meaning = rule.Meaning
			}
		}
	}
	v.fillText(r)
	v.fillSaid()
	if done.status == http.StatusConflict {
		v.Since, v.SinceNew = v.sinceThen(r.PostForm.Get("seen"))
	}
	v.fillForms(r.PostForm)
	return v
}

// Day is the day of the meeting.
func (v *fileView) Day() string { return v.desk.day(v.Lang, v.Meeting.Date) }

// PageOf is the page of a vote or an item.
func (v *fileView) PageOf(kind string, id int64) string {
	return v.To("/{kind}/{id}", kind, number(id))
}

// fillText adds the page of the minutes.
func (v *fileView) fillText(r *http.Request) {
	spans := v.spans()
	v.Page, v.Pages = v.page(spans), len(v.pages)
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && n >= 1 && n <= v.Pages {
		v.Page = n
	}
	if v.Page == 0 {
		return
	}
	here := slices.DeleteFunc(spans, func(s marked.Span) bool { return s.Page != v.Page })
	v.Blocks, v.Marked = marked.Cut(v.pages[v.Page-1], here), len(here) > 0
	if v.Meeting.MinutesURL != nil {
		v.PDF = *v.Meeting.MinutesURL + "#page=" + strconv.Itoa(v.Page)
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
func (v *fileView) fillSaid() {
	takenBy := map[int64]int64{}
	for _, one := range v.file.History {
		if one.Undoes != nil {
			takenBy[*one.Undoes] = one.ID
		}
	}
	for _, one := range v.file.History {
		last := reviewAct{one, v.desk.when(v.Lang, one.MadeAt), one.Message != v.Anomaly.Message, takenBy[one.ID]}
		v.History = append(v.History, last)
		if one.Act != clerk.Undone && last.TakenBy == 0 {
			v.Undo = &last
		}
	}
	for _, one := range v.file.Said {
		c := correction{Correction: one, When: v.desk.when(v.Lang, one.MadeAt), Holds: v.Holds[one.ID]}
		if one.Withdraws != nil {
			c.Other = *one.Withdraws
		}
		v.Said = append(v.Said, c)
	}
}

// sinceThen is what was said after somebody had seen the file, by what the form brings back.
func (v *fileView) sinceThen(seen string) (reviews []reviewAct, corrections []correction) {
	var review, correction int64
	_, _ = fmt.Sscanf(seen, "%d.%d.", &review, &correction) // a text of another form is from before everything
	for _, one := range v.History {
		if one.ID > review {
			one.TakenBy = 0
			reviews = append(reviews, one)
		}
	}
	for _, one := range v.Said {
		if one.ID > correction {
			corrections = append(corrections, one)
		}
	}
	return reviews, corrections
}

// day is a date of the tables as the town writes it.
func (d *Server) day(lang, iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return d.site.Speaker(lang, d.locale).Date(t)
}

func (d *Server) when(lang string, t time.Time) string {
	say := d.site.Speaker(lang, d.locale)
	t = t.In(d.zone)
	return say.Date(t) + ", " + say.Clock(t) + " " + t.Format("MST")
}

// fillForms makes the forms. One that was sent has what was written into it.
func (v *fileView) fillForms(sent url.Values) {
	if vote := v.Vote; vote != nil {
		v.addForm(sent, "vote", append(v.outcomeFields(vote.Result, strconv.Itoa(vote.Ayes), strconv.Itoa(vote.Nays)),
			person("mover", council.Text(vote.Mover)), person("seconder", council.Text(vote.Seconder))), v.roll(vote.position))
		v.addForm(sent, "doubled", nil, nil)
	}
	if v.Item != nil {
		v.addForm(sent, "title", []input{{Name: "title", Value: v.Item.Title, Type: "textarea", Max: 4000, Required: true}},
			nil)
		fields := v.outcomeFields(council.Adopted, "", "")
		fields = slices.Insert(fields, 1, input{Name: "motion", Type: "textarea", Max: 4000})
		fields = slices.Insert(fields, 0, input{Name: "printed", Max: 200, Required: true, Hint: v.word("hint.printed")})
		fields = append(fields, person("mover", ""), person("seconder", ""), digits("page", ""),
			input{Name: "consent", Type: "checkbox"})
		v.addForm(sent, "missing", fields, v.roll(func(int64) string { return clerk.NotNamed }))
	}
}

func (v *fileView) word(key string) string { return v.desk.word(v.Lang, key) }

// addForm adds a form with the fields that all have.
func (v *fileView) addForm(sent url.Values, do string, fields, people []input) {
	one := form{Do: do, Fields: fields, People: people, Open: sent.Get("do") == do}
	if !v.Fixed {
		one.Common = append(one.Common, input{Name: "by", Value: v.Name, Max: 120, Required: true})
	}
	one.Common = append(one.Common, input{Name: "reason", Type: "textarea", Max: 2000, Required: true},
		input{Name: "document", Max: 500, Required: true, Hint: v.word("hint.document")})
	if do == "vote" || do == "missing" {
		one.Common = append(one.Common, input{Name: "newname", Type: "checkbox"})
	}
	for _, list := range [][]input{one.Fields, one.People, one.Common} {
		for i := range list {
			list[i].ID = do + "-" + list[i].Name
			list[i].Label = cmp.Or(list[i].Label, v.word("field."+list[i].Name))
			list[i].resume(one.Open, sent)
		}
	}
	v.Forms = append(v.Forms, one)
}

// outcomeFields are the result and the tally of a vote.
func (v *fileView) outcomeFields(result council.Result, ayes, nays string) []input {
	in := input{Name: "result", Value: string(result), Required: true}
	for _, r := range council.Results() {
		in.Options = append(in.Options, choice{Value: string(r), Text: v.word("result." + string(r))})
	}
	return []input{in, digits("ayes", ayes), digits("nays", nays)}
}

// roll is a field for the position of each person, and of another one.
func (v *fileView) roll(position func(int64) string) (all []input) {
	seat := func(name, label, position string) input {
		in := input{Name: name, Label: label, Value: position}
		for _, p := range append(council.Position("").Values(), clerk.NotNamed) {
			in.Options = append(in.Options, choice{Value: p, Text: v.word("position." + p)})
		}
		return in
	}
	for _, p := range v.People {
		all = append(all, seat(positionField(p.ID), p.Name, position(p.ID)))
	}
	return append(all, input{Name: "other", Max: 120}, seat("otherposition", "", string(council.Aye)))
}

func digits(name, value string) input {
	return input{Name: name, Value: value, Type: "number", Max: 4}
}

func person(name, value string) input {
	return input{Name: name, Value: value, Max: 120, List: "people"}
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
func (d *Server) head(r *http.Request, title string) site.Head {
	h := d.site.HeadFor(r)
	h.Title, h.Styles = d.word(h.Lang, title), []string{"review.css"}
	h.Brand = d.word(h.Lang, "review.brand") + " · " + h.Brand
	return h
}

func (d *Server) word(lang, key string) string { return d.site.Words(lang).Text(key) }

func (d *Server) write(w http.ResponseWriter, status int, page string, v site.View) error {
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
func (d *Server) stop(w http.ResponseWriter, r *http.Request, status int, why string) {
	v := &stopView{Head: d.head(r, "stop."+why), Why: why, Home: d.gate.visitor(r) != nil}
	v.Title = d.word(v.Lang, "stop.title")
	if err := d.write(w, status, "stop.html", v); err != nil {
		http.Error(w, errors.Join(errors.New(http.StatusText(status)), err).Error(), status)
	}
}

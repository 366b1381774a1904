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

// A fileView is the page of an anomaly, a vote or an item.
type fileView struct {
	site.Head
	*file
	outcome
	Heading string
	Meaning string // meaning of the anomaly's code
	Next    string // page of the next anomaly to do

	// The text of the minutes.
	Page, Pages   int
	Blocks        []marked.Block
	Marked        bool
	PDF           string
	Before, After string

	// History and Corrections have all statements; NewActs and NewCorrections only those since the
	// clerk saw the page.
	History, NewActs            []reviewAct
	Corrections, NewCorrections []correction
	Undo                        *reviewAct // act that an undo would revert

	// Fields of the forms.
	Token, SeenToken, Name string
	Fixed                  bool
	Forms                  []form
	Text                   string

	server *Server
}

type reviewAct struct {
	clerk.Review
	When     string
	Changed  bool // the anomaly had a different message at that time
	UndoneBy int64
}

type correction struct {
	clerk.Correction
	When      string
	Withdrawn int64 // the correction that this one withdraws
}

// A form submits one type of correction.
type form struct {
	Do     string
	Open   bool
	Fields []input
	People []input // positions of members
	Common []input // name, reason, document
}

// An input is a field of a form.
type input struct {
	ID, Name, Label, Value, Type string
	Hint                         string
	Max                          int
	Options                      []choice
	Required, Checked            bool
	List                         string // id of a datalist
}

func (s *Server) fileOf(r *http.Request) (*file, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.PathValue("id"), clerk.ErrNotFound)
	}
	return s.load(r.Context(), r.PathValue("kind"), id)
}

// show serves the page of an anomaly, a vote or an item.
func (s *Server) show(w http.ResponseWriter, r *http.Request, v *visitor) error {
	f, err := s.fileOf(r)
	if err != nil {
		return err
	}
	var done outcome
	done.Stored, err = strconv.ParseInt(r.URL.Query().Get("done"), 10, 64)
	done.Live = err == nil && r.URL.Query().Get("live") != ""
	view := s.fileView(r, v, f, done)
	if f.Anomaly != nil {
		toDo, err := clerk.Anomalies(r.Context(), s.deps.DB, clerk.Filter{ToDo: true, Limit: 2})
		if err != nil {
			return err
		}
		for _, a := range toDo {
			if a.ID != f.Anomaly.ID && view.Next == "" {
				view.Next = view.To("/anomalies/{id}", number(a.ID))
			}
		}
	}
	return s.write(w, http.StatusOK, "file.html", view)
}

// fileView returns the page of a file, with the outcome of a form.
func (s *Server) fileView(r *http.Request, who *visitor, f *file, done outcome) *fileView {
	v := &fileView{Head: s.head(r, "file.title"), file: f, outcome: done, Heading: f.Meeting.Title, server: s,
		Token: who.token, SeenToken: f.seen(), Name: who.name, Fixed: who.fixed, Text: r.PostForm.Get("text")}
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
	v.fillStatements()
	if done.status == http.StatusConflict {
		v.NewActs, v.NewCorrections = v.newerThan(r.PostForm.Get("seen"))
	}
	v.fillForms(r.PostForm)
	return v
}

func (v *fileView) Day() string { return v.server.day(v.Lang, v.Meeting.Date) }

// PageOf returns the address of the page of a vote or an item.
func (v *fileView) PageOf(kind string, id int64) string {
	return v.To("/{kind}/{id}", kind, number(id))
}

func (v *fileView) fillText(r *http.Request) {
	spans := v.spans()
	v.Page, v.Pages = v.firstPage(spans), len(v.pages)
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

// fillStatements adds reviews and corrections.
func (v *fileView) fillStatements() {
	undoneBy := map[int64]int64{}
	for _, one := range v.file.History {
		if one.Undoes != nil {
			undoneBy[*one.Undoes] = one.ID
		}
	}
	for _, one := range v.file.History {
		last := reviewAct{one, v.server.when(v.Lang, one.MadeAt), one.Message != v.Anomaly.Message, undoneBy[one.ID]}
		v.History = append(v.History, last)
		if one.Act != clerk.Undone && last.UndoneBy == 0 {
			v.Undo = &last
		}
	}
	for _, one := range v.file.Corrections {
		c := correction{Correction: one, When: v.server.when(v.Lang, one.MadeAt),
			Withdrawn: council.OrZero(one.Withdraws)}
		v.Corrections = append(v.Corrections, c)
	}
}

// newerThan returns the statements that are newer than the seen token of a form.
func (v *fileView) newerThan(seen string) (reviews []reviewAct, corrections []correction) {
	var review, correction int64
	_, _ = fmt.Sscanf(seen, "%d.%d.", &review, &correction) // an invalid token counts as 0.0
	for _, one := range v.History {
		if one.ID > review {
			one.UndoneBy = 0
			reviews = append(reviews, one)
		}
	}
	for _, one := range v.Corrections {
		if one.ID > correction {
			corrections = append(corrections, one)
		}
	}
	return reviews, corrections
}

// day formats a date for the town's locale.
func (s *Server) day(lang, iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return s.site.Speaker(lang, s.locale).Date(t)
}

func (s *Server) when(lang string, t time.Time) string {
	speaker := s.site.Speaker(lang, s.locale)
	t = t.In(s.zone)
	return speaker.Date(t) + ", " + speaker.Clock(t) + " " + t.Format("MST")
}

// fillForms adds the forms. The submitted form keeps its values.
func (v *fileView) fillForms(sent url.Values) {
	if len(v.Namesakes) > 0 {
		v.addForm(sent, "person", []input{v.whichPerson()}, nil)
	}
	if vote := v.Vote; vote != nil {
		v.addForm(sent, "vote", append(v.outcomeFields(vote.Result, strconv.Itoa(vote.AyesCount),
			strconv.Itoa(vote.NaysCount)),
			person("mover", council.Text(vote.Mover)), person("seconder", council.Text(vote.Seconder))),
			v.roll(func(name string) string { return positionOf(vote, name) }))
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
		v.addForm(sent, "missing", fields, v.roll(func(string) string { return clerk.NotNamed }))
	}
}

// whichPerson returns the field that asks whether a name is the person with that name on another
// body.
func (v *fileView) whichPerson() input {
	in := input{Name: "person", Value: clerk.NotNamed}
	for _, n := range v.Namesakes {
		text := v.server.site.Words(v.Lang).Text("person.same", n.Name, n.Body)
		in.Options = append(in.Options, choice{Value: n.Slug, Text: text})
	}
	in.Options = append(in.Options, choice{Value: clerk.NotNamed, Text: v.word("person.other")})
	return in
}

func (v *fileView) word(key string) string { return v.server.word(v.Lang, key) }

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
			list[i].restore(one.Open, sent)
		}
	}
	v.Forms = append(v.Forms, one)
}

func (v *fileView) outcomeFields(result council.Result, ayes, nays string) []input {
	in := input{Name: "result", Value: string(result), Required: true}
	for _, r := range council.Results() {
		in.Options = append(in.Options, choice{Value: string(r), Text: v.word("result." + string(r))})
	}
	return []input{in, digits("ayes", ayes), digits("nays", nays)}
}

// roll returns a field for the position of each member, and one for another person.
func (v *fileView) roll(position func(name string) string) (all []input) {
	choose := func(name, label, position string) input {
		in := input{Name: name, Label: label, Value: position}
		for _, p := range append(council.Position("").Values(), clerk.NotNamed) {
			in.Options = append(in.Options, choice{Value: p, Text: v.word("position." + p)})
		}
		return in
	}
	for _, m := range v.Members {
		all = append(all, choose(positionField(m.ID), m.Name, position(m.Name)))
	}
	return append(all, input{Name: "other", Max: 120}, choose("otherposition", "", string(council.Aye)))
}

func digits(name, value string) input {
	return input{Name: name, Value: value, Type: "number", Max: 4}
}

func person(name, value string) input {
	return input{Name: name, Value: value, Max: 120, List: "people"}
}

// restore sets the submitted value, and marks the chosen option.
func (in *input) restore(isSent bool, sent url.Values) {
	if isSent {
		in.Value, in.Checked = sent.Get(in.Name), sent.Get(in.Name) != ""
	}
	for i := range in.Options {
		in.Options[i].Chosen = in.Options[i].Value == in.Value
	}
}

func (s *Server) head(r *http.Request, title string) site.Head {
	h := s.site.HeadFor(r)
	h.Title, h.Styles = s.word(h.Lang, title), []string{"review.css"}
	h.Brand = s.word(h.Lang, "review.brand") + " · " + h.Brand
	return h
}

func (s *Server) word(lang, key string) string { return s.site.Words(lang).Text(key) }

func (s *Server) write(w http.ResponseWriter, status int, page string, v site.View) error {
	html, err := s.site.Render(page, v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(html) // the browser may have disconnected
	return nil
}

type stopView struct {
	site.Head
	Why  string
	Home bool
}

// stop serves an error page.
func (s *Server) stop(w http.ResponseWriter, r *http.Request, status int, why string) {
	v := &stopView{Head: s.head(r, "stop."+why), Why: why, Home: s.gate.visitor(r) != nil}
	v.Title = s.word(v.Lang, "stop.title")
	if err := s.write(w, status, "stop.html", v); err != nil {
		http.Error(w, errors.Join(errors.New(http.StatusText(status)), err).Error(), status)
	}
}

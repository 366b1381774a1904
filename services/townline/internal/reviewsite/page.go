package reviewsite

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/townline/internal/gate"
)

// A fileView is the page of an anomaly, a vote or an item.
type fileView struct {
	site.Head
	*file
	outcome
	Heading string
	Doubt   string // what is wrong, in words
	Meaning string // meaning of the anomaly's code, in English
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

	server *pages
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
	Fields []gate.Input
	People []gate.Input // positions of members
	Common []gate.Input // name, reason, document
}

func (s *pages) fileOf(r *http.Request) (*file, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.PathValue("id"), clerk.ErrNotFound)
	}
	return s.load(r.Context(), r.PathValue("kind"), id)
}

// show serves the page of an anomaly, a vote or an item.
func (s *pages) show(w http.ResponseWriter, r *http.Request, v *gate.Visitor) error {
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
	return s.Write(w, http.StatusOK, "file.html", view)
}

// fileView returns the page of a file, with the outcome of a form.
func (s *pages) fileView(r *http.Request, who *gate.Visitor, f *file, done outcome) *fileView {
	v := &fileView{Head: s.Head(r, "file.title"), file: f, outcome: done, Heading: f.Meeting.Title, server: s,
		Token: who.Token, SeenToken: f.seen(), Name: who.Name, Fixed: who.Fixed, Text: r.PostForm.Get("text")}
	if f.Item != nil {
		v.Heading = oneLine(f.Item.Title)
	}
	v.Title += ": " + v.Heading
	if f.Anomaly != nil {
		v.Doubt = s.doubt(v.Lang, f.Anomaly.Code)
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

func (v *fileView) Day() string { return v.server.Day(v.Lang, v.Meeting.Date) }

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
		last := reviewAct{one, v.server.When(v.Lang, one.MadeAt), one.Message != v.Anomaly.Message, undoneBy[one.ID]}
		v.History = append(v.History, last)
		if one.Act != clerk.Undone && last.UndoneBy == 0 {
			v.Undo = &last
		}
	}
	for _, one := range v.file.Corrections {
		c := correction{Correction: one, When: v.server.When(v.Lang, one.MadeAt),
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

// fillForms adds the forms. The submitted form keeps its values.
func (v *fileView) fillForms(sent url.Values) {
	if len(v.Namesakes) > 0 {
		v.addForm(sent, "person", []gate.Input{v.whichPerson()}, nil)
	}
	if vote := v.Vote; vote != nil {
		v.addForm(sent, "vote", append(v.outcomeFields(vote.Result, strconv.Itoa(vote.AyesCount),
			strconv.Itoa(vote.NaysCount)),
			person("mover", council.Text(vote.Mover)), person("seconder", council.Text(vote.Seconder))),
			v.roll(func(name string) string { return positionOf(vote, name) }))
		v.addForm(sent, "doubled", nil, nil)
	}
	if v.Item != nil {
		v.addForm(sent, "title", []gate.Input{{Name: "title", Value: v.Item.Title, Type: "textarea", Max: 4000,
			Required: true}},
			nil)
		fields := v.outcomeFields(council.Adopted, "", "")
		fields = slices.Insert(fields, 1, gate.Input{Name: "motion", Type: "textarea", Max: 4000})
		fields = slices.Insert(fields, 0, gate.Input{Name: "printed", Max: 200, Required: true, Hint: v.word("hint.printed")})
		fields = append(fields, person("mover", ""), person("seconder", ""), digits("page", ""),
			gate.Input{Name: "consent", Type: "checkbox"})
		v.addForm(sent, "missing", fields, v.roll(func(string) string { return clerk.NotNamed }))
	}
}

// whichPerson returns the field that asks whether a name is the person with that name on another
// body.
func (v *fileView) whichPerson() gate.Input {
	in := gate.Input{Name: "person", Value: clerk.NotNamed}
	for _, n := range v.Namesakes {
		text := v.server.Site.Words(v.Lang).Text("person.same", n.Name, n.Body)
		in.Options = append(in.Options, gate.Choice{Value: n.Slug, Text: text})
	}
	in.Options = append(in.Options, gate.Choice{Value: clerk.NotNamed, Text: v.word("person.other")})
	return in
}

func (v *fileView) word(key string) string { return v.server.Word(v.Lang, key) }

func (v *fileView) addForm(sent url.Values, do string, fields, people []gate.Input) {
	one := form{Do: do, Fields: fields, People: people, Open: sent.Get("do") == do}
	if !v.Fixed {
		one.Common = append(one.Common, gate.Input{Name: "by", Value: v.Name, Max: 120, Required: true})
	}
	one.Common = append(one.Common, gate.Input{Name: "reason", Type: "textarea", Max: 2000, Required: true},
		gate.Input{Name: "document", Max: 500, Required: true, Hint: v.word("hint.document")})
	if do == "vote" || do == "missing" {
		one.Common = append(one.Common, gate.Input{Name: "newname", Type: "checkbox"})
	}
	for _, list := range [][]gate.Input{one.Fields, one.People, one.Common} {
		for i := range list {
			list[i].ID = do + "-" + list[i].Name
			list[i].Label = cmp.Or(list[i].Label, v.word("field."+list[i].Name))
			list[i].Restore(one.Open, sent)
		}
	}
	v.Forms = append(v.Forms, one)
}

func (v *fileView) outcomeFields(result council.Result, ayes, nays string) []gate.Input {
	in := gate.Input{Name: "result", Value: string(result), Required: true}
	for _, r := range council.Results() {
		in.Options = append(in.Options, gate.Choice{Value: string(r), Text: v.word("result." + string(r))})
	}
	return []gate.Input{in, digits("ayes", ayes), digits("nays", nays)}
}

// roll returns a field for the position of each member, and one for another person.
func (v *fileView) roll(position func(name string) string) (all []gate.Input) {
	choose := func(name, label, position string) gate.Input {
		in := gate.Input{Name: name, Label: label, Value: position}
		for _, p := range append(council.Position("").Values(), clerk.NotNamed) {
			in.Options = append(in.Options, gate.Choice{Value: p, Text: v.word("position." + p)})
		}
		return in
	}
	for _, m := range v.Members {
		all = append(all, choose(positionField(m.ID), m.Name, position(m.Name)))
	}
	return append(all, gate.Input{Name: "other", Max: 120}, choose("otherposition", "", string(council.Aye)))
}

func digits(name, value string) gate.Input {
	return gate.Input{Name: name, Value: value, Type: "number", Max: 4}
}

func person(name, value string) gate.Input {
	return gate.Input{Name: name, Value: value, Max: 120, List: "people"}
}

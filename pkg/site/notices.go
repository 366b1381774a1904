package site

import (
	"context"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
)

// Paths of the pages about the site itself, to which every page links.
const (
	AccessibilityPath = "/accessibility"
	PrivacyPath       = "/privacy"
)

// Notices are the pages about accessibility and privacy. They say what is true of the program and
// of its settings, and nothing else.
type Notices struct {
	conf.Public
	AccessLog rest.AccessLog
	// Barriers are sentences about what is not accessible, and Kept sentences about stored data that
	// concern this API only: keys of words with what fills them.
	Barriers, Kept []Sentence
	// Head fills the head of the pages.
	Head func(c *rest.Call) Head
}

// A Sentence is a key of words and what fills its placeholders.
type Sentence struct {
	Key  string
	Fill []any
}

type noticePage struct {
	Head
	Sections []noticeSection
	Links    []Link
}

type noticeSection struct {
	Title string
	Text  []string
}

// Notices returns the pages about accessibility and privacy.
func (s *Site) Notices(n Notices) rest.Table {
	s.noticed = true
	page := func(id, path, summary string, fill func(w lang.Words, v *noticePage)) rest.Endpoint {
		return rest.From(rest.Spec{ID: id, Path: path, Summary: summary}, rest.Fixed[rest.None](0),
			func(_ context.Context, c *rest.Call, _ rest.None, _ rest.None) (rest.HTML, error) {
				v := &noticePage{Head: n.Head(c)}
				fill(s.Words(v.Lang), v)
				return s.Render("notice.html", v)
			})
	}
	return rest.Table{
		page("page.accessibility", AccessibilityPath, "What is accessible and what is not", n.accessibility),
		page("page.privacy", PrivacyPath, "What is logged and stored, and for how long", n.privacy),
	}
}

func (n *Notices) accessibility(w lang.Words, v *noticePage) {
	v.Title, v.About = w.Text("access.title"), w.Text("access.about")
	barriers := []string{w.Text("access.unheard"), w.Text("access.automatic")}
	v.Sections = []noticeSection{
		{w.Text("access.goal"), []string{w.Text("access.goal1")}},
		{w.Text("access.tested"), []string{w.Text("access.tested1"), w.Text("access.tested2")}},
		{w.Text("access.barriers"), append(barriers, sentences(w, n.Barriers)...)},
		{w.Text("access.help"), []string{w.Text("access.help1")}},
	}
	n.contact(w, v)
}

func (n *Notices) privacy(w lang.Words, v *noticePage) {
	v.Title, v.About = w.Text("privacy.title"), w.Text("privacy.about")
	log := "privacy.errors"
	switch n.AccessLog {
	case rest.LogAll:
		log = "privacy.all"
	case rest.LogOff:
		log = "privacy.off"
	}
	logs := []string{w.Text(log)}
	if n.AccessLog != rest.LogOff {
		logs = append(logs, w.Text("privacy.entry"))
	}
	if n.LogDays > 0 {
		logs = append(logs, w.Text("privacy.days", n.LogDays))
	} else {
		logs = append(logs, w.Text("privacy.ask"))
	}
	v.Sections = []noticeSection{
		{w.Text("privacy.device"), []string{w.Text("privacy.cookies")}},
		{w.Text("privacy.logs"), append(logs, w.Text("privacy.proxy"))},
		{w.Text("privacy.kept"), sentences(w, n.Kept)},
		{w.Text("privacy.questions"), []string{w.Text("privacy.questions1")}},
	}
	n.contact(w, v)
	if n.Policy != "" {
		v.Links = append(v.Links, Link{Text: w.Text("privacy.policy"), Address: n.Policy})
	}
}

// contact adds whom to ask; without a contact it says that none is given here.
func (n *Notices) contact(w lang.Words, v *noticePage) {
	if n.Contact != "" {
		q := url.Values{"subject": {v.Title}}
		v.Links = append(v.Links, Link{Text: n.Contact,
			Address: "mailto:" + url.PathEscape(n.Contact) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")})
	}
	if n.Phone != "" {
		v.Links = append(v.Links, Link{Text: n.Phone})
	}
	if len(v.Links) == 0 {
		last := &v.Sections[len(v.Sections)-1]
		last.Text = []string{w.Text("notice.nobody")}
	}
}

func sentences(w lang.Words, all []Sentence) []string {
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = w.Text(s.Key, s.Fill...)
	}
	return texts
}

package notice

import (
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Message is an active annotation with a text, for those who show no HTML.
type Message struct {
	Annotation
	Text       string    // never empty
	Start, End time.Time // zero: open
}

// Messages returns the active annotations with a text that apply to a feed. An annotation of no particular feed applies to the feeds that have its
// entity, as knows says. at is when the messages of the feed last changed; zero: not known, because they change by nothing but news.
func (s *State) Messages(alias string, knows func(entityType, id string) bool) (all []Message, at time.Time) {
	applies := func(n *notice) bool {
		return n.Text != "" && n.of(&alias) && (n.Alias != nil || knows(n.EntityType, n.EntityID))
	}
	for _, n := range s.all {
		if applies(n) && n.turned(s.arranged).After(at) {
			at = n.turned(s.arranged)
		}
	}
	for _, n := range s.active {
		if applies(n) {
			all = append(all, Message{n.Annotation, n.Text, n.start, n.end})
		}
	}
	return all, at
}

// turned is when the annotation last became active or ended, as far as its times say; its hours of the week are those of this week and the last.
func (n *notice) turned(now time.Time) time.Time {
	last := n.CreatedAt.Time
	later := func(t time.Time) {
		if !t.After(now) && t.After(last) {
			last = t
		}
	}
	later(n.start)
	later(n.end)
	if n.HoursFrom == nil {
		return last
	}
	if !n.end.IsZero() && now.After(n.end) {
		now = n.end
	}
	local := now.In(n.zone)
	minute := minuteOfWeek(local)
	begin := now.Truncate(time.Minute) // no zone of today is off by seconds
	for i, from := range n.HoursFrom {
		for _, edge := range []int32{from, n.HoursUntil[i]} {
			ago := (minute - edge + minutesOfWeek) % minutesOfWeek
			later(begin.Add(-time.Duration(ago) * time.Minute))
		}
	}
	return last
}

// plain is the text of safe HTML: one line for each paragraph and entry, links with their address behind them.
func plain(body string) string {
	var b strings.Builder
	var href string // of the link that is open
	begun := 0      // where its text begins
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return tidy(b.String())
		case html.TextToken:
			b.WriteString(strings.ReplaceAll(string(z.Text()), "\n", " "))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch {
			case t.DataAtom == atom.A:
				href, begun = attribute(t, "href"), b.Len()
			case t.DataAtom == atom.Img:
				b.WriteString(attribute(t, "alt"))
			case t.DataAtom == atom.Td || t.DataAtom == atom.Th:
				b.WriteByte(' ')
			case !inline(t.DataAtom):
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			t := z.Token()
			switch {
			case t.DataAtom == atom.A:
				if text := b.String()[begun:]; strings.Contains(href, "://") && !strings.Contains(text, href) {
					b.WriteString(" (" + href + ")")
				}
				href = ""
			case !inline(t.DataAtom):
				b.WriteByte('\n')
			}
		}
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// inline reports whether an element stands within a line.
func inline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Span, atom.Strong, atom.B, atom.Em, atom.I, atom.U, atom.S, atom.Del, atom.Ins, atom.Small, atom.Mark, atom.Sub, atom.Sup,
		atom.Code, atom.Kbd, atom.Abbr, atom.Time, atom.Img, atom.Td, atom.Th:
		return true
	}
	return false
}

// tidy leaves one blank between words and no empty line.
func tidy(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// Headline is the first line of a message, cut where it is long.
func (m *Message) Headline() string {
	const most = 80
	line, _, _ := strings.Cut(m.Text, "\n")
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	short := string(runes[:most-1])
	if i := strings.LastIndexByte(short, ' '); i > most/2 {
		short = short[:i]
	}
	return short + "…"
}

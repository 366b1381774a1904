package pages

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A Speaker writes dates, times and the words of votes in one language.
type Speaker struct {
	site.Speaker
	Zone *time.Location
}

// HasTime reports whether the start of a meeting is known. The portal's midnight stands for a day
// without a time.
func (s Speaker) HasTime(start time.Time) bool { return civic.HasTime(start, s.Zone) }

// Clock returns a time of day in the council's zone, or in UTC with "UTC".
func (s Speaker) Clock(t time.Time) string {
	if s.Zone == nil || s.Zone == time.UTC {
		return s.Speaker.Clock(t.UTC()) + " UTC"
	}
	return s.Speaker.Clock(t.In(s.Zone))
}

// Moment returns a day and a time of day in the council's time zone.
func (s Speaker) Moment(t time.Time) string {
	return s.Text("say.moment", s.Date(t.In(cmp.Or(s.Zone, time.UTC))), s.Clock(t))
}

// Many returns a number of things, as in s.Many("votes", 2).
func (s Speaker) Many(key string, n any) string { return s.Text(key, s.Number(n)) }

// Number formats a number with separators between thousands.
func (s Speaker) Number(n any) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + s.Text("say.thousands") + digits[i:]
	}
	return strings.ReplaceAll(digits, "_", "\u202f")
}

// Percent returns a share, such as "67 %".
func (s Speaker) Percent(rate *float64) string {
	if rate == nil {
		return s.Text("say.none")
	}
	return s.Text("site.percent", int(*rate*100+.5))
}

type stand struct{ Kind, Symbol, Word, Name string }

// Position returns a position as word and symbol, so that its meaning does not depend on colour
// alone.
func (s Speaker) Position(p council.Position, name string) stand {
	symbols := map[council.Position]string{council.Aye: "✓", council.Nay: "✗", council.Abstain: "○", council.Recused: "⊘"}
	return stand{string(p), cmp.Or(symbols[p], "–"), s.Text("position." + string(p)), name}
}

var ofMotion = regexp.MustCompile(
	`(?i)\b(?:motion|moved|moves)\b.{0,40}?\bto (amend|substitute|postpone|continue|defer|table|refer|reconsider)\b`)

// Motion names a motion by its verb, or by its place among the motions on the item. It returns ""
// for a main motion that is the only motion on the item, or if the number of motions is unknown (of
// is 0).
func (s Speaker) Motion(text string, place, of int) string {
	if found := ofMotion.FindStringSubmatch(text); found != nil {
		return s.Text("motion." + strings.ToLower(found[1]))
	}
	switch {
	case of < 2:
		return ""
	case place == of:
		return s.Text("motion.main")
	}
	return s.Text("motion.other", place)
}

type outcome struct {
	Kind, Symbol, Word string // kind such as adopted or failed, with its symbol and word
	Count              string // such as "5 to 1", or words that there is none
	Split              bool   // members voted differently
	Differs            bool   // the roll call has other numbers than Count
}

// Outcome returns the result of a vote in words.
func (s Speaker) Outcome(r council.Result, ayes, nays int, unanimous bool) outcome {
	symbols := map[council.Result]string{council.Adopted: "✓", council.Failed: "✗"}
	count := s.Text("say.count", ayes, nays)
	if ayes+nays == 0 {
		count = s.Text("say.uncounted")
	}
	return outcome{Kind: string(r), Symbol: cmp.Or(symbols[r], "•"), Word: s.Text("result." + string(r)),
		Count: count, Split: !unanimous && ayes+nays > 0}
}

func (s Speaker) Topic(t council.Topic) string { return s.Text("topic." + string(t)) }

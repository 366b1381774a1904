package decide

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// moversOf takes the mover and the seconder of a table. A sentence decides between several movers.
func (r *reader) moversOf(d *draft, v *record.Vote) {
	t := d.table
	if t == nil {
		return
	}
	if who := v.Mover; who == nil || !slices.Contains(t.Movers, *who) {
		v.Mover = council.Some(d.mover)
	}
	v.Seconder = council.Some(d.seconder)
	if d.motion == nil {
		v.MotionText = t.Moved
	}
	v.MotionText = secondCut.ReplaceAllString(v.MotionText, "$1")
}

// secondCut matches who seconded a motion, behind its text, and keeps the full stop of the text.
var secondCut = words.Regexp(`,? {was seconded by}` + printedNames + `{0,7}$|` +
	`(?:,|(\.))` + printedNames + `{1,6} {seconded the motion}\.$`)

const printedNames = `(?: {particle of name}\b| \p{Lu}[\p{L}.'’-]*)`

// checkWords reports what is missing or misprinted in the words of a table, which prints them in a form of
// its own.
func (r *reader) checkWords(d *draft, v *record.Vote, report reportFunc) {
	t := d.table
	if t == nil {
		return
	}
	ayes, nays := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	abstained := v.Roll.Count(council.Abstain)
	voted := ayes + nays
	switch {
	case d.Counted || d.Unanimous || d.Voice && voted == 0:
	case lexicon.Bracket(t.Result) != "":
		report(council.CodeTallyUnreadable, "%s: the bracket is no tally", v.ResultRaw)
	case voted == 0 && v.Result != council.Other && v.Result != council.NoAction || voted > 0:
		report(council.CodeTallyMissing, "%q has no tally", v.ResultRaw)
	}
	if voted+abstained == 0 && !d.withheld && !d.Voice && v.Result != council.NoAction &&
		(v.Result != council.Other || d.Counted || d.Unanimous || len(d.roll.Entries) > 0) {
		report(council.CodeNamesMissing, "%s: nobody is named", v.ResultRaw)
	}
	words := lexicon.ResultWords(t.Result)
	if voices.Begins(words) || !strings.ContainsFunc(words, unicode.IsLetter) {
		report(council.CodeResultWordMissing, "%q has no word for the result", v.ResultRaw)
	}
	if printed, meant := r.Doc.Misprint(words); printed != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of %q", printed, meant)
	} else if unanimously.In(strings.ToLower(lexicon.Bracket(t.Result))) {
		report(council.CodeResultWordMisspelt, "[%s] for [UNANIMOUS]", lexicon.Bracket(strings.ToUpper(t.Result)))
	} else if w := misspeltAbstention(t.Result); w != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of \"abstention\"", w)
	}
}

func misspeltAbstention(raw string) string {
	for _, w := range strings.Fields(strings.NewReplacer("[", " ", "]", " ", ",", " ").Replace(strings.ToLower(raw))) {
		if abs.Begins(w) && len(w) > 6 && !abstention.Is(w) &&
			council.EditDistance(strings.TrimSuffix(w, "s"), abstentionWord.Words()[0]) <= 3 {
			return w
		}
	}
	return ""
}

// checkTold compares the vote of a table with the only sentence that counts it: "The motion passed with 14
// in favor (Brandt, …) and 1 opposed (Vance)."
func checkTold(d *draft, v *record.Vote, report reportFunc) {
	if len(d.stated) != 1 {
		return
	}
	o := d.stated[0]
	if o.Ayes != v.AyesCount || o.BothSides && o.Nays != v.NaysCount {
		nays := ""
		if o.BothSides {
			nays = fmt.Sprintf(" to %d", o.Nays)
		}
		report(council.CodeProseMismatch, "the sentence beside the table counts %d%s, the table %d to %d", o.Ayes, nays,
			v.AyesCount, v.NaysCount)
		return
	}
	if n := d.statedNames; n >= 0 && n != o.Ayes {
		report(council.CodeProseMismatch, "the sentence beside the table counts %d in favor and names %d", o.Ayes, n)
	}
}

// Package bodies finds the body that a name on a portal's calendar means: by the portal's id, by
// name without a remark, or by a spelling that matches only one body. Results are stored
// permanently. The package decides which bodies are new; its caller decides which bodies are read.
package bodies

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/spelling"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Name is the name of a body on a calendar. ID is the portal's id of the body, or "" if it has
// none.
type Name struct{ ID, Text string }

func (n Name) key() string {
	if n.ID != "" {
		return "#" + n.ID
	}
	return council.FoldName(n.Text)
}

// A Body is a row of council.body.
type Body struct {
	BodyID int64
	Name   string
	Joint  bool // consists of other bodies
}

// A Meaning is the body that a name means. Body is nil if the body is not read.
type Meaning struct {
	*Body
	Remark string // text after the name of the body, such as "THIS IS CONSIDERED A SPECIAL MEETING"
}

// A Resolver resolves the names of one source.
type Resolver struct {
	Source string
	Main   string                 // body of council.yaml as written on the calendar; "" if there is none
	Reads  func(name string) bool // reports whether another body is read
	Names  func(name string) bool // reports whether council.yaml has exactly this name; such a name is never a misspelling
	Log    *slog.Logger

	bodies []*Body
	stored map[string]*int64 // id of the body by key; nil if it is not read
}

// Resolve returns the meaning of each name, and stores new bodies and names. Resolve expects
// frequent names first, because it compares rare names with them.
func (r *Resolver) Resolve(ctx context.Context, tx pgx.Tx, names []Name) (map[Name]Meaning, error) {
	err := r.read(ctx, tx)
	if err != nil {
		return nil, err
	}
	// A name comes after the names that it contains: a name with a remark comes after the plain name,
	// a joint body after its parts. Truncated names come last.
	rank := map[Name]int{}
	for _, n := range names {
		rank[n] = r.rank(n, names)
	}
	order := slices.Clone(names)
	slices.SortStableFunc(order, func(a, b Name) int { return rank[a] - rank[b] })
	out := map[Name]Meaning{}
	for _, n := range order {
		out[n], err = r.resolve(ctx, tx, n)
		if err != nil {
			return nil, fmt.Errorf("find body %q: %w", n.Text, err)
		}
	}
	return out, nil
}

func (r *Resolver) rank(n Name, names []Name) int {
	switch {
	case strings.EqualFold(n.Text, r.Main):
		return 0
	case !portal.IsBody(n.Text):
		return 2*len(names) + 3
	}
	rank := 1
	for _, other := range names {
		_, _, contains := around(n.Text, other.Text)
		if contains && len(other.Text) < len(n.Text) && portal.IsBody(other.Text) {
			rank += 2
		}
	}
	if strings.Contains(n.Text, " - ") || separator.MatchString(n.Text) {
		rank++
	}
	return rank
}

func (r *Resolver) read(ctx context.Context, tx pgx.Tx) error {
	all, err := pg.List[Body](ctx, tx, `SELECT body_id, name, EXISTS (SELECT FROM council.body_part p
		WHERE p.body_id = b.body_id) AS joint FROM council.body b ORDER BY body_id`)
	if err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	r.bodies, r.stored = nil, map[string]*int64{}
	for _, b := range all {
		r.bodies = append(r.bodies, &b)
	}
	type key struct {
		Key    string
		BodyID *int64
	}
	keys, err := pg.List[key](ctx, tx, `SELECT key, body_id FROM council.body_key WHERE source = $1`, r.Source)
	if err != nil {
		return fmt.Errorf("read names of bodies: %w", err)
	}
	for _, k := range keys {
		r.stored[k.Key] = k.BodyID
	}
	return nil
}

func (r *Resolver) resolve(ctx context.Context, tx pgx.Tx, n Name) (Meaning, error) {
	bare, remark := r.split(n)
	id, seen := r.stored[n.key()]
	isNamed := n.ID == "" && r.Names(bare)
	if b := r.byID(id); b != nil && (!isNamed || council.FoldName(b.Name) == council.FoldName(bare)) {
		if !b.Joint && !r.reads(b.Name) && !r.reads(bare) { // the body is no longer configured
			b = nil
		}
		return Meaning{b, remark}, nil
	}
	b := r.named(bare)
	if b == nil && n.ID == "" && !isNamed && !isJoint.MatchString(bare) {
		if b = r.spelled(bare); b != nil {
			r.Log.Warn("the calendar spells a body in another way", "body", b.Name, "spelling", bare,
				"source", r.Source)
		}
	}
	var parts []int64
	var err error
	if b == nil {
		parts = r.parts(bare)
		b, err = r.jointOf(ctx, tx, parts)
	}
	switch {
	case err != nil:
	case b != nil && !b.Joint && !r.reads(b.Name):
		b = nil
	case b != nil:
	case r.reads(bare) || len(parts) > 1:
		b, err = r.add(ctx, tx, bare, parts)
	case !seen:
		r.Log.Info("the calendar has a body that council.yaml does not name", "body", bare, "source", r.Source)
	}
	if err != nil {
		return Meaning{}, err
	}
	var body *int64
	if b != nil {
		body = &b.BodyID
	}
	r.stored[n.key()] = body
	_, err = tx.Exec(ctx, `INSERT INTO council.body_key (source, key, name, body_id) VALUES ($1, $2, $3, $4)
		ON CONFLICT (source, key) DO UPDATE SET body_id = excluded.body_id`, r.Source, n.key(), n.Text, body)
	return Meaning{b, remark}, err
}

func (r *Resolver) reads(name string) bool {
	return r.Main != "" && strings.EqualFold(name, r.Main) || r.Reads(name)
}

// add stores a new body. The first body becomes body 1.
func (r *Resolver) add(ctx context.Context, tx pgx.Tx, name string, parts []int64) (*Body, error) {
	id := int64(1)
	if !slices.ContainsFunc(r.bodies, func(b *Body) bool { return b.BodyID == 1 && b.Name == "" }) {
		var err error
		id, err = pg.Value[int64](ctx, tx, `SELECT nextval(pg_get_serial_sequence('council.body', 'body_id'))`)
		if err != nil {
			return nil, err
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO council.body (body_id, name, slug)
		SELECT $1::bigint, $2::text, CASE WHEN s IN ('', 'null') OR s ~ '^[0-9]+$' OR EXISTS (SELECT FROM council.body WHERE slug = s) THEN concat_ws('-', nullif(s, ''), $1::bigint)
		       ELSE s END FROM council.slug($2::text) AS s
		ON CONFLICT (body_id) DO UPDATE SET name = excluded.name, slug = excluded.slug`, id, name)
	if err != nil {
		return nil, err
	}
	if len(parts) > 1 {
		_, err = tx.Exec(ctx, `INSERT INTO council.body_part (body_id, part_id) SELECT $1, unnest($2::bigint[])`, id, parts)
		if err != nil {
			return nil, err
		}
	}
	r.Log.Info("a new body is read", "body", name, "id", id, "source", r.Source)
	b := &Body{id, name, len(parts) > 1}
	r.bodies = append(slices.DeleteFunc(r.bodies, func(old *Body) bool { return old.BodyID == id }), b)
	return b, nil
}

func (r *Resolver) named(name string) *Body {
	key := council.FoldName(name)
	for _, b := range r.bodies {
		if b.Name != "" && council.FoldName(b.Name) == key {
			return b
		}
	}
	return nil
}

// spelled returns the body of which a name is another spelling, if there is only one.
func (r *Resolver) spelled(name string) *Body {
	var found *Body
	for _, b := range r.bodies {
		if IsSpelling(name, b.Name) || isShort(name, b.Name, 2) || isShort(b.Name, name, 1) {
			if found != nil {
				return nil
			}
			found = b
		}
	}
	return found
}

const (
	kinds = `regular|special|called|adjourned|rescheduled|cancell?ed|postponed|amended|revised`
	month = `(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*`
	date  = `\d{4}-\d\d-\d\d|\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?|` + month + `\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?`
	clock = `\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|noon|(?:mon|tues|wednes|thurs|fri|satur|sun)day`
	// words may be part of a remark about a meeting: its kind, state, day and time.
	words = `(?:` + kinds + `|emergency|annual|joint|virtual|hybrid|closed|executive|public|study|work|business|continued|` +
		`organizational|informational|meetings?|sessions?|worksessions?|workshops?|hearings?|retreat|site visit|tour|` +
		`training|` +
		`agenda|notice|this is considered an?|of|on|at|` + month + `(?: \d{4})?|` + date + `|` + clock + `)`
	punct = `[\s()*:;,|–—-]`
	marks = " -–—:;,|"
)

var (
	// aboutMeeting matches words of remarks that never occur in names of bodies.
	aboutMeeting = regexp.MustCompile(`(?i)\b(?:meetings?|sessions?|hearing|cancell?ed|cancell?ation|rescheduled|postponed|virtual)\b`)
	separator    = regexp.MustCompile(`(?i)\s*(?:&|/|,|\s[–—-]\s|\band\b|\bwith\b)\s*(?:the\s+)?`)
	joint        = regexp.MustCompile(`(?i)^(?:special |regular )?joint (?:(?:special |regular )?` +
		`(?:meeting|session|work ?session|workshop|hearing)\b:? ?)?(?:of |with |between )?(?:the )?`)
	isJoint = regexp.MustCompile(`(?i)\bjoint\b`)

	leading   = regexp.MustCompile(`(?i)^` + punct + `*(?:` + date + `)` + punct + `+`)
	trailing  = regexp.MustCompile(`(?i)(?:` + punct + `+` + words + `)+` + punct + `*$`)
	onlyKind  = regexp.MustCompile(`(?i)^(?:` + punct + `*(?:` + kinds + `|` + date + `)\b)+` + punct + `*$`)
	meetingOf = regexp.MustCompile(`(?i)^(?:` + punct + `*` + words + `\b)* *(?:meeting|session|hearing|workshop) of(?: the)? $`)
	afterName = regexp.MustCompile(`^\s*[–—:;(*|-]`)
	onWhat    = regexp.MustCompile(`(?i)^(?:of|on)\b\D*$`) // matches "on Training" but not "on 1/5"
	// matches words after "Special" that make it part of a name: a Special Committee on Ethics is not
	// the Committee on Ethics
	special = regexp.MustCompile(`(?i)^(?:committee|commission|board|education|events?|projects?|districts?|needs)\b`)
)

// split separates the name of a body from a remark about the meeting: "Budget Committee - THIS IS
// CONSIDERED A SPECIAL MEETING", "Special City Council", "Planning Commission 1/5/2026". If the
// portal has ids for bodies, split separates only a clear remark.
func (r *Resolver) split(n Name) (name, remark string) {
	text := council.Fold(n.Text)
	before, after, found := strings.Cut(text, " - ")
	if found && aboutMeeting.MatchString(after) && !aboutMeeting.MatchString(before) && !isJoint.MatchString(after) {
		return strings.TrimSpace(before), strings.TrimSpace(after)
	}
	if n.ID != "" || isJoint.MatchString(text) && len(r.parts(text)) > 1 || r.named(text) != nil {
		return text, ""
	}
	for _, b := range r.bodies {
		first, last, found := around(text, b.Name)
		switch {
		case !found || !portal.IsBody(b.Name):
		case first == "" && afterName.MatchString(last) && !portal.IsBody(last):
			return b.Name, strings.Trim(last, marks)
		case last == "" && (meetingOf.MatchString(first) || onlyKind.MatchString(first) && !special.MatchString(b.Name)):
			return b.Name, strings.Trim(first, marks)
		}
	}
	for _, at := range [][]int{trailing.FindStringIndex(text), leading.FindStringIndex(text)} {
		if at == nil {
			continue
		}
		bare, rest := strings.TrimSpace(text[:at[0]]+text[at[1]:]), strings.Trim(text[at[0]:at[1]], marks)
		if (portal.IsBody(bare) || r.named(bare) != nil) && !onWhat.MatchString(rest) {
			return bare, rest
		}
	}
	return text, ""
}

// around returns the text before and after a name. The name must consist of whole words.
func around(text, name string) (before, after string, found bool) {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	lower := strings.ToLower(text)
	at := strings.Index(lower, strings.ToLower(name))
	if name == "" || at < 0 || len(lower) != len(text) || at+len(name) > len(text) {
		return "", "", false
	}
	before, after = text[:at], text[at+len(name):]
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return before, after, !isWord(last) && !isWord(first)
}

// parts returns the known bodies in the name of a joint body. It returns at least two or none, as
// for "Planning and Zoning Committee".
func (r *Resolver) parts(name string) []int64 {
	name = joint.ReplaceAllString(name, "")
	if b := r.named(name); b != nil {
		return []int64{b.BodyID}
	}
	for _, at := range separator.FindAllStringIndex(name, -1) {
		first := r.named(name[:at[0]])
		if rest := r.parts(name[at[1]:]); first != nil && len(rest) > 0 && !slices.Contains(rest, first.BodyID) {
			return append(rest, first.BodyID)
		}
	}
	return nil
}

// jointOf returns the stored body that consists of parts, or nil if there is none.
func (r *Resolver) jointOf(ctx context.Context, tx pgx.Tx, parts []int64) (*Body, error) {
	slices.Sort(parts)
	ids, err := pg.Column[int64](ctx, tx, `SELECT body_id FROM council.body_part GROUP BY body_id
		HAVING array_agg(part_id ORDER BY part_id) = $1`, parts)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return r.byID(&ids[0]), nil
}

func (r *Resolver) byID(id *int64) *Body {
	at := slices.IndexFunc(r.bodies, func(b *Body) bool { return id != nil && b.BodyID == *id })
	if at < 0 {
		return nil
	}
	return r.bodies[at]
}

// small matches words that other spellings of a name may omit.
var small = regexp.MustCompile(`(?i)\b(?:and|of|the|on|for)\b|&`)

func wordsOf(name string) []string {
	return strings.Fields(council.FoldName(strings.ReplaceAll(small.ReplaceAllString(name, " "), "/", " ")))
}

// isShort reports whether short is long without its last words. An example is "Labor and Economic
// Development" without Committee.
func isShort(short, long string, most int) bool {
	a, b := wordsOf(short), wordsOf(long)
	return len(a) > 1 && len(a) < len(b) && len(b) <= len(a)+most && slices.Equal(a, b[:len(a)]) &&
		!portal.IsBody(short) && portal.IsBody(b[len(b)-1])
}

// IsSpelling reports whether two names differ only by a typo: a missing, extra, wrong or swapped
// letter in one long word, an s at the end of a short one, or a small word. Numbers must be equal.
func IsSpelling(a, b string) bool {
	as, bs := wordsOf(a), wordsOf(b)
	if len(as) != len(bs) || len(as) < 2 {
		return false
	}
	slips := 0
	for i := range as {
		if as[i] == bs[i] {
			continue
		}
		isPlural := min(len(as[i]), len(bs[i])) >= 4 && (as[i]+"s" == bs[i] || bs[i]+"s" == as[i])
		isSlip := min(len(as[i]), len(bs[i])) >= 6 && spelling.Edits([]rune(as[i]), []rune(bs[i])) == 1
		if slips++; slips > 1 || strings.ContainsAny(as[i]+bs[i], "0123456789") || !isPlural && !isSlip {
			return false
		}
	}
	return true
}

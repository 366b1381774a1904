package clerk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// A Kind says which part of a vote or an item a correction changes.
type Kind string

// Missing adds a whole vote, Doubled removes one, Person links or separates names on two bodies,
// and Withdrawn withdraws a correction. The other kinds replace one value.
const (
	Title     Kind = "title"
	Result    Kind = "result"
	Mover     Kind = "mover"
	Seconder  Kind = "seconder"
	Ayes      Kind = "ayes"
	Nays      Kind = "nays"
	Position  Kind = "position"
	Missing   Kind = "vote_missing"
	Doubled   Kind = "vote_doubled"
	Person    Kind = "person" // Becomes is the other body if both names are one person, nil if they are two people
	Withdrawn Kind = "withdrawn"
)

// Kinds lists every kind but Withdrawn, in the order of the API description.
func Kinds() []Kind {
	return []Kind{Title, Result, Mover, Seconder, Ayes, Nays, Position, Missing, Doubled, Person}
}

func (Kind) Values() []string { return council.Words(Kinds()) }

// NotNamed is the position of a member whom the roll does not name.
const NotNamed = "none"

// OrNone converts a position or a name to the form of Becomes: nil for [NotNamed].
func OrNone(value string) *string {
	if strings.EqualFold(value, NotNamed) {
		return nil
	}
	return &value
}

// A Correction replaces a parsed value of a vote or an item.
type Correction struct {
	ID      int64   `json:"id" db:"correction_id"`
	Kind    Kind    `json:"kind" db:"kind"`
	Meeting int64   `json:"meeting_id" db:"iqm2_id"`
	ItemID  *int64  `json:"item_id" db:"item_id"`
	VoteID  *int64  `json:"vote_id" db:"vote_id"`
	Member  *string `json:"member" db:"member"` // set if Kind is Position or Person
	// Was is the value read when the correction was made, Becomes the published one. Nil means no
	// mover, or a member whom the roll does not name. For Missing and Doubled, Was is the number of
	// votes that were read for the item.
	Was        *string      `json:"was" db:"was"`
	Becomes    *string      `json:"becomes" db:"becomes"`
	Missing    *MissingVote `json:"vote,omitempty" db:"missing"`
	Withdraws  *int64       `json:"withdraws,omitempty" db:"withdraws"`
	AnomalyID  *int64       `json:"anomaly_id" db:"anomaly_id"`
	DocumentID *int64       `json:"-" db:"document_id"`
	Document   string       `json:"document" db:"rests_on"`
	Author     string       `json:"author" db:"author"`
	Reason     string       `json:"reason" db:"reason"`
	MadeAt     time.Time    `json:"made_at" db:"made_at"`
	// State comes from the view council.correction_state, which alone defines it: in_force, superseded
	// or withdrawn. It is "" for a withdrawal, and for a correction that is not stored.
	State string `json:"-" db:"state"`
}

// A MissingVote is a vote that the parser missed, as the clerk states it.
type MissingVote struct {
	Item *NewItem `json:"item,omitempty"` // if missed too; its id is the correction's
	council.Vote
}

// MarshalJSON keeps the printed order of the roll.
func (v MissingVote) MarshalJSON() ([]byte, error) {
	type plain MissingVote
	return json.Marshal(struct {
		plain
		Roll []council.RollEntry `json:"positions"`
	}{plain(v), v.Roll})
}

// A NewItem is an agenda item that the parser missed. It exists while the correction is in force.
type NewItem struct {
	Title      string  `json:"title"`
	Number     *string `json:"number"` // as printed: "7."
	FileNumber *string `json:"file_number"`
	Section    *string `json:"section"` // the heading above the item
	Consent    bool    `json:"consent"`
	After      *int64  `json:"after"` // id of the item before it; nil at the end of the agenda
}

// Add adds a position to the roll, and counts it in the tally.
func (v *MissingVote) Add(member string, position council.Position) {
	v.Roll = append(v.Roll, council.RollEntry{Member: member, Position: position})
	switch position {
	case council.Aye:
		v.AyesCount++
	case council.Nay:
		v.NaysCount++
	}
}

// Value returns the value in a vote that the correction replaces, or nil for nobody.
func (c *Correction) Value(v *council.Vote) *string {
	switch c.Kind {
	case Result:
		return council.Some(string(v.Result))
	case Mover:
		return v.Mover
	case Seconder:
		return v.Seconder
	case Ayes:
		return council.Some(strconv.Itoa(v.AyesCount))
	case Nays:
		return council.Some(strconv.Itoa(v.NaysCount))
	}
	if at := v.Roll.Index(council.Text(c.Member)); at >= 0 {
		return council.Some(string(v.Roll[at].Position))
	}
	return nil
}

// Replace sets the value of a vote. It does not change a shared roll in place.
func (c *Correction) Replace(v *council.Vote) {
	switch c.Kind {
	case Result:
		v.Result = council.Result(council.Text(c.Becomes))
	case Mover:
		v.Mover = c.Becomes
	case Seconder:
		v.Seconder = c.Becomes
	case Ayes:
		v.AyesCount = Count(c.Becomes)
	case Nays:
		v.NaysCount = Count(c.Becomes)
	case Position:
		v.Roll = withPosition(v.Roll, *c.Member, c.Becomes)
	}
}

// withPosition returns a roll in which a member has another position. It appends a member whom the
// roll does not name, and removes the member if position is nil.
func withPosition(roll council.Roll, member string, position *string) council.Roll {
	at := roll.Index(member)
	switch {
	case position == nil && at < 0:
		return roll
	case position == nil && len(roll) == 1:
		return nil // the tables return nil for an empty roll
	case position == nil:
		return slices.Delete(slices.Clone(roll), at, at+1)
	}
	roll = slices.Clone(roll)
	if at < 0 {
		return append(roll, council.RollEntry{Member: member, Position: council.Position(*position)})
	}
	roll[at].Position = council.Position(*position)
	return roll
}

// Count returns a number that [Correction.Check] has accepted.
func Count(value *string) int {
	n, _ := strconv.Atoi(council.Text(value))
	return n
}

// Names lists the people whom a correction adds.
func (c *Correction) Names() []string {
	all := []string{council.Text(c.Member)}
	if c.Kind == Mover || c.Kind == Seconder {
		all = append(all, council.Text(c.Becomes))
	}
	if c.Missing != nil {
		all = append(all, c.Missing.Names()...)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// InForce reports whether the correction was in force when it was read: it was neither withdrawn
// nor superseded by a newer one of the same value.
func (c Correction) InForce() bool { return c.State == "in_force" }

// Check trims and checks a correction. Its error is a *[Fault].
func (c *Correction) Check() error {
	k := &checker{}
	k.text("author", &c.Author, maxAuthor, true)
	k.text("reason", &c.Reason, maxReason, true)
	k.text("document", &c.Document, maxDocument, true)
	k.name("member", c.Member)
	switch c.Kind {
	case Title:
		k.text("title", c.Becomes, council.MaxTitle, true)
		k.require(c.Becomes != nil, "title", "is required")
	case Person:
		k.text("body", c.Becomes, council.MaxLabel, true)
		k.require(c.Member != nil, "member", "is required")
	case Mover, Seconder:
		k.name(string(c.Kind), c.Becomes)
	case Result:
		k.oneOf("result", council.Text(c.Becomes), council.Result("").Values())
	case Position:
		if c.Becomes != nil {
			k.oneOf("position", *c.Becomes, council.Position("").Values())
		}
	case Ayes, Nays:
		n, err := strconv.Atoi(council.Text(c.Becomes))
		k.require(err == nil && n >= 0 && n <= council.MaxTally && strconv.Itoa(n) == *c.Becomes, string(c.Kind),
			"must be a number from 0 to %d", council.MaxTally)
	case Missing:
		k.vote(c.Missing)
	}
	return k.fault
}

// A checker keeps the first fault of a statement.
type checker struct{ fault error }

func (k *checker) require(holds bool, field, format string, args ...any) {
	if k.fault == nil && !holds {
		k.fault = &Fault{field, fmt.Sprintf(format, args...)}
	}
}

// text trims and checks a text, unless it is nil.
func (k *checker) text(field string, text *string, longest int, required bool) {
	if k.fault == nil && text != nil {
		*text, k.fault = checkText(field, *text, longest, required)
	}
}

func (k *checker) name(field string, text *string) {
	k.text(field, text, maxAuthor, true)
	k.require(text == nil || council.FoldName(*text) != "", field, "is not a name")
}

func (k *checker) oneOf(field, text string, words []string) {
	k.require(slices.Contains(words, text), field, "must be one of %v, not %q", words, text)
}

func (k *checker) vote(v *MissingVote) {
	k.text("motion", &v.MotionText, council.MaxMotion, false)
	k.text("printed result", &v.ResultRaw, council.MaxLabel, true)
	k.oneOf("result", string(v.Result), council.Result("").Values())
	k.name("mover", v.Mover)
	k.name("seconder", v.Seconder)
	if it := v.Item; it != nil {
		k.text("title", &it.Title, council.MaxTitle, true)
		k.text("number", it.Number, council.MaxLabel, true)
		k.text("file number", it.FileNumber, council.MaxLabel, true)
		k.text("section", it.Section, council.MaxLabel, true)
	}
	k.require(min(v.AyesCount, v.NaysCount) >= 0 && max(v.AyesCount, v.NaysCount) <= council.MaxTally, "tally",
		"must count from 0 to %d", council.MaxTally)
	k.require(v.Page == nil || *v.Page >= 1 && *v.Page <= 100_000, "page", "must be a page of the minutes, from 1")
	k.require(len(v.Roll) <= council.MaxRoll, "position", "names more than %d members", council.MaxRoll)
	seen := map[string]bool{}
	for i := range v.Roll {
		e := &v.Roll[i]
		k.name("position", &e.Member)
		k.oneOf("position", string(e.Position), council.Position("").Values())
		key := council.FoldName(e.Member)
		k.require(!seen[key], "position", "%s is named twice", e.Member)
		seen[key] = true
	}
}

const selectCorrections = `
	SELECT c.correction_id, c.kind, c.iqm2_id, c.item_id, c.vote_id, c.member, c.was, c.becomes, c.missing, c.withdraws,
	       c.anomaly_id, c.document_id, c.rests_on, c.author, c.reason, c.made_at, coalesce(s.state, '') AS state
	FROM council.correction c
	LEFT JOIN council.correction_state s ON s.correction_id = c.correction_id AND NOT s.published
	WHERE ($1::bigint IS NULL OR c.iqm2_id = $1)
	ORDER BY c.correction_id`

// Corrections returns the corrections of a meeting, or of all meetings if meeting is nil, oldest
// first. It includes withdrawals.
func Corrections(ctx context.Context, db pg.Querier, meeting *int64) ([]Correction, error) {
	all, err := pg.List[Correction](ctx, db, selectCorrections, meeting)
	if err != nil {
		return nil, fmt.Errorf("read corrections: %w", err)
	}
	return all, nil
}

// AddCorrections stores all corrections or none, and sets their ids and those of missing votes and
// items. It returns [ErrConflict] if there are newer statements than seen.
func AddCorrections(ctx context.Context, db *pgxpool.Pool, all []Correction, now time.Time, seen *Seen) error {
	for i := range all {
		if err := all[i].Check(); err != nil {
			return err
		}
	}
	err := add(ctx, db, seen, func(tx pgx.Tx) error {
		for i := range all {
			all[i].MadeAt = now
			if err := all[i].insert(ctx, tx, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store corrections: %w", err)
	}
	return nil
}

// insert adds a correction with a new id, or with its own id if column is "correction_id, ". It sets
// the ids that were missing.
func (c *Correction) insert(ctx context.Context, tx pgx.Tx, column string) error {
	var key *string
	if c.Member != nil {
		key = new(council.FoldName(*c.Member))
	}
	args := []any{string(c.Kind), c.Meeting, c.ItemID, c.VoteID, c.Member, key, c.Was, c.Becomes, c.Missing, c.Withdraws,
		c.AnomalyID, c.DocumentID, c.Document, c.Author, c.Reason, c.MadeAt}
	value := ""
	if column != "" {
		args, value = append(args, c.ID), "$17, "
	}
	return tx.QueryRow(ctx, `
		INSERT INTO council.correction (`+column+`kind, iqm2_id, item_id, vote_id, member, member_key, was, becomes, missing,
		  withdraws, anomaly_id, document_id, rests_on, author, reason, made_at)
		OVERRIDING SYSTEM VALUE
		VALUES (`+value+`$1, $2, CASE WHEN $1 = 'vote_missing' AND $3::bigint IS NULL
		  THEN nextval(pg_get_serial_sequence('council.item', 'id')) ELSE $3 END, CASE WHEN $1 = 'vote_missing'
		    AND $4::bigint IS NULL THEN nextval(pg_get_serial_sequence('council.vote', 'id')) ELSE $4 END,
		        $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		RETURNING correction_id, item_id, vote_id`, args...).Scan(&c.ID, &c.ItemID, &c.VoteID)
}

// With returns the corrections of a meeting as if more were stored, which have their own ids. It
// stores them in a savepoint and rolls it back.
func With(ctx context.Context, tx pgx.Tx, meeting int64, more []Correction) ([]Correction, error) {
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to try corrections: %w", err)
	}
	defer func() { _ = savepoint.Rollback(ctx) }() // does nothing after the rollback below
	for i := range more {
		if err := more[i].insert(ctx, savepoint, "correction_id, "); err != nil {
			return nil, fmt.Errorf("try corrections: %w", err)
		}
	}
	all, err := Corrections(ctx, savepoint, &meeting)
	if err != nil {
		return nil, err
	}
	if err := savepoint.Rollback(ctx); err != nil {
		return nil, fmt.Errorf("take tried corrections back: %w", err)
	}
	return all, nil
}

// Withdrawal returns the correction that withdraws another one, for AddCorrections.
func Withdrawal(ctx context.Context, db pg.Querier, which int64, author, reason string) (Correction, error) {
	all, err := Corrections(ctx, db, nil)
	if err != nil {
		return Correction{}, err
	}
	at := slices.IndexFunc(all, func(c Correction) bool { return c.ID == which })
	switch {
	case at < 0 || all[at].Kind == Withdrawn:
		return Correction{}, fmt.Errorf("find correction %d: %w", which, ErrNotFound)
	case slices.ContainsFunc(all, func(c Correction) bool { return council.OrZero(c.Withdraws) == which }):
		return Correction{}, fmt.Errorf("withdraw correction %d: %w", which, ErrWithdrawn)
	}
	of := all[at]
	return Correction{Kind: Withdrawn, Meeting: of.Meeting, ItemID: of.ItemID, VoteID: of.VoteID, Withdraws: &which,
		Document: of.Document, Author: author, Reason: reason}, nil
}

// Unapplied returns the meetings with corrections that readers do not see yet.
func Unapplied(ctx context.Context, db pg.Querier) ([]int64, error) {
	meetings, err := pg.Column[int64](ctx, db, `
		SELECT c.iqm2_id FROM council.correction c LEFT JOIN council.uncorrected l USING (iqm2_id)
		WHERE EXISTS (SELECT FROM council.meeting m WHERE m.iqm2_id = c.iqm2_id)
		GROUP BY c.iqm2_id, l.correction_id HAVING max(c.correction_id) > coalesce(l.correction_id, 0)
		ORDER BY c.iqm2_id`)
	if err != nil {
		return nil, fmt.Errorf("read meetings with unapplied corrections: %w", err)
	}
	return meetings, nil
}

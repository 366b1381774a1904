package councilcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
)

// Correct has the sub-commands of `townline council correct`.
type Correct struct {
	Vote     correctVoteCmd     `cmd:"" help:"Correct positions, result, tally, mover or seconder of a vote."`
	Item     correctItemCmd     `cmd:"" help:"Correct the title of an agenda item."`
	Missing  correctMissingCmd  `cmd:"" help:"Add a missing vote."`
	Unread   correctUnreadCmd   `cmd:"" help:"Add a missing agenda item, with its vote."`
	Doubled  correctDoubledCmd  `cmd:"" help:"Remove a duplicate vote."`
	Person   correctPersonCmd   `cmd:"" help:"Decide whether the same name on two bodies is one person."`
	Withdraw correctWithdrawCmd `cmd:"" help:"Withdraw a correction."`
	List     correctListCmd     `cmd:"" help:"List corrections, including withdrawn ones."`
}

func (*Correct) Help() string {
	return `A correction changes a published vote. It has your name, a reason and a document as proof, and overrides
every later parse of the minutes until you withdraw it. Readers see that the vote was corrected. If a later
parse differs from the corrected one, the correction stays in force, and the anomaly correction-conflict
asks you to check it. Nothing is overwritten or deleted; ids stay. --dry-run shows the change without
storing it.

  townline council correct vote 17 --position 'Jane Doe=nay' --by 'Ann Clerk' --reason 'read from the wrong row' --document 'minutes, page 4'
  townline council correct item 9 --title 'Housing Plan' --by 'Ann Clerk' --reason 'misspelt' --document 'agenda'
  townline council correct person 7 'Jo Doe' --same-as city-council --by 'Ann Clerk' --reason oath --document roster
  townline council correct withdraw 3 --by 'Ann Clerk' --reason 'the minutes were right'`
}

// attribution has the flags that every correction needs.
type attribution struct {
	By       string `required:"" placeholder:"NAME" help:"Your name and office; it is public."`
	Reason   string `required:"" help:"Why it is wrong; it is public."`
	Document string `required:"" help:"Proof: name, address or page of a document; it is public."`
	Anomaly  *int64 `placeholder:"ID" help:"The anomaly that the correction resolves."`
	NewName  bool   `help:"Accept names of people who are not members yet."`
	dryRun
}

type dryRun struct {
	DryRun bool `help:"Show the change without storing it."`
	JSON   bool `name:"json" help:"Print JSON."`
}

// correct stores corrections, and prints the changes and when readers will see them.
func (c *attribution) correct(s *session.Session, all []clerk.Correction) error {
	for i := range all {
		all[i].Author, all[i].Reason = c.By, c.Reason
		all[i].Document, all[i].AnomalyID = c.Document, c.Anomaly
	}
	return s.With("council-correct", func(deps run.Deps) error {
		done, err := councilingest.Correct(s.Ctx, deps, all,
			councilingest.CorrectOptions{NewNames: c.NewName, DryRun: c.DryRun})
		if errors.Is(err, councilingest.ErrUnknownName) {
			return fmt.Errorf("%w; check the spelling, or add --new-name", err)
		}
		if errors.Is(err, clerk.ErrNotFound) && len(all) > 0 {
			err = fmt.Errorf("%s%w", subject(all[0]), err)
		}
		return c.dryRun.report(s, done, err)
	}, schema.Council)
}

// subject names the vote, item or person of a correction, for errors.
func subject(c clerk.Correction) string {
	switch {
	case c.VoteID != nil:
		return fmt.Sprintf("vote %d: ", *c.VoteID)
	case c.ItemID != nil:
		return fmt.Sprintf("item %d: ", *c.ItemID)
	}
	return fmt.Sprintf("meeting %d: ", c.Meeting)
}

// report prints the result of corrections. It also prints corrections that were stored but not
// applied.
func (c *dryRun) report(s *session.Session, done councilingest.Corrected, err error) error {
	if err != nil && !done.Stored {
		return err
	}
	if c.JSON {
		return errors.Join(s.Print(true, done, ""), err)
	}
	for _, d := range done.Differences {
		fmt.Fprint(s.Stdout, d)
	}
	isPerson := func(k clerk.Correction) bool { return k.Kind == clerk.Person }
	if len(done.Differences) == 0 && !slices.ContainsFunc(done.Corrections, isPerson) {
		fmt.Fprintln(s.Stdout, "no vote changes: it is read like that already")
	}
	switch {
	case !done.Stored:
		fmt.Fprintln(s.Stdout, "nothing is stored: this is a dry run")
	case err != nil:
		fmt.Fprintln(s.Stdout, stored(done)+", but not applied yet; council-ingest tries again")
	case done.Live:
		fmt.Fprintln(s.Stdout, stored(done)+"; readers see it now")
	default:
		fmt.Fprintln(s.Stdout, stored(done)+"; readers see it in a few seconds, when council-ingest has applied it")
	}
	return err
}

func stored(done councilingest.Corrected) string {
	var ids []string
	for _, c := range done.Corrections {
		ids = append(ids, strconv.FormatInt(c.ID, 10))
	}
	if len(ids) == 1 {
		return "stored as correction " + ids[0]
	}
	return "stored as corrections " + strings.Join(ids, ", ")
}

type correctVoteCmd struct {
	ID       int64             `arg:"" help:"The vote: its id in the API."`
	Position map[string]string `mapsep:"none" placeholder:"NAME=POSITION" help:"Position of a member: aye, nay, abstain, absent, recused, or none if the roll does not name the member. Repeatable."`
	Result   string            `placeholder:"RESULT" help:"adopted, failed, tabled, continued, no_action or other."`
	Ayes     *int              `placeholder:"N" help:"Ayes of the tally. Default: counted from the roll, if the two agreed before."`
	Nays     *int              `placeholder:"N" help:"Nays of the tally."`
	Mover    string            `placeholder:"NAME" help:"The mover, or none."`
	Seconder string            `placeholder:"NAME" help:"The seconder, or none."`
	attribution
}

func (c *correctVoteCmd) Run(s *session.Session) error {
	var all []clerk.Correction
	add := func(kind clerk.Kind, value *string) {
		all = append(all, clerk.Correction{Kind: kind, VoteID: &c.ID, Becomes: value})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Position)) {
		add(clerk.Position, clerk.OrNone(c.Position[name]))
		all[len(all)-1].Member = &name
	}
	for _, f := range []struct {
		kind  clerk.Kind
		value string
	}{{clerk.Result, c.Result}, {clerk.Mover, c.Mover}, {clerk.Seconder, c.Seconder}} {
		if f.value != "" {
			add(f.kind, clerk.OrNone(f.value))
		}
	}
	for _, f := range []struct {
		kind  clerk.Kind
		value *int
	}{{clerk.Ayes, c.Ayes}, {clerk.Nays, c.Nays}} {
		if f.value != nil {
			add(f.kind, new(strconv.Itoa(*f.value)))
		}
	}
	if len(all) == 0 {
		return errors.New("say what to correct: --position, --result, --ayes, --nays, --mover or --seconder")
	}
	return c.correct(s, all)
}

type correctItemCmd struct {
	ID    int64  `arg:"" help:"The agenda item: its id in the API."`
	Title string `required:"" help:"The title."`
	attribution
}

func (c *correctItemCmd) Run(s *session.Session) error {
	return c.correct(s, []clerk.Correction{{Kind: clerk.Title, ItemID: &c.ID, Becomes: &c.Title}})
}

type correctMissingCmd struct {
	Item int64 `arg:"" help:"The agenda item of the vote: its id in the API."`
	newVote
	attribution
}

func (c *correctMissingCmd) Run(s *session.Session) error {
	return c.correct(s, []clerk.Correction{{Kind: clerk.Missing, ItemID: &c.Item, Missing: c.vote()}})
}

type correctUnreadCmd struct {
	Meeting int64  `arg:"" help:"The meeting: its id in the API."`
	Title   string `required:"" help:"The item's title."`
	Number  string `help:"Its number as printed: '7.'."`
	File    string `help:"File number of the city."`
	Section string `help:"The heading above it."`
	Consent bool   `help:"It is on the consent calendar."`
	After   *int64 `placeholder:"ITEM" help:"Insert it after this item: its id in the API. Default: at the end."`
	newVote
	attribution
}

func (c *correctUnreadCmd) Run(s *session.Session) error {
	v := c.vote()
	v.Item = &clerk.NewItem{Title: c.Title, Number: council.Some(c.Number), FileNumber: council.Some(c.File),
		Section: council.Some(c.Section), Consent: c.Consent, After: c.After}
	return c.correct(s, []clerk.Correction{{Kind: clerk.Missing, Meeting: c.Meeting, Missing: v}})
}

// newVote has the flags of a vote that the parser missed.
type newVote struct {
	Result     string            `required:"" help:"adopted, failed, tabled, continued, no_action or other."`
	Printed    string            `required:"" placeholder:"TEXT" help:"The result as the document prints it: 'ADOPTED [4 TO 1]'."`
	Motion     string            `help:"The motion in the words of the document."`
	Ayes       *int              `placeholder:"N" help:"Ayes of the tally; default: those of --position."`
	Nays       *int              `placeholder:"N" help:"Nays of the tally; default: those of --position."`
	Mover      string            `placeholder:"NAME" help:"Who moved."`
	Seconder   string            `placeholder:"NAME" help:"Who seconded."`
	ViaConsent bool              `help:"Taken with the consent calendar."`
	Page       *int              `placeholder:"N" help:"Page of the minutes, from 1."`
	Position   map[string]string `mapsep:"none" placeholder:"NAME=POSITION" help:"Position of a member. Repeatable."`
}

func (c *newVote) vote() *clerk.MissingVote {
	v := &clerk.MissingVote{Vote: council.Vote{MotionText: c.Motion, Result: council.Result(c.Result),
		ResultRaw: c.Printed, ViaConsent: c.ViaConsent, Page: c.Page,
		Mover:    clerk.OrNone(cmp.Or(c.Mover, clerk.NotNamed)),
		Seconder: clerk.OrNone(cmp.Or(c.Seconder, clerk.NotNamed))}}
	for _, name := range slices.Sorted(maps.Keys(c.Position)) {
		v.Add(name, council.Position(c.Position[name]))
	}
	if c.Ayes != nil {
		v.AyesCount = *c.Ayes
	}
	if c.Nays != nil {
		v.NaysCount = *c.Nays
	}
	return v
}

type correctDoubledCmd struct {
	ID int64 `arg:"" help:"The vote to remove: its id in the API. The other one stays."`
	attribution
}

func (c *correctDoubledCmd) Run(s *session.Session) error {
	return c.correct(s, []clerk.Correction{{Kind: clerk.Doubled, VoteID: &c.ID}})
}

type correctPersonCmd struct {
	Meeting int64  `arg:"" help:"The meeting of the anomaly same-name-on-two-bodies."`
	Name    string `arg:"" help:"The name that occurs on both bodies."`
	SameAs  string `required:"" xor:"who" placeholder:"BODY" help:"The name is the same person as on this body, given by its slug in /v1/bodies. The member with the older id stays; the other id is retired."`
	Another bool   `required:"" xor:"who" help:"The two are different people; each has an id."`
	attribution
}

func (c *correctPersonCmd) Run(s *session.Session) error {
	return c.correct(s, []clerk.Correction{{Kind: clerk.Person, Meeting: c.Meeting, Member: &c.Name,
		Becomes: council.Some(c.SameAs)}})
}

type correctWithdrawCmd struct {
	ID     int64  `arg:"" help:"The correction."`
	By     string `required:"" placeholder:"NAME" help:"Your name and office; it is public."`
	Reason string `required:"" help:"Why it is withdrawn; it is public."`
	dryRun
}

func (c *correctWithdrawCmd) Run(s *session.Session) error {
	return s.With("council-correct", func(deps run.Deps) error {
		done, err := councilingest.Withdraw(s.Ctx, deps, c.ID, c.By, c.Reason, councilingest.CorrectOptions{DryRun: c.DryRun})
		return c.report(s, done, err)
	}, schema.Council)
}

type correctListCmd struct {
	Meeting *int64 `placeholder:"ID" help:"List only corrections of this meeting."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (c *correctListCmd) Run(s *session.Session) error {
	return s.With("council-correct", func(deps run.Deps) error {
		all, err := clerk.Corrections(s.Ctx, deps.DB, c.Meeting)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.Print(true, append([]clerk.Correction{}, all...), "")
		}
		for _, one := range all {
			printCorrection(s.Stdout, one)
		}
		if len(all) == 0 {
			fmt.Fprintln(s.Stdout, "there are no corrections")
		}
		return nil
	}, schema.Council)
}

func printCorrection(w io.Writer, c clerk.Correction) {
	about, state := fmt.Sprintf("meeting %d", c.Meeting), "does not hold any more"
	if c.InForce() {
		state = "in force"
	}
	switch {
	case c.VoteID != nil:
		about += fmt.Sprintf(", vote %d", *c.VoteID)
	case c.ItemID != nil:
		about += fmt.Sprintf(", item %d", *c.ItemID)
	}
	what := string(c.Kind)
	switch {
	case c.Kind == clerk.Withdrawn:
		what, state = fmt.Sprintf("correction %d withdrawn", *c.Withdraws), "final"
	case c.Kind != clerk.Missing && c.Kind != clerk.Doubled:
		if c.Member != nil {
			what += " of " + *c.Member
		}
		what += fmt.Sprintf(": %s -> %s", cmp.Or(council.Text(c.Was), clerk.NotNamed),
			cmp.Or(council.Text(c.Becomes), clerk.NotNamed))
	}
	fmt.Fprintf(w, "%d  %s: %s (%s)\n    %s by %s: %s; %s\n", c.ID, about, what, state,
		c.MadeAt.UTC().Format("2006-01-02 15:04"), c.Author, c.Reason, c.Document)
}

package classify

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pgtest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// sure returns the confidence of the term list about an item of newTown.
func sure(title string) string {
	return fmt.Sprint(NewKeywords().Label(Input{"Business", title}).Confidence)
}

var titles = []string{"Adopt the Resolution", "Replacement of the Sewer Main on Birch Street",
	"Proclamation of Arbor Day", "Replacement of the Sewer Main on Birch Street"}

func TestRunWithoutAModel(t *testing.T) {
	t.Parallel()
	deps := newTown(t, titles...)
	nats := pgtest.NATS(t)
	bus, err := events.Open(events.Options{Dial: nats.Connect, Name: t.Name()}, deps.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	heard := make(chan *eventsv1.CouncilChanged, 8)
	if err := events.Subscribe(t.Context(), bus, func(m *eventsv1.CouncilChanged) { heard <- m }); err != nil {
		t.Fatal(err)
	}
	if err := bus.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	deps.Events = bus
	if sum := mustRun(t, deps, settings.Classifier{}); sum.Asked != 3 || sum.Labelled != 3 || sum.Left {
		t.Errorf("%+v", sum)
	}
	want := []string{
		"1|-|-|-|-",
		"2|utilities|" + sure(titles[1]) + "|-|townline-keywords-2|utilities",
		"3|other|" + sure(titles[2]) + "|-|townline-keywords-2|other",
		"4|utilities|" + sure(titles[3]) + "|-|townline-keywords-2|utilities",
	}
	if d := cmp.Diff(want, labels(t, deps.DB)); d != "" {
		t.Error(d)
	}
	if got := generation(t, deps.DB); got != "1" {
		t.Errorf("the generation is %s", got)
	}
	if m := <-heard; m.Generation != 1 {
		t.Errorf("the announcement is %v", m)
	}
	mustTally(t, deps.DB)
	// A second run does not change times or the generation.
	before := state(t, deps.DB)
	if sum := mustRun(t, deps, settings.Classifier{}); sum.Asked+sum.Labelled != 0 {
		t.Errorf("the second run: %+v", sum)
	}
	if d := cmp.Diff(before, state(t, deps.DB)); d != "" {
		t.Error(d)
	}
	// A changed wording makes a new question. The answer to the old question remains stored, with
	// its time.
	at := list(t, deps.DB, `SELECT classified_at::text FROM council.item WHERE id = 2`)[0]
	must(t, deps.DB, `UPDATE council.answer SET answered_at = answered_at - interval '1 day'`)
	mustRun(t, deps, settings.Classifier{})
	must(t, deps.DB, `UPDATE council.item SET title = 'Salary Schedule' WHERE id = 2`)
	if sum := mustRun(t, deps, settings.Classifier{}); sum.Asked != 1 || sum.Labelled != 1 {
		t.Errorf("run after another wording: %+v", sum)
	}
	mustTally(t, deps.DB)
	must(t, deps.DB, `UPDATE council.item SET title = $1 WHERE id = 2`, titles[1])
	if sum := mustRun(t, deps, settings.Classifier{}); sum.Asked != 0 || sum.Labelled != 1 {
		t.Errorf("run after the old wording returned: %+v", sum)
	}
	if got := list(t, deps.DB, `SELECT (classified_at + interval '1 day')::text FROM council.item
		WHERE id = 2`)[0]; got != at {
		t.Errorf("classified at %s, then %s", at, got)
	}
	mustTally(t, deps.DB)
}

func TestRunWithAModel(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, append(titles, "Contract with Ada Finch for $5,000", "Salary Schedule")...), newModel(t)
	mustRun(t, deps, settings.Classifier{}) // the term list was used before
	keywords := labels(t, deps.DB)
	model.say("Adopt the", claimed("none", "", nil))
	model.say("Sewer Main", "```json\n"+claimed("utilities", "Sewer Main", "Replaces the sewer main on Birch Street.")+
		"\n```")
	model.say("Ada Finch", claimed("contracts-procurement", "Contract with Ada Finch", "Contracts with Ada Finch for "+
		"$50,000."))
	model.say("Salary", claimed("budget-finance", "Salary Schedule", "Adopts the salary schedule, five ayes."))
	sum := mustRun(t, deps, model.settings())
	if sum.Asked != 5 || sum.Failed != 0 || sum.Left || sum.Refused[SummaryFigure] != 2 ||
		sum.Refused[SummaryResult] != 1 {
		t.Errorf("%+v", sum)
	}
	// If the list disagrees with confidence c, the confidence in the model's topic is 1-c.
	doubt := fmt.Sprint(math.Round(100-100*NewKeywords().Label(Input{"Business", "Salary Schedule"}).Confidence) / 100)
	want := []string{
		"1|-|-|-|-",
		"2|utilities|" + sure(titles[1]) + "|Replaces the sewer main on Birch Street.|fake-model-7|utilities",
		"3|other|" + sure(titles[2]) + "|-|fake-model-7|other",
		"4|utilities|" + sure(titles[3]) + "|Replaces the sewer main on Birch Street.|fake-model-7|utilities",
		"5|contracts-procurement|-|-|fake-model-7|contracts-procurement",
		"6|budget-finance|" + doubt + "|-|fake-model-7|budget-finance",
	}
	if d := cmp.Diff(want, labels(t, deps.DB)); d != "" {
		t.Error(d)
	}
	mustTally(t, deps.DB)
	for question, n := range model.questions() {
		if n != 1 {
			t.Errorf("asked %d times: %s", n, question)
		}
	}
	// A second run asks no questions and changes nothing.
	before := state(t, deps.DB)
	if sum := mustRun(t, deps, model.settings()); sum.Asked+sum.Labelled != 0 || model.count() != 5 {
		t.Errorf("second run: %+v, %d questions in total", sum, model.count())
	}
	if d := cmp.Diff(before, state(t, deps.DB)); d != "" {
		t.Error(d)
	}
	// Without the model, the term list is used again. The stored answers remain, so that the model is
	// not asked again later.
	if sum := mustRun(t, deps, settings.Classifier{}); sum.Asked != 0 {
		t.Errorf("run without the model: %+v", sum)
	}
	if d := cmp.Diff(keywords, labels(t, deps.DB)); d != "" {
		t.Error(d)
	}
	if sum := mustRun(t, deps, model.settings()); sum.Asked != 0 || model.count() != 5 {
		t.Errorf("second run with the model: %+v", sum)
	}
	if d := cmp.Diff(before[:6], state(t, deps.DB)[:6]); d != "" {
		t.Error(d)
	}
	// Another model is another classifier. Items keep their labels until the new model has answered.
	other := model.settings()
	other.Model, other.PerRun = "other-model", 1
	if sum := mustRun(t, deps, other); sum.Asked != 1 || !sum.Left {
		t.Errorf("run with another model: %+v", sum)
	}
	if got := strings.Join(labels(t, deps.DB), " "); strings.Count(got, "fake-model-7") < 3 {
		t.Errorf("labels of the previous model are gone: %s", got)
	}
	kept := list(t, deps.DB, `SELECT model || ' ' || count(*) FROM council.answer GROUP BY model ORDER BY model`)
	if d := cmp.Diff([]string{"fake-model 5", "other-model 1", "townline-keywords-2 5"}, kept); d != "" {
		t.Error(d)
	}
	mustTally(t, deps.DB)
}

// Stricter guards apply to a model's old answers, without new requests.
func TestRunJudgesOldAnswersAgain(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, titles...), newModel(t)
	model.say("Sewer Main", claimed("utilities", "Sewer Main", "Replaces the sewer main on Birch Street."))
	mustRun(t, deps, model.settings())
	want := labels(t, deps.DB)
	must(t, deps.DB, `UPDATE council.answer SET judged = '0', topic = 'housing', summary = 'Shown by other guards.',
		refused = '{malformed}'`)
	mustRun(t, deps, model.settings())
	if d := cmp.Diff(want, labels(t, deps.DB)); d != "" || model.count() != 3 {
		t.Errorf("%d questions in total; labels (-want +got)\n%s", model.count(), d)
	}
	if left := list(t, deps.DB, `SELECT refused::text FROM council.answer WHERE refused <> '{}'
		OR judged = '0'`); len(left) > 0 {
		t.Errorf("answers that were not judged again: %v", left)
	}
}

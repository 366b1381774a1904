package classify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// newTown is a database with one meeting of the given titles. Every item but the first has two votes, on which a and b part.
func newTown(t *testing.T, titles ...string) run.Deps {
	t.Helper()
	db := pgtest.New(t)
	must(t, db, `INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status) VALUES (1, 'C', 'regular', 'R', '2026-03-10', '2026-03-10 18:00Z', 'C', 'complete')`)
	must(t, db, `INSERT INTO council.member (id, name_key, full_name, last_name) VALUES (1, 'a', 'A', 'A'), (2, 'b', 'B', 'B')`)
	for i, title := range titles {
		addItem(t, db, i+1, title)
	}
	must(t, db, `
		INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result, result_raw, ayes_count, nays_count, unanimous, via_consent, parse_source, parsed_at)
		SELECT 10 * id + n, id, 1, meeting_date, starts_at, 10 * id + n, n, '', 'adopted', 'ADOPTED', 1, 1, false, false, 'pdf', now() FROM council.item, generate_series(1, 2) n WHERE id > 1`)
	must(t, db, `
		INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date, starts_at, ord, position)
		SELECT v.id, b.id, 1, meeting_date, starts_at, b.id, CASE b.id WHEN 1 THEN 'aye' ELSE 'nay' END FROM council.vote v, council.member b`)
	must(t, db, `INSERT INTO council.member_tally SELECT member_id, topic, position, sum(votes), sum(dissents) FROM council.member_share GROUP BY 1, 2, 3`)
	return run.Deps{DB: db, Log: slog.New(slog.DiscardHandler)}
}

func addItem(t *testing.T, db *pgxpool.Pool, id int, title string) {
	t.Helper()
	must(t, db, `INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, section, title, is_consent) SELECT $1::int, 1, meeting_date, starts_at, $1::int, 'Business', $2, false FROM council.meeting`, id, title)
}

func must(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// list returns the rows of a query of one text column.
func list(t *testing.T, db *pgxpool.Pool, sql string) []string {
	t.Helper()
	found, err := db.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// labels is what readers see of the items, and of the votes' topics.
func labels(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return list(t, db, `
		SELECT concat_ws('|', id, coalesce(topic, '-'), coalesce(topic_confidence::text, '-'), coalesce(summary, '-'), coalesce(classifier_model, '-'),
		                 (SELECT string_agg(DISTINCT coalesce(v.topic, '-'), ',') FROM council.vote v WHERE v.item_id = i.id))
		FROM council.item i ORDER BY id`)
}

// state is everything that readers see, times included.
func state(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return slices.Concat(list(t, db, `SELECT i::text FROM council.item i ORDER BY id`), list(t, db, `SELECT v::text FROM council.vote v ORDER BY id`),
		list(t, db, `SELECT a::text FROM council.answer a ORDER BY answer_id`), list(t, db, `SELECT d::text FROM council.dataset d`))
}

func generation(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return list(t, db, `SELECT generation::text FROM council.dataset`)[0]
}

// mustTally holds the kept tallies to sums made anew.
func mustTally(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	wrong := list(t, db, `
		WITH sums AS (SELECT member_id, topic, position, sum(votes)::bigint, sum(dissents)::bigint FROM council.member_share GROUP BY 1, 2, 3)
		SELECT x::text FROM ((TABLE sums EXCEPT TABLE council.member_tally) UNION ALL (TABLE council.member_tally EXCEPT TABLE sums)) x`)
	if len(wrong) > 0 {
		t.Errorf("tallies that are not the sum over votes: %v", wrong)
	}
}

func mustRun(t *testing.T, deps run.Deps, set Settings) Summary {
	t.Helper()
	sum, err := Run(t.Context(), deps, set)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// sure is the confidence of the list of terms in an item of newTown.
func sure(title string) string {
	return fmt.Sprint(NewKeywords().Label(Input{"Business", title}).Confidence)
}

var titles = []string{"Adopt the Resolution", "Replacement of the Sewer Main on Birch Street", "Proclamation of Arbor Day", "Replacement of the Sewer Main on Birch Street"}

func TestRunWithoutAModel(t *testing.T) {
	t.Parallel()
	deps := newTown(t, titles...)
	nats, err := natsd.Start(natsd.Options{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nats.Stop() }()
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
	if sum := mustRun(t, deps, Settings{}); sum.Asked != 3 || sum.Labelled != 3 || sum.Left {
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
		t.Errorf("generation %s", got)
	}
	if m := <-heard; m.Generation != 1 {
		t.Errorf("announced %v", m)
	}
	mustTally(t, deps.DB)
	// The same again moves nothing: no time, no generation.
	before := state(t, deps.DB)
	if sum := mustRun(t, deps, Settings{}); sum.Asked+sum.Labelled != 0 {
		t.Errorf("again: %+v", sum)
	}
	if d := cmp.Diff(before, state(t, deps.DB)); d != "" {
		t.Error(d)
	}
	// Another wording is another question; the old wording has its answer still, and its time.
	at := list(t, deps.DB, `SELECT classified_at::text FROM council.item WHERE id = 2`)[0]
	must(t, deps.DB, `UPDATE council.answer SET answered_at = answered_at - interval '1 day'`)
	mustRun(t, deps, Settings{})
	must(t, deps.DB, `UPDATE council.item SET title = 'Salary Schedule' WHERE id = 2`)
	if sum := mustRun(t, deps, Settings{}); sum.Asked != 1 || sum.Labelled != 1 {
		t.Errorf("another wording: %+v", sum)
	}
	mustTally(t, deps.DB)
	must(t, deps.DB, `UPDATE council.item SET title = $1 WHERE id = 2`, titles[1])
	if sum := mustRun(t, deps, Settings{}); sum.Asked != 0 || sum.Labelled != 1 {
		t.Errorf("the old wording: %+v", sum)
	}
	if got := list(t, deps.DB, `SELECT (classified_at + interval '1 day')::text FROM council.item WHERE id = 2`)[0]; got != at {
		t.Errorf("classified at %s, then %s", at, got)
	}
	mustTally(t, deps.DB)
}

// A fakeModel answers by title, and counts.
type fakeModel struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // by words of the question; what is missing is answered with a topic of "other"
	asked   map[string]int    // by question
	fail    func(n int, w http.ResponseWriter) bool
	n, now  int
	most    int // questions at a time
}

func newModel(t *testing.T) *fakeModel {
	m := &fakeModel{answers: map[string]string{}, asked: map[string]int{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// failWith lets fail see each question from now on, by number; true says that it has answered.
func (m *fakeModel) failWith(fail func(n int, w http.ResponseWriter) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fail
}

// say makes answer what comes back for questions that hold words.
func (m *fakeModel) say(words, answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[words] = answer
}

// count is how many questions there were.
func (m *fakeModel) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// crowd is how many questions there were at a time at most.
func (m *fakeModel) crowd() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most
}

// questions returns how often each question was asked.
func (m *fakeModel) questions() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.asked)
}

func (m *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) != 2 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	question := asked.Messages[1].Content
	m.mu.Lock()
	m.n++
	m.now++
	m.most = max(m.most, m.now)
	m.asked[question]++
	failed := m.fail != nil && m.fail(m.n, w)
	content := ""
	for words, answer := range m.answers {
		if strings.Contains(question, words) {
			content = answer
		}
	}
	m.mu.Unlock()
	defer func() { m.mu.Lock(); m.now--; m.mu.Unlock() }()
	if failed {
		return
	}
	if content == "" {
		_, title, _ := strings.Cut(question, "Title: ")
		title, _, _ = strings.Cut(title, "\n")
		content = claimed("other", title, nil)
	}
	writeCompletion(w, "fake-model-7", recordedAnswer{Content: content, In: 100, Out: 10})
}

func (m *fakeModel) settings() Settings {
	return Settings{URL: m.URL, Model: "fake-model", Key: secret, Concurrency: 3}
}

func TestRunWithAModel(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, append(titles, "Contract with Ada Finch for $5,000", "Salary Schedule")...), newModel(t)
	mustRun(t, deps, Settings{}) // the list of terms was here before
	keywords := labels(t, deps.DB)
	model.say("Adopt the", claimed("none", "", nil))
	model.say("Sewer Main", "```json\n"+claimed("utilities", "Sewer Main", "Replaces the sewer main on Birch Street.")+"\n```")
	model.say("Ada Finch", claimed("contracts-procurement", "Contract with Ada Finch", "Contracts with Ada Finch for $50,000."))
	model.say("Salary", claimed("budget-finance", "Salary Schedule", "Adopts the salary schedule, five ayes."))
	sum := mustRun(t, deps, model.settings())
	if sum.Asked != 5 || sum.Failed != 0 || sum.Left || sum.Refused[SummaryFigure] != 2 || sum.Refused[SummaryResult] != 1 {
		t.Errorf("%+v", sum)
	}
	// Where the list says something else with confidence c, the model is left with 1-c.
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
	// Nothing is asked again, nothing moves.
	before := state(t, deps.DB)
	if sum := mustRun(t, deps, model.settings()); sum.Asked+sum.Labelled != 0 || model.count() != 5 {
		t.Errorf("again: %+v, %d questions in all", sum, model.count())
	}
	if d := cmp.Diff(before, state(t, deps.DB)); d != "" {
		t.Error(d)
	}
	// Without the model the list of terms counts again, and no answer is lost: with it, no question is asked.
	if sum := mustRun(t, deps, Settings{}); sum.Asked != 0 {
		t.Errorf("without the model: %+v", sum)
	}
	if d := cmp.Diff(keywords, labels(t, deps.DB)); d != "" {
		t.Error(d)
	}
	if sum := mustRun(t, deps, model.settings()); sum.Asked != 0 || model.count() != 5 {
		t.Errorf("with the model again: %+v", sum)
	}
	if d := cmp.Diff(before[:6], state(t, deps.DB)[:6]); d != "" {
		t.Error(d)
	}
	// Another model is another classifier; until it has answered, items show what they showed.
	other := model.settings()
	other.Model, other.PerRun = "other-model", 1
	if sum := mustRun(t, deps, other); sum.Asked != 1 || !sum.Left {
		t.Errorf("another model: %+v", sum)
	}
	if got := strings.Join(labels(t, deps.DB), " "); strings.Count(got, "fake-model-7") < 3 {
		t.Errorf("labels of the model before are gone: %s", got)
	}
	kept := list(t, deps.DB, `SELECT model || ' ' || count(*) FROM council.answer GROUP BY model ORDER BY model`)
	if d := cmp.Diff([]string{"fake-model 5", "other-model 1", "townline-keywords-2 5"}, kept); d != "" {
		t.Error(d)
	}
	mustTally(t, deps.DB)
}

// Guards that get stricter are applied to what models wrote long ago, without asking them.
func TestRunJudgesOldAnswersAnew(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, titles...), newModel(t)
	model.say("Sewer Main", claimed("utilities", "Sewer Main", "Replaces the sewer main on Birch Street."))
	mustRun(t, deps, model.settings())
	want := labels(t, deps.DB)
	must(t, deps.DB, `UPDATE council.answer SET judged = '0', topic = 'housing', summary = 'Shown by other guards.', refused = '{malformed}'`)
	mustRun(t, deps, model.settings())
	if d := cmp.Diff(want, labels(t, deps.DB)); d != "" || model.count() != 3 {
		t.Errorf("%d questions\n%s", model.count(), d)
	}
	if left := list(t, deps.DB, `SELECT refused::text FROM council.answer WHERE refused <> '{}' OR judged = '0'`); len(left) > 0 {
		t.Errorf("left as they were: %v", left)
	}
}

// Whatever happens to an endpoint, what was answered is kept and shown, and the rest is asked later.
func TestRunGoesOnAfterTrouble(t *testing.T) {
	t.Parallel()
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf("Proclamation No. %d", i)
	}
	deps, model := newTown(t, many...), newModel(t)
	// One question is impossible: it fails alone.
	model.failWith(func(n int, w http.ResponseWriter) bool {
		if n == 4 {
			w.WriteHeader(http.StatusBadRequest)
		}
		return n == 4
	})
	set := model.settings()
	set.PerRun = 10
	if sum := mustRun(t, deps, set); sum.Asked != 9 || sum.Failed != 1 || !sum.Left || sum.Labelled != 9 {
		t.Errorf("%+v", sum)
	}
	if model.crowd() > set.Concurrency {
		t.Errorf("%d questions at a time", model.crowd())
	}
	// The endpoint refuses everything: the run ends at once, with a reason that holds no key.
	model.failWith(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusUnauthorized); return true })
	before := model.count()
	_, err := Run(t.Context(), deps, set)
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), secret) || model.count()-before > set.Concurrency {
		t.Errorf("%v after %d questions", err, model.count()-before)
	}
	// Everything is a bad question: after some in a row the run ends.
	model.failWith(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusBadRequest); return true })
	before = model.count()
	if _, err = Run(t.Context(), deps, set); err == nil || model.count()-before > giveUp+set.Concurrency {
		t.Errorf("%v after %d questions", err, model.count()-before)
	}
	if got := len(list(t, deps.DB, `SELECT id::text FROM council.item WHERE topic IS NOT NULL`)); got != 9 {
		t.Errorf("%d labelled", got)
	}
	// An item that reads otherwise now shows nothing rather than what was said of the old wording, also while nobody answers.
	must(t, deps.DB, `UPDATE council.item SET title = 'New Wording' WHERE id = (SELECT min(id) FROM council.item WHERE topic IS NOT NULL)`)
	if sum, err := Run(t.Context(), deps, set); err == nil || sum.Labelled != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	// Told to stop in the middle of a question, it stops; what it has stays.
	ctx, cancel := context.WithCancel(t.Context())
	before = model.count()
	model.failWith(func(n int, _ http.ResponseWriter) bool {
		if n == before+5 {
			cancel()
		}
		return false
	})
	if _, err := Run(ctx, deps, set); err == nil {
		t.Error("no error from a run that was asked to stop")
	}
	model.failWith(nil)
	for rounds := 0; ; rounds++ {
		sum := mustRun(t, deps, set)
		if !sum.Left {
			break
		}
		if rounds > 5 {
			t.Fatalf("no end: %+v", sum)
		}
	}
	if got := len(list(t, deps.DB, `SELECT id::text FROM council.item WHERE topic = 'other'`)); got != 30 {
		t.Errorf("%d labelled", got)
	}
	mustTally(t, deps.DB)
}

func TestRunAsksTwiceOfAModelThatSlips(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, "Proclamation of Arbor Day", "Proclamation of Earth Day"), newModel(t)
	model.failWith(func(n int, w http.ResponseWriter) bool {
		if n == 1 {
			writeCompletion(w, "", recordedAnswer{Content: "Let me think…", In: 5})
		}
		return n == 1
	})
	model.say("Earth", "I would rather not say.")
	set := model.settings()
	set.Concurrency = 1
	sum := mustRun(t, deps, set)
	if sum.Asked != 2 || sum.Refused[Malformed] != 1 || model.count() != 4 {
		t.Errorf("%+v, %d questions", sum, model.count())
	}
	if got := list(t, deps.DB, `SELECT concat_ws('|', title, tokens_in, coalesce(written, '-'), refused) FROM council.answer ORDER BY title`); len(got) != 2 || !strings.HasPrefix(got[0], "Proclamation of Arbor Day|105|{") || got[1] != "Proclamation of Earth Day|200|I would rather not say.|{malformed}" {
		t.Errorf("%q", got)
	}
}

// A run sends as many requests as it may and no more, tries included, and gets on with each.
func TestARunIsBounded(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, "Proclamation of Arbor Day", "Proclamation of Earth Day", "Salary Schedule", "Sewer Main"), newModel(t)
	model.say("", "I would rather not say.") // so that each question is asked twice
	set := model.settings()
	set.PerRun = 3
	for left := true; left; {
		before := model.count()
		sum := mustRun(t, deps, set)
		if left = sum.Left; sum.Failed > 0 || sum.Asked == 0 || model.count()-before > set.PerRun {
			t.Fatalf("%+v after %d requests", sum, model.count()-before)
		}
	}
	addItem(t, deps.DB, 5, "Street Sweeping")
	model.failWith(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusServiceUnavailable); return true })
	before := model.count()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	set.PerRun = 1
	if sum, err := Run(ctx, deps, set); err != nil || !sum.Left || sum.Failed != 1 || model.count() != before+1 {
		t.Errorf("a busy endpoint: %+v, %v, %d requests", sum, err, model.count()-before)
	}
}

// With another prompt every label stays until its new one is there; what has none is asked first, then the oldest.
func TestAnotherPromptIsAskedWithinTheLimit(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, "Proclamation No. 1", "Proclamation No. 2", "Proclamation No. 3"), newModel(t)
	set := model.settings()
	mustRun(t, deps, set)
	must(t, deps.DB, `
		UPDATE council.answer SET prompt = 'former', question = sha256(question), answered_by = 'former',
		                          answered_at = timestamptz '2026-01-01' + CASE title WHEN 'Proclamation No. 2' THEN 0 ELSE answer_id END * interval '1 day'`)
	must(t, deps.DB, `UPDATE council.item i SET classifier_model = a.answered_by, classified_at = a.answered_at FROM council.answer a WHERE a.answer_id = i.answer_id`)
	addItem(t, deps.DB, 4, "Proclamation No. 4")
	set.PerRun = 1
	for _, want := range []string{"former former former fake-model-7", "former fake-model-7 former fake-model-7"} {
		mustRun(t, deps, set)
		if got := strings.Join(list(t, deps.DB, `SELECT coalesce(classifier_model, '-') FROM council.item ORDER BY id`), " "); got != want {
			t.Errorf("labels by %s, want %s", got, want)
		}
	}
}

// Two processes at once share the work instead of doing it twice.
func TestRunsAtOnceAskOnce(t *testing.T) {
	t.Parallel()
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("Proclamation No. %d", i)
	}
	deps, model := newTown(t, many...), newModel(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := Run(t.Context(), deps, model.settings()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	mustRun(t, deps, model.settings())
	for question, n := range model.questions() {
		if n != 1 {
			t.Errorf("asked %d times: %s", n, question)
		}
	}
	if got := labels(t, deps.DB); len(model.questions()) != 40 || strings.Count(strings.Join(got, " "), "fake-model-7") != 40 {
		t.Errorf("%d questions, labels %v", len(model.questions()), got)
	}
	mustTally(t, deps.DB)
}

func TestRunKeepsSecretsOutOfTheLog(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, titles...), newModel(t)
	var log bytes.Buffer
	deps.Log = slog.New(slog.NewTextHandler(&log, nil))
	model.failWith(func(n int, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"bad request with key %s"}}`, secret)
		return true
	})
	set := model.settings()
	set.Concurrency = 1
	_, err := Run(t.Context(), deps, set)
	if text := log.String() + fmt.Sprint(err); strings.Contains(text, secret) || strings.Contains(text, model.URL) || !strings.Contains(text, "400") {
		t.Errorf("logged %s", text)
	}
}

// A bad setting is an error before anything is asked or labelled.
func TestRunRefusesBadSettings(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), run.Deps{}, Settings{URL: "http://x", Timeout: time.Minute}); err == nil {
		t.Error("no error")
	}
}

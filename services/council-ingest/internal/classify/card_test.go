package classify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/settings"
)

var update = flag.Bool("update", false, "rewrite ACCURACY.md")

// A recording is a file of testdata/answers. It has the answers of a model or a script for the
// titles in the test part.
type recording struct {
	Name string
	recordedHead
	Grades                            grades
	Answers, Summaries, TokensIn, Out int
	Lines                             []refusedLine
}

type recordedHead struct {
	Model string `json:"model"`
	About string `json:"about"`
	// Prompt is the version of the prompt, or "" for a script.
	Prompt string `json:"prompt"`
}

// A recordedAnswer is a line of the file after the first.
type recordedAnswer struct {
	Title    string `json:"title"`
	Content  string `json:"content"`
	Declined bool   `json:"declined,omitempty"`
	In       int    `json:"in,omitempty"`
	Out      int    `json:"out,omitempty"`
}

type refusedLine struct {
	Reason Reason
	Count  int
}

func readRecording(t *testing.T, path string) (recordedHead, []recordedAnswer) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var head recordedHead
	var answers []recordedAnswer
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		var a recordedAnswer
		var into any = &a
		if n == 0 {
			into = &head
		}
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(into); err != nil {
			t.Fatalf("%s, line %d: %v", path, n+1, err)
		}
		if n > 0 {
			answers = append(answers, a)
		}
	}
	if err := lines.Err(); err != nil || head.Model == "" {
		t.Fatalf("%s: %v, model %q", path, err, head.Model)
	}
	return head, answers
}

// replay starts an endpoint that gives the recorded answers. A question about an unknown title
// fails the test.
func replay(t *testing.T, model string, answers []recordedAnswer) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) != 2 {
			http.Error(w, "bad question", http.StatusBadRequest)
			return
		}
		for _, a := range answers {
			if asked.Messages[1].Content == question(Input{Title: a.Title}) {
				writeCompletion(w, model, a)
				return
			}
		}
		http.Error(w, "no such title", http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	return server
}

func writeCompletion(w http.ResponseWriter, model string, a recordedAnswer) {
	finish := "stop"
	if a.Declined {
		finish = "content_filter"
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"object": "chat.completion", "model": model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant",
			"content": a.Content}}},
		"usage": map[string]any{"prompt_tokens": a.In, "completion_tokens": a.Out},
	})
}

// gradeRecording replays recorded answers over HTTP. They pass the guards and the second opinion.
func gradeRecording(t *testing.T, path string) recording {
	t.Helper()
	head, answers := readRecording(t, path)
	server := replay(t, head.Model, answers)
	set := settings.Classifier{URL: server.URL, Model: head.Model, PerRun: 1_000_000}
	if err := set.Validate(); err != nil {
		t.Fatal(err)
	}
	c := openChat(set)
	defer c.Close()
	r := &runner{keywords: sync.OnceValue(NewKeywords)}
	truth := map[string]labelled{}
	for _, l := range readLabelled(t, "test") {
		truth[l.Title] = l
	}
	out := recording{Name: filepath.Base(path), recordedHead: head, Answers: len(answers)}
	counts := map[Reason]int{}
	for _, a := range answers {
		l, known := truth[a.Title]
		if !known {
			t.Errorf("%s: %q is not in the test part", path, a.Title)
		}
		got, err := c.Ask(t.Context(), Input{Title: a.Title})
		if err != nil {
			t.Fatal(err)
		}
		shown := r.judged(Input{Title: a.Title}, got.Content, got.Declined)
		g := graded{labelled: l, Confidence: shown.Confidence}
		g.Got = shown.Topic
		if shown.Summary != "" {
			out.Summaries++
		}
		for _, reason := range shown.Refused {
			counts[reason]++
		}
		out.TokensIn, out.Out = out.TokensIn+got.In, out.Out+got.Out
		out.Grades.all = append(out.Grades.all, g)
	}
	for _, reason := range reasons {
		out.Lines = append(out.Lines, refusedLine{reason, counts[reason]})
	}
	return out
}

const cardFile = "ACCURACY.md"

// TestAccuracyCard makes the card from the current classifiers, and compares it with the card in
// the repository.
func TestAccuracyCard(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "answers", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded answers: %v", err)
	}
	var recorded []recording
	for _, f := range files {
		recorded = append(recorded, gradeRecording(t, f))
	}
	text, err := os.ReadFile(filepath.Join("testdata", "card.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	var card bytes.Buffer
	err = template.Must(template.New("card").Parse(string(text))).Execute(&card, map[string]any{
		"Model": KeywordsModel, "Version": keywordsVersion(), "Test": gradeKeywords(t, "test"),
		"Calibrate": gradeKeywords(t, "calibrate"), "Tune": gradeKeywords(t, "tune"),
		"Confidences": confidences, "Guide": guide, "Rule": rule, "Recorded": recorded, "Frozen": frozen,
		"Real": realMeasured, "RealVersion": realVersion,
	})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(cardFile, card.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(cardFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), card.String()); d != "" {
		t.Errorf("%s is stale; run go generate to update it (-want +got)\n%s", cardFile, d)
	}
}

// The card is for readers. This test fails if an update of the card makes the figures worse.
func TestAccuracyHolds(t *testing.T) {
	t.Parallel()
	g := gradeKeywords(t, "test")
	answers, right, topics := 0, 0, 0
	for _, r := range g.all {
		if r.Topic != "" {
			topics++
		}
		if r.Got != "" {
			answers++
			if r.Got == r.Topic {
				right++
			}
		}
	}
	if precision := float64(right) / float64(answers); precision < 0.9 {
		t.Errorf("precision %.3f", precision)
	}
	if recall := float64(right) / float64(topics); recall < 0.75 {
		t.Errorf("recall %.3f", recall)
	}
	for _, l := range g.Topics() {
		if 4*l.Right < 3*l.Answers {
			t.Errorf("%s: %d of %d answers are correct", l.Topic, l.Right, l.Answers)
		}
	}
}

var record = flag.Bool("record", false, "ask the model of LLM_URL, LLM_MODEL and LLM_KEY about the test part and "+
	"keep its answers in testdata/answers, for the card")

// TestRecord is the only test in this package that queries a real model.
func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("queries a real model: run with -record")
	}
	set := settings.Classifier{URL: os.Getenv("LLM_URL"), Model: os.Getenv("LLM_MODEL"), Key: os.Getenv("LLM_KEY"),
		PerRun: 1_000_000}
	if err := set.Validate(); err != nil || set.URL == "" {
		t.Fatalf("LLM_URL, LLM_MODEL: %v", err)
	}
	c := openChat(set)
	defer c.Close()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	encode := func(v any) {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	encode(recordedHead{Model: set.Model, Prompt: promptVersion(), About: "Answers of the model itself, as recorded."})
	for _, l := range readLabelled(t, "test") {
		got, err := c.Ask(t.Context(), Input{Title: l.Title})
		if err != nil {
			t.Fatal(err)
		}
		encode(recordedAnswer{Title: l.Title, Content: got.Content, Declined: got.Declined, In: got.In, Out: got.Out})
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(set.Model))
	if err := os.WriteFile(filepath.Join("testdata", "answers", name+".jsonl"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

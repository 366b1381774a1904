package classify

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// A fakeModel answers by the title, and counts the questions.
type fakeModel struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // by words of the question; the answer to other questions has the topic "other"
	asked   map[string]int    // number of times each question was asked
	fail    func(n int, w http.ResponseWriter) bool
	n, now  int
	most    int // largest number of concurrent questions
}

func newModel(t *testing.T) *fakeModel {
	m := &fakeModel{answers: map[string]string{}, asked: map[string]int{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// failWith calls fail for each further question, with the number of the question. fail returns true
// if it has answered.
func (m *fakeModel) failWith(fail func(n int, w http.ResponseWriter) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fail
}

func (m *fakeModel) say(words, answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[words] = answer
}

func (m *fakeModel) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// crowd returns the largest number of concurrent questions.
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

func (m *fakeModel) settings() settings.Classifier {
	return settings.Classifier{URL: m.URL, Model: "fake-model", Key: secret, Concurrency: 3}
}

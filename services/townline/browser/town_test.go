package browser_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline"
)

// The services read PDFs in a child process of the running binary.
func TestMain(m *testing.M) {
	councilingest.RunChild()
	os.Exit(m.Run())
}

// everything reports whether to test every view of every page instead of a sample.
func everything() bool { return os.Getenv("TOWNLINE_EVERYTHING") != "" }

// A town is a running demo: the roots of its two hosts, and its data folder.
type town struct{ council, transit, data string }

func (w town) root(api string) string {
	if api == "council" {
		return w.council
	}
	return w.transit
}

// startTown runs `townline up` until the test ends, and returns when everything is up.
func startTown(t *testing.T) town {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	said := &screen{wake: make(chan struct{}, 1)}
	ended := make(chan int, 1)
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"up", "--data", data, "--council-addr", "127.0.0.1:0", "--transit-addr", "127.0.0.1:0", "--demo-addr",
		"127.0.0.1:0"}
	go func() { ended <- townline.Main(ctx, args, conf.Environ{}, said, said) }()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("up ended with %d:\n%s", status, said.text())
		}
	})
	said.wait(t, "everything is up")
	return town{council: said.wait(t, `council-api +(http://[^/]+)/`),
		transit: said.wait(t, `transit-api +(http://[^/]+)/`), data: data}
}

// A screen is the output of a command; a test can wait for a line in it.
type screen struct {
	mu   sync.Mutex
	said bytes.Buffer
	wake chan struct{}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return s.said.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// wait waits for a match and returns its last group.
func (s *screen) wait(t *testing.T, pattern string) string {
	t.Helper()
	re, late := regexp.MustCompile(pattern), time.After(2*time.Minute)
	for {
		if m := re.FindStringSubmatch(s.text()); m != nil {
			return m[len(m)-1]
		}
		select {
		case <-s.wake:
		case <-late:
			t.Fatalf("%q was not printed within two minutes; output:\n%s", pattern, s.text())
		}
	}
}

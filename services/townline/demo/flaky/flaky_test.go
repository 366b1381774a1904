package flaky

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// outcomes asks a server a hundred times and tells what came back each time.
func outcomes(t *testing.T, o Options) []string {
	t.Helper()
	page := strings.Repeat("minutes ", 1000)
	s := httptest.NewServer(Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, page)
	}), o))
	defer s.Close()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	var out []string
	for range 100 {
		r, err := client.Get(s.URL)
		if err != nil {
			out = append(out, "no answer")
			continue
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		switch {
		case r.StatusCode >= 500:
			out = append(out, r.Status)
		case err != nil:
			out = append(out, "cut")
		case string(body) != page:
			t.Fatalf("a wrong body of %d bytes came with status 200", len(body))
		default:
			out = append(out, "fine")
		}
	}
	return out
}

func TestFailuresAreManyAndReproducible(t *testing.T) {
	t.Parallel()
	o := Options{Rate: 0.4, Seed: 3, Hang: time.Millisecond}
	got := outcomes(t, o)
	fine := len(got) - len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s == "fine" }))
	if fine < 45 || fine > 75 {
		t.Errorf("%d of 100 requests were answered at a rate of 0.4", fine)
	}
	for _, want := range []string{"no answer", "cut", "500 Internal Server Error", "503 Service Unavailable"} {
		if !slices.Contains(got, want) {
			t.Errorf("nothing failed with %q", want)
		}
	}
	if again := outcomes(t, o); !slices.Equal(got, again) {
		t.Error("the same seed failed otherwise")
	}
}

func TestRateZeroIsTheHandler(t *testing.T) {
	t.Parallel()
	for _, got := range outcomes(t, Options{}) {
		if got != "fine" {
			t.Fatalf("a server that must not fail: %s", got)
		}
	}
}

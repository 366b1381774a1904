package civicclerk

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// serve answers paths below /v1/ and counts the requests.
func serve(t *testing.T, answers map[string]string) (*httptest.Server, func(prefix string) int) {
	t.Helper()
	var mu sync.Mutex
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		body, ok := answers[strings.TrimPrefix(r.URL.Path, "/v1/")]
		if !ok || !strings.HasPrefix(r.URL.Path, "/v1/") {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "HOST", r.Host))
	}))
	t.Cleanup(s.Close)
	return s, func(prefix string) int {
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for path, times := range asked {
			if strings.HasPrefix(path, prefix) {
				n += times
			}
		}
		return n
	}
}

func open(t *testing.T, address string) (portal.Reader, error) {
	t.Helper()
	cfg := portal.Config{URL: address, AllowPrivate: true, Tries: 2, ParseOptions: portal.ParseOptions{Zone: time.UTC}}
	s, err := Product().Open(t.Context(), cfg)
	if err != nil {
		return nil, err
	}
	t.Cleanup(s.Close)
	return s, s.Probe(t.Context())
}

const categories = `{"value":[{"id":26,"categoryDesc":"Town Council","isPublic":1},{"id":27,"categoryDesc":"Secret","isPublic":0}]}`

// At an unknown host, one cheap request identifies the product.
func TestOtherSystemsAreRejected(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"<html>Welcome to Alder</html>", "[]", `{"error":{"code":"","message":"no"}}`} {
		s, asked := serve(t, map[string]string{"EventCategories": answer})
		if _, err := open(t, s.URL); err == nil || asked("/v1/") > 2 {
			t.Errorf("%s: %v after %d requests", answer, err, asked("/v1/"))
		}
	}
	s, asked := serve(t, map[string]string{"EventCategories": categories})
	if _, err := open(t, s.URL+"/event/3/files"); err != nil || asked("/v1/") != 1 {
		t.Errorf("%v after %d requests", err, asked("/v1/"))
	}
}

// If the pages of a list form a loop, or are on another host, that is an error.
func TestEndlessLists(t *testing.T) {
	t.Parallel()
	w := portal.Window{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 31, 0, 0, 0, 0,
		time.UTC)}
	for next, is := range map[string]error{"http://HOST/v1/Events?$skip=15": portal.ErrNotPortal,
		"http://elsewhere.example/v1/Events?$skip=15": ErrElsewhere} {
		s, _ := serve(t, map[string]string{"EventCategories": categories,
			"Events": `{"value":[{"id":1,"eventName":"Town Council","startDateTime":"2026-03-01T18:00:00Z"}],"@odata.nextLink":"` + next + `"}`})
		src, err := open(t, s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := src.Meetings(t.Context(), w); !errors.Is(err, is) || list != nil {
			t.Errorf("%s: %d meetings, %v", next, len(list), err)
		}
	}
}

// The archive of a meeting gives the same result without requests. Votes are requested item by item
// only if the agenda cannot contain them, and for an old meeting only once.
func TestFetchAndRead(t *testing.T) {
	t.Parallel()
	const agenda = `{"id":70,"items":[{"id":1,"agendaObjectItemName":"Buy a plow","agendaObjectItemNumber":"2026-9","attachmentsList":[{"id":9,"fileName":"q","pdfVersionFullPath":"https://b.example/q.pdf?sig=x"}]},{"id":2,"agendaObjectItemName":"Adjourn"}]}`
	s, asked := serve(t, map[string]string{
		"EventCategories": categories, "Meetings/70": agenda,
		"Events": `{"value":[{"id":5,"agendaId":70,"eventName":"Town Council Meeting","categoryName":"Town Council","startDateTime":"2020-03-01T18:00:00Z","mediaTotalPlay":7},
			{"id":6,"agendaId":71,"eventName":"Town Council Meeting","categoryName":"Town Council","startDateTime":"2020-04-01T18:00:00Z"}]}`,
		"Meetings/GetMeetingItemMinutesVotes(id=1)": `{"value":[{"motionName":"Approve","passFail":1,"yesVotes":["Ann Archer"],"noVotes":["Ben Baker"]}]}`,
	})
	src, err := open(t, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	list, err := src.Meetings(t.Context(), portal.Window{From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		To: time.Date(2020, 12, 31, 0, 0, 0, 0, time.UTC)})
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	var before *portal.Bundle
	for round, want := range []int{2, 0} {
		n := asked("/v1/Meetings/GetMeetingItem")
		b, err := src.Fetch(t.Context(), list[0], before)
		if err != nil {
			t.Fatal(err)
		}
		if more := asked("/v1/Meetings/GetMeetingItem") - n; more != want {
			t.Errorf("round %d: %d requests for votes", round, more)
		}
		if text := string(b.Bytes()); strings.Contains(text, "sig=") || strings.Contains(text, "mediaTotalPlay") ||
			before != nil && text != string(before.Bytes()) {
			t.Error(text)
		}
		d, err := Product().Read(b, portal.ParseOptions{Zone: time.UTC})
		if err != nil || len(d.Items) != 2 || len(d.Votes) != 1 || len(d.Votes[0].Positions) != 2 ||
			d.Votes[0].FileNumber != "2026-9" || d.NoItems {
			t.Errorf("%+v, %v", d, err)
		}
		before = &b
	}
	// Some meetings have files but no agenda. Their items are unknown, not missing.
	b, err := src.Fetch(t.Context(), list[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := Product().Read(b, portal.ParseOptions{Zone: time.UTC}); err != nil || !d.NoItems {
		t.Errorf("%+v, %v", d, err)
	}
}

package demo_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/townline/demo"
)

// fetch requests an address and returns the answer, with any status.
func fetch(t *testing.T, url string) (status int, body []byte, err error) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	return r.StatusCode, body, err
}

func TestTheWholeTownAnswers(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	town, err := demo.Start(ctx, demo.Options{Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	urls := map[string]string{
		town.URL + "/Citizens/Calendar.aspx?From=1/1/2026&To=12/31/2026": "MeetingRow",
		town.URL + "/v1/alderbay/Events":                                 "EventId",
		town.URL + "/Calendar.aspx":                                      "Meeting details",
		town.URL + "/gtfs.zip":                                           "stop_times.txt",
	}
	for _, m := range regexp.MustCompile(`url: "(http[^"]+)"`).FindAllStringSubmatch(town.Transit, -1) {
		urls[m[1]] = ""
	}
	if len(urls) != 7 {
		t.Errorf("%d addresses", len(urls))
	}
	for url, want := range urls {
		status, body, err := fetch(t, url)
		if err != nil || status != http.StatusOK || len(body) == 0 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d, %d bytes, %v", url, status, len(body), err)
		}
	}
	votes, scans := 0, 0
	for _, m := range town.Minuted() {
		if m.Scanned {
			scans++
			continue
		}
		for _, s := range m.Sections {
			for _, it := range s.Items {
				votes += len(s.Votes(it))
				if it.Topic == "" {
					t.Errorf("%q has no topic", it.Title)
				}
			}
		}
	}
	if scans == 0 || votes < 150 {
		t.Errorf("%d votes, %d scans", votes, scans)
	}
	stop()
	if err := town.Wait(); err != nil {
		t.Error(err)
	}
	if _, _, err := fetch(t, town.URL); err == nil {
		t.Error("the town still answers after its context ended")
	}
}

func TestATakenPortIsAnError(t *testing.T) {
	t.Parallel()
	town, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := demo.Start(t.Context(), demo.Options{Addr: strings.TrimPrefix(town.URL, "http://")}); err == nil {
		t.Error("two towns listen on the same port")
	}
}

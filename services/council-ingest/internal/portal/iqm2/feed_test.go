package iqm2

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestFetchFeed(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/town/Services/RSS.aspx" || r.URL.Query().Get("Feed") != "Calendar" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `<rss><channel><item><title>City Council - Agenda</title></item></channel></rss></html>`)
	}))
	t.Cleanup(srv.Close)
	p := openOnce(t, srv.URL+"/town/Citizens/")
	if news, err := p.Feed(t.Context()); err != nil || len(news) != 1 || news[0].Headline != "City Council - Agenda" {
		t.Errorf("%+v, %v", news, err)
	}
}

func TestIsCancelled(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"Cancelled": true, "Canceled": true, "CANCELLED - No Quorum": true, "Regular Meeting (Canceled)": true,
		"Postponed": true, "Rescheduled to March 12": true, "No Meeting Scheduled": true,
		"Scheduled": false, "Closed": false, "Rescheduled": false, "Rescheduled from March 5": false,
		"Hearing on the Cancellation of a Lease": false, "": false,
	} {
		if got := isCancelled(words); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}

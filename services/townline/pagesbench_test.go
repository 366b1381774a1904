package townline_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// BenchmarkPages measures the pages of the transit API like BenchmarkTransitReads: cached pages are
// compared with a gin handler that returns the same answer, and uncached pages are requested
// sequentially. It uses the busiest stop of the feed and the route with most trips.
//
//	go test -run - -bench Pages -benchtime 1x ./services/townline -feed some.zip
func BenchmarkPages(b *testing.B) {
	address, db := benchDatabase(b, largeFeed(b))
	kept, built := hostOf(b, serve(b, address, 0)), hostOf(b, serve(b, address, 1))
	stop := paths(b, db, `SELECT '', stop_id FROM transit.stop_times GROUP BY stop_id ORDER BY count(*) DESC LIMIT 1`)[0]
	route := paths(b, db, `SELECT '/f/bench/routes/', agency_id, '/', route_id FROM transit.route
		ORDER BY trip_count DESC LIMIT 1`)[0]
	for _, page := range []struct{ name, path string }{
		{"stop", "/f/bench/stops/" + stop},
		{"board", "/board?stop=bench:" + stop},
		{"route", route},
		{"map", route + "/map"},
		{"timetable", route + "/timetable"},
	} {
		b.Run("kept/"+page.name, func(b *testing.B) {
			body := readPage(b, kept, page.path)
			in := asking(page.path, "")
			compare(b, kept, bareHandler(b, answerOf(b, kept, in)), [][]byte{in}, len(body), 0.60)
		})
		b.Run("alone/"+page.name+"-on-a-miss", func(b *testing.B) {
			readPage(b, built, page.path)
			for range b.N {
				_, took := rate(b, built, [][]byte{asking(page.path, "")}, 1)
				b.ReportMetric(took.Seconds()*1000, "ms")
				b.ReportMetric(20, "at-most")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

func hostOf(b *testing.B, base string) string {
	b.Helper()
	u, err := url.Parse(base)
	if err != nil {
		b.Fatal(err)
	}
	return u.Host
}

// readPage requests a page like the benchmark, without compression.
func readPage(b *testing.B, host, path string) []byte {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+host+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		b.Fatalf("%s: %s, %v, %.200s", path, res.Status, err, body)
	}
	return body
}

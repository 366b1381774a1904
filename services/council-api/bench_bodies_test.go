package councilapi

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/rest"
)

// BenchmarkBodies measures uncached answers about one of two equal bodies, and the same answers of
// a deployment with only that body. It reports the lower quartiles of both and their ratio. The two
// run alternately, so that a busy machine slows both.
//
//	go test -run - -bench Bodies -benchtime 1x ./council-api
func BenchmarkBodies(b *testing.B) {
	alone, among := benchDB(b, 1), benchDB(b, 2)
	uncached := func(c *Config) { c.CacheBytes = 1 }
	servers := []*rest.Server{testServer(b, alone, uncached), testServer(b, among, uncached)}
	for _, path := range []string{
		"/meetings", "/meetings?type=closed", "/items", "/items?topic=homelessness", "/items?result=adopted",
		"/items?unanimous=false", "/items?member=57", "/items?member=3&position=recused", "/items?q=street+sweeping",
		"/items?q=67896", "/votes", "/votes?limit=200", "/votes?to=1990-01-01", "/votes?result=adopted",
		"/votes?result=no_action", "/votes?mover=3", "/votes?split=true", "/votes?margin=4-3", "/votes?margin=9-9",
		"/votes?ayes=15", "/votes?via_consent=true", "/votes?topic=housing", "/search/votes?q=street+sweeping",
		"/search/votes/facets", "/search/votes/facets?q=67896", "/members", "/members/3", "/members/3/votes",
		"/members/3/votes?position=nay", "/members/3/agreement", "/members/3/agreement/5", "/members/agreement",
		"/members/3/attendance", "/anomalies", "/anomalies?kind=typo", "/changes", "/changes?kind=vote_removed",
		"/topics", "/topics/timeline", "/stats", "/feeds/votes.atom", "/feeds/meetings.ics", "/search?q=housing",
		"/search?q=pageedjf", "/search?q=wordbbcd", "/search?q=nowhere", "/search?q=amended", "/search?q=thanks",
		"/search?q=%22resolution+adopt%22", "/search?q=%22wordbbcd+housing%22", "/search/minutes?q=housing",
		"/search/minutes?q=wordbbcd", "/search/minutes?q=%22street+council%22",
	} {
		of := path + "?body=body-1"
		if strings.Contains(path, "?") {
			of = path + "&body=body-1"
		}
		b.Run(path, func(b *testing.B) {
			var took [2][]time.Duration
			for b.Loop() {
				for range 40 {
					for i, address := range []string{path, of} {
						req, rec := httptest.NewRequest(http.MethodGet, basePath+address, nil), httptest.NewRecorder()
						start := time.Now()
						servers[i].ServeHTTP(rec, req)
						took[i] = append(took[i], time.Since(start))
						if rec.Code != http.StatusOK {
							b.Fatalf("%s: %d %s", address, rec.Code, rec.Body)
						}
					}
				}
			}
			ms := func(i int) float64 {
				slices.Sort(took[i])
				return float64(took[i][len(took[i])/4].Microseconds()) / 1000
			}
			b.ReportMetric(ms(0), "ms-alone")
			b.ReportMetric(ms(1), "ms-among")
			b.ReportMetric(100*(ms(1)/ms(0)-1), "%slower")
		})
	}
}

package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/rest"
)

type nullWriter struct{ h http.Header }

func (n *nullWriter) Header() http.Header         { return n.h }
func (n *nullWriter) Write(b []byte) (int, error) { return len(b), nil }
func (n *nullWriter) WriteHeader(int)             {}

func BenchmarkInproc(b *testing.B) {
	type oneParams struct {
		Feed string `path:"feed"`
		ID   string `path:"id"`
	}
	table := rest.Table{
		rest.Func(rest.Spec{ID: "one", Path: "/feeds/{feed}/stops/{id}", Summary: "one"},
			func(_ context.Context, c *rest.Call, p oneParams) (rest.Envelope[string], error) {
				return rest.Item(c, p.ID, nil), nil
			})}
	s, err := rest.New(rest.Config{
		Name: "bench", Dialect: rest.Transit, Base: "/gtfs/api/v2", PublicURL: "https://transit.example/gtfs/api/v2",
		Metrics: prometheus.NewRegistry(),
		Source: &rest.Source{Now: func(context.Context, *rest.Call) (rest.Generation, error) {
			return rest.Generation{N: 7, Time: time.Unix(1_700_000_000, 0)}, nil
		}},
	}, table)
	if err != nil {
		b.Fatal(err)
	}
	for _, inm := range []bool{false, true} {
		name := "200"
		if inm {
			name = "304"
		}
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest("GET", "/gtfs/api/v2/feeds/metro/stops/10001", nil)
			r.Header.Set("Accept", "application/json")
			if inm {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				r.Header.Set("If-None-Match", w.Header().Get("ETag"))
			}
			b.ReportAllocs()
			for range b.N {
				w := &nullWriter{http.Header{}}
				s.ServeHTTP(w, r)
			}
		})
	}
}

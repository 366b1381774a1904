package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/townline/townline/pkg/rest"
)

// A resource consists of its parameters, its row, a query and an endpoint. The embedded window is a
// struct of paging parameters that all lists of the API share.
type (
	lampsParams struct {
		Street string     `path:"street" maxlen:"50" doc:"Name of the street."`
		Since  *rest.Date `query:"since" doc:"First day." example:"2026-01-31"`
		window
	}
	lamp struct {
		ID    int64     `json:"id" doc:"The lamp's id."`
		LitAt rest.Time `json:"lit_at"`
	}
)

var lamps = rest.SQL[lampsParams, lamp](`
	SELECT id, lit_at FROM lamp
	WHERE street = @street AND (@since::date IS NULL OR lit_at >= @since)
	ORDER BY id LIMIT @limit OFFSET @offset`)

func listLamps(ctx context.Context, c *rest.Call, p lampsParams) ([]lamp, error) {
	return lamps.List(ctx, c, p)
}

func Example() {
	table := rest.Table{
		rest.Func(rest.Spec{ID: "listLamps", Path: "/streets/{street}/lamps", Summary: "Lamps of a street",
			Queries: rest.Queries(lamps)}, listLamps),
		rest.Func(rest.Spec{ID: "getHealth", Path: "/health", Summary: "How the lamps are", NotFound: "unknown lamp"},
			func(context.Context, *rest.Call, rest.None) (string, error) { return "bright", nil }),
	}
	server, err := rest.New(rest.Config{
		Name: "lamps", Dialect: messages(), Base: "/v1", PublicURL: "https://lamps.example/v1",
		Dataset: &rest.Dataset{Now: func(context.Context) (rest.Generation, error) { return rest.Generation{N: 7}, nil }},
	}, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range []string{"/v1/health?_format=json", "/v1/streets/main/lamps?_format=json&since=tomorrow"} {
		rec := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, target, nil)
		r.Header.Set("X-Request-Id", "request-1")
		server.ServeHTTP(rec, r)
		fmt.Println(rec.Code, rec.Body)
	}
	// Output:
	// 200 "bright"
	// 400 {"message":"invalid parameters; since must be a real day, written YYYY-MM-DD (request request-1)"}
}

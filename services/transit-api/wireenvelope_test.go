package transitapi_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type stopsParams struct{ wire.Window }

type stopParams struct {
	ID string `path:"id"`
}

// open returns an API with 1203 stops.
func open(t *testing.T) *rest.Server {
	t.Helper()
	s, err := rest.New(rest.Config{Name: "transit", Dialect: wire.Dialect(), Base: "/gtfs/api/v2",
		PublicURL: "https://transit.example/gtfs/api/v2/", AccessLog: rest.LogOff}, rest.Table{
		rest.Func(rest.Spec{ID: "stops", Path: "/stops", Summary: "Stops"}, func(_ context.Context, c *rest.Call,
			p stopsParams) (wire.Envelope[[]int], error) {
			return wire.Cut(c, p.Window, make([]int, 1203), nil), nil
		}),
		rest.Func(rest.Spec{ID: "stop", Path: "/stops/{id}", Summary: "One stop"}, func(_ context.Context, c *rest.Call,
			p stopParams) (wire.Envelope[string], error) {
			return wire.Item(c, p.ID, wire.Links{{Rel: "routes", Href: c.Self() + "/routes"}}), nil
		}),
		rest.Func(rest.Spec{ID: "live", Path: "/rt", Summary: "Realtime"}, func(_ context.Context, c *rest.Call,
			_ rest.None) (wire.Envelope[[]int], error) {
			never := int64(0)
			return wire.Whole[int](c, nil, &never, nil), nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	api := resttest.Open(t, open(t))
	type meta struct {
		TotalCount, DataCount, Limit, Offset int
		Links                                map[string]any
		LastFetched                          *int64 `json:"last_fetched"`
	}
	self := "https://transit.example/gtfs/api/v2/stops"
	zero := int64(0)
	for target, want := range map[string]meta{
		"/stops?_format=json": {1203, 500, 500, 0, map[string]any{
			"self": self + "?_format=json", "next": self + "?_format=json&offset=500", "previous": false}, nil},
		"/stops?offset=1000&z=%20%26&_format=json&a=1&a=2&a=1&limit=200": {1203, 200, 200, 1000, map[string]any{
			"self":     self + "?_format=json&limit=200&offset=1000",
			"next":     self + "?_format=json&limit=200&offset=1200",
			"previous": self + "?_format=json&limit=200&offset=800"}, nil},
		"/stops?_format=json&limit=99999": {1203, 1203, 10000, 0, map[string]any{
			"self": self + "?_format=json&limit=10000", "next": false, "previous": false}, nil},
		"/stops?_format=json&offset=3&limit=10": {1203, 10, 10, 3, map[string]any{
			"self": self + "?_format=json&limit=10&offset=3", "next": self + "?_format=json&limit=10&offset=13",
			"previous": self + "?_format=json&limit=10&offset=0"}, nil},
		"/stops?_format=json&offset=1203": {1203, 0, 500, 1203, map[string]any{
			"self": self + "?_format=json&offset=1203", "next": false, "previous": self + "?_format=json&offset=703"}, nil},
		"/stops?_format=json&offset=9223372036854775807": {1203, 0, 500, 9223372036854775807, map[string]any{
			"self": self + "?_format=json&offset=9223372036854775807", "next": false, "previous": self +
				"?_format=json&offset=703"}, nil},
		"/stops/x?_format=json": {1, 1, 0, 0, map[string]any{"self": self + "/x", "routes": self + "/x/routes"}, nil},
		"/rt?_format=json":      {0, 0, 0, 0, map[string]any{"self": "https://transit.example/gtfs/api/v2/rt"}, &zero},
	} {
		res := api.Get(t, "/gtfs/api/v2"+target)
		var got struct {
			Meta meta
			Data json.RawMessage
		}
		res.JSON(t, &got)
		if diff := cmp.Diff(want, got.Meta); diff != "" || len(got.Data) == 0 || string(got.Data) == "null" {
			t.Errorf("%s: %s\n%.100s", target, diff, got.Data)
		}
	}
}

func TestLinksJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l wire.Links
		want := map[string]any{}
		for i, href := range rapid.SliceOf(rapid.String()).Draw(t, "hrefs") {
			rel := strconv.Itoa(i)
			l.Add(rel, href)
			want[rel] = any(strings.ToValidUTF8(href, "\ufffd"))
			if href == "" {
				want[rel] = false
			}
		}
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %v, want %v", b, err, want)
		}
	})
}

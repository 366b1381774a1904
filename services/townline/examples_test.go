package townline_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/rest"
)

// The documentation of both APIs has an answer of the demo town for each operation. -update adds
// the examples of new operations and keeps the others; to replace one, delete it first. Run it at an
// hour with buses. Tests of the APIs check that the examples match the description.
func testExamples(t *testing.T, base map[string]string) {
	transit := map[string]string{"feed_alias": "alderbay", "agency_id": "ABT", "route_id": "10", "direction_id": "0",
		"direction_ids": "0,1", "stop_id": "FT",
		"service_id": "WKDY", "entity_type": "stops", "entity_id": "FT", "near": "39.15,-124.18", "z": "10", "x": "158",
		"y": "391", "q": "ferry", "file": "attributions.txt", "?stop_id": "alderbay:FT"}
	transit["trip_id"] = first(t, base["transit"]+"/feeds/alderbay/agencies/ABT/routes/10/trips?_format=json", "trip_id")
	transit["shape_id"] = first(t, base["transit"]+"/feeds/alderbay/shapes?_format=json", "shape_id")
	council := map[string]string{"topic": "housing", "page": "1", "q": "housing"}
	council["other"] = first(t, base["council"]+"/members", "id")
	for api, values := range map[string]map[string]string{"transit": transit, "council": council} {
		file := filepath.Join(repository, "services", api+"-api", "examples.json")
		kept := map[string]illustration{}
		if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &kept) != nil {
			t.Errorf("%s is not JSON", file)
		}
		if !*rewrite {
			for id, x := range kept {
				if api == "council" {
					break // its ids belong to one database
				}
				if status, _ := ask(t, base[api]+x.Request); status != http.StatusOK {
					t.Errorf("%s: the request of %s has status %d", file, id, status)
				}
			}
			continue
		}
		text, err := json.MarshalIndent(illustrate(t, api, base[api], values, kept), "", " ")
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// An illustration is a request below the base address with its answer.
type illustration struct {
	Request string          `json:"request"`
	Answer  json.RawMessage `json:"answer"`
}

// illustrate requests every operation of an API that answers JSON and has no example yet.
func illustrate(t *testing.T, api, base string, values map[string]string,
	kept map[string]illustration) map[string]illustration {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name, In string
				Required bool
			}
			Responses map[string]struct{ Content map[string]any }
		}
	}
	get(t, base+"/openapi.json", &doc)
	all := map[string]illustration{}
	for path, item := range doc.Paths {
		op := item["get"]
		if _, ok := op.Responses["200"].Content["application/json"]; !ok || op.OperationID == "getDescription" {
			continue
		}
		if example, ok := kept[op.OperationID]; ok {
			all[op.OperationID] = example
			continue
		}
		query := url.Values{}
		for _, p := range op.Parameters {
			value := values[p.Name]
			switch {
			case p.In == "path" && p.Name == "id" && api == "council":
				list := regexp.MustCompile(`^/[a-z]+`).FindString(path)
				field := "id"
				switch list {
				case "/meetings":
					list, field = "/meetings?status=complete", "iqm2_id"
				case "/votes":
					list += "?split=true"
				}
				path = strings.ReplaceAll(path, "{id}", pluck(t, base+list, field, true))
			case p.In == "path":
				path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
			case p.Name == "feed" && p.Required:
				query.Set("feed", values["feed_alias"])
			case p.Name == "near" && p.Required:
				query.Set("near", values["near"])
			case p.Name == "_format":
				query.Set("_format", "json")
			case p.Name == "limit":
				query.Set("limit", "2")
			case p.Name == "q" && (p.Required || api == "transit"):
				query.Set(p.Name, value)
			case p.Name == "stop_id" && api == "transit":
				query.Set(p.Name, values["?stop_id"])
			}
		}
		request := path
		if len(query) > 0 {
			request += "?" + query.Encode()
		}
		status, body := ask(t, base+request)
		// Data that is polled on demand appears a moment after the first request.
		look, late := time.NewTicker(100*time.Millisecond), time.After(5*time.Second)
		for bytes.Contains(body, []byte(`"data":[]`)) && strings.HasPrefix(op.OperationID, "realtime.") && late != nil {
			select {
			case <-look.C:
				status, body = ask(t, base+request)
			case <-late:
				late = nil
			}
		}
		look.Stop()
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", request, status, body)
			continue
		}
		public := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)
		body = bytes.ReplaceAll(body, []byte(base), []byte(rest.ExampleBase))
		body = public.ReplaceAll(body, []byte("https://alderbay.example"))
		var answer any
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		if err := dec.Decode(&answer); err != nil {
			t.Errorf("%s: %v", request, err)
		}
		text, err := json.Marshal(brief(answer, 2))
		if err != nil {
			t.Errorf("%s: %v", request, err)
		}
		all[op.OperationID] = illustration{request, text}
	}
	return all
}

// brief shortens an example: it omits later entries of lists, and the ends of very long texts.
func brief(v any, most int) any {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			if _, number := v[0].(json.Number); number { // a position or a box
				return v
			}
		}
		v = v[:min(len(v), most)]
		for i := range v {
			v[i] = brief(v[i], most)
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = brief(v[k], most)
		}
	case string:
		const long = 400
		if runes := []rune(v); len(runes) > long {
			return string(runes[:long]) + "…"
		}
	}
	return v
}

func ask(t *testing.T, address string) (int, []byte) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, body
}

// first returns the value of a field in the first entry of a list.
func first(t *testing.T, address, field string) string { return pluck(t, address, field, false) }

// pluck returns the value of a field in the first or the last entry of a list.
func pluck(t *testing.T, address, field string, end bool) string {
	t.Helper()
	_, body := ask(t, address)
	var list struct{ Data []map[string]json.RawMessage }
	if err := json.Unmarshal(body, &list); err != nil || len(list.Data) == 0 {
		t.Fatalf("%s: %v, %d entries", address, err, len(list.Data))
	}
	entry := list.Data[0]
	if end {
		entry = list.Data[len(list.Data)-1]
	}
	return strings.Trim(string(entry[field]), `"`)
}

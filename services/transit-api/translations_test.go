package transitapi

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	gocmp "github.com/google/go-cmp/cmp"
)

// This file computes the expected translations from the rows of translations.txt, parsed by
// encoding/csv, and one rule per resource.

var translationColumns = []string{"table_name", "field_name", "language", "translation", "record_id", "record_sub_id",
	"field_value"}

type translator struct {
	rows  [][]string
	chain [][]string // spellings of the language, then of its parent
}

// text translates a cell of a record, or of a part of a record.
func (x *translator) text(table, field, id, part string, cell any) any {
	own, ok := cell.(string)
	if !ok || own == "" {
		return cell
	}
	for _, matches := range []func(r []string) bool{
		func(r []string) bool { return r[4] == id && r[5] == part && id != "" && part != "" },
		func(r []string) bool {
			return r[4] == id && r[5] == "" && (id != "" || table == "feed_info") && (r[4] != "" || r[6] == "")
		},
		func(r []string) bool { return r[4] == "" && r[5] == "" && r[6] == own },
	} {
		for _, spellings := range x.chain {
			for _, r := range x.rows {
				if r[0] == table && r[1] == field && slices.Contains(spellings, r[2]) && matches(r) {
					return r[3]
				}
			}
		}
	}
	return cell
}

type row = map[string]any

func (x *translator) cells(r row, table string, id, part any, fields ...string) {
	key, _ := id.(string)
	sub, _ := part.(string)
	for _, f := range fields {
		if _, there := r[f]; there {
			r[f] = x.text(table, f, key, sub, r[f])
		}
	}
}

func filled(all ...any) any {
	for _, v := range all {
		if s, ok := v.(string); ok && s != "" {
			return s
		}
	}
	return ""
}

func (x *translator) agency(r row) {
	x.cells(r, "agency", r["agency_id"], nil, "agency_name", "agency_url", "agency_phone", "agency_fare_url",
		"agency_email")
	r["label"] = filled(r["agency_name"], r["agency_id"])
}

func (x *translator) route(r row) {
	x.cells(r, "routes", r["route_id"], nil, "route_short_name", "route_long_name", "route_desc", "route_url", "as_route")
	short, _ := r["route_short_name"].(string)
	long, _ := r["route_long_name"].(string)
	r["label"] = filled(strings.TrimSpace(short+" "+long), r["route_id"])
}

func (x *translator) stop(r row) {
	x.cells(r, "stops", r["stop_id"], nil, "stop_name", "tts_stop_name", "stop_code", "stop_desc", "stop_url",
		"platform_code")
	r["label"] = filled(r["stop_name"], r["stop_id"])
}

func (x *translator) trip(r row) {
	x.cells(r, "trips", r["trip_id"], nil, "trip_headsign", "trip_short_name")
	r["label"] = filled(r["trip_headsign"], r["trip_short_name"], r["trip_id"])
}

func (x *translator) call(r row) {
	x.cells(r, "stop_times", r["trip_id"], r["stop_sequence"], "stop_headsign")
}

func (x *translator) direction(r row) {
	route, _ := r["route_id"].(string)
	id, _ := r["direction_id"].(string)
	own := r["direction"]
	r["direction"] = x.text("directions", "direction", route, id, own)
	if r["direction"] == own {
		r["direction"] = x.text("trips", "trip_headsign", "", "", own)
	}
	r["label"] = r["direction"]
	if of, ok := r["route"].(row); ok {
		x.route(of)
	}
}

func (x *translator) schedule(r row) {
	grid, _ := r["schedule"].(row)
	stops, _ := grid["stops"].([]any)
	for _, s := range stops {
		x.stop(s.(row))
	}
	trips, _ := grid["trips"].([]any)
	for _, s := range trips {
		s := s.(row)
		id, _ := s["trip_id"].(string)
		if headsign := s["label"]; headsign != id { // all trips with a label in this feed have a headsign
			s["label"] = x.text("trips", "trip_headsign", id, "", headsign)
		}
	}
}

func (x *translator) pathway(r row) {
	x.cells(r, "pathways", r["pathway_id"], nil, "signposted_as", "reversed_signposted_as", "hint")
}

func (x *translator) wagon(r row) {
	if r["wagon"] != "B" { // its only label is its number
		x.cells(r, "wagons", nil, nil, "label")
	}
}

func (x *translator) feed(r row) {
	if info, ok := r["feed_info"].(row); ok {
		x.cells(info, "feed_info", nil, nil, "feed_publisher_name", "feed_publisher_url", "feed_contact_email",
			"feed_contact_url")
	}
}

// randomTranslations returns a translations.txt for the test feed. It translates cells by record,
// by part and by text, in many spellings of languages, and several times for one cell.
func randomTranslations(rnd *rand.Rand) []byte {
	of := func(all ...string) string { return all[rnd.IntN(len(all))] }
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(translationColumns)
	for _, language := range []string{"fr", "fr-CA", "de", "zh-Hant"} { // the feed has each of these
		_ = w.Write([]string{"stops", "zone_id", language, "never", "", "", "never"})
	}
	for n := range 400 {
		field := of("stops.stop_name", "stops.stop_code", "stops.platform_code", "stops.stop_desc", "routes.route_long_name",
			"routes.route_short_name", "routes.as_route", "agency.agency_name",
			"agency.agency_url", "trips.trip_headsign", "stop_times.stop_headsign", "directions.direction",
			"feed_info.feed_publisher_name", "pathways.signposted_as", "wagons.label",
			"stops.stop_id", "routes.route_id")
		table, name, _ := strings.Cut(field, ".")
		r := []string{table, name, of("fr", "FR", "fr-CA", "fr_CA", "de", "zh-Hant", "zh-TW", "mul", "x!"),
			fmt.Sprintf("%s %d <é>", name, n), "", "", ""}
		switch {
		case table == "feed_info":
		case rnd.IntN(2) == 0:
			r[6] = of("Alder", "Cedar", "Elm", "Station", "Harbor", "Harbor <Line>", "Dock", "Loop", "Metro Transit", "Over",
				"10", "R1", "exit", "x", "Inbound", "Outbound", "blue", "1", "A")
		default:
			r[4] = map[string]string{"stops": of("100", "C", "E", "S", "S1"), "routes": of("R/1", "loop", "F"),
				"agency": of("M T", "ferry"), "trips": of("early", "late", "l1", "f1"),
				"stop_times": of("early", "late", "l1"), "directions": of("R/1", "loop"), "pathways": of("p"), "wagons": "x"}[table]
			if table == "stop_times" || table == "directions" {
				r[5] = of("", "0", "1", "2", "3", "10", "20")
			}
		}
		_ = w.Write(r)
	}
	w.Flush()
	return b.Bytes()
}

// Texts are translated into the requested language according to translations.txt. Nothing else
// changes. Without a requested language, the answer equals that of a feed without translations.
func TestTranslations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reimport(t, `DELETE FROM transit.translation WHERE version_id = 2`)
	paths := []struct {
		path string
		rule func(*translator, row)
	}{
		{"/feeds/metro", (*translator).feed},
		{"/feeds/metro/agencies", (*translator).agency},
		{"/feeds/metro/agencies/M%20T", (*translator).agency},
		{"/feeds/metro/agencies/M%20T/routes", (*translator).route},
		{"/feeds/metro/agencies/M%20T/routes/R%2F1/directions", (*translator).direction},
		{"/feeds/metro/agencies/M%20T/routes/R%2F1/stops/0,1", (*translator).stop},
		{"/feeds/metro/agencies/M%20T/routes/R%2F1/trips", (*translator).trip},
		{"/feeds/metro/agencies/M%20T/routes/R%2F1/trips/late/stop_times", (*translator).call},
		{"/feeds/metro/agencies/M%20T/routes/R%2F1/schedules/wk/0", (*translator).schedule},
		{"/feeds/metro/stops", (*translator).stop},
		{"/feeds/metro/stops?near=54.731,-25.6&limit=3", (*translator).stop},
		{"/feeds/metro/stops/C/directions", (*translator).direction},
		{"/feeds/metro/stops/C/routes", (*translator).route},
		{"/feeds/metro/stops/100/stop_times", (*translator).call},
		{"/stops?q=station", (*translator).stop},
		{"/feeds/metro/pathways", (*translator).pathway},
		{"/feeds/metro/files/wagons.txt", (*translator).wagon},
		{"/feeds/metro/translations", func(*translator, row) {}},
		{"/feeds/metro/services", func(*translator, row) {}},
	}
	own := map[string][]byte{}
	for _, p := range paths {
		own[p.path] = w.ask(t, p.path)
	}
	changed := 0
	for seed := range uint64(2) {
		file := randomTranslations(rand.New(rand.NewPCG(seed, 16)))
		rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		w.reimport(t, `DELETE FROM transit.translation WHERE version_id = 2`)
		_, err = w.db.CopyFrom(t.Context(), pgx.Identifier{"transit", "translation"}, append([]string{"version_id", "ord"},
			translationColumns...),
			pgx.CopyFromSlice(len(rows)-1, func(i int) ([]any, error) {
				out := []any{2, i}
				for n, cell := range rows[i+1] {
					out = append(out, cell)
					if cell == "" && n > 3 {
						out[len(out)-1] = nil
					}
				}
				return out, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		w.reimport(t, `SELECT 1`)
		for asked, chain := range map[string][][]string{
			"fr": {{"fr", "FR"}}, "fr-BE": {{"fr", "FR"}}, "fr-CA": {{"fr-CA", "fr_CA"}, {"fr", "FR"}}, "de-AT": {{"de"}},
			"zh-TW": {{"zh-TW"}, {"zh-Hant"}}, "es": nil, "": nil,
		} {
			x := &translator{rows[1:], chain}
			for _, p := range paths {
				plain := w.ask(t, p.path)
				// The excluded answers contain the digest of the zip, or the rows themselves.
				if !bytes.Equal(plain, own[p.path]) && p.path != "/feeds/metro" && p.path != "/feeds/metro/translations" {
					t.Fatalf("%s changes without a requested language:\n%s", p.path, plain)
				}
				byHeader := w.Get(t, basePath+p.path, "Accept", "application/json", "Accept-Language", cmp.Or(asked, "*")+", tlh")
				byName := w.get(t, p.path+map[bool]string{true: "&lang=", false: "?lang="}[strings.Contains(p.path, "?")]+
					cmp.Or(asked, "tlh"))
				if chain == nil {
					if !bytes.Equal(byHeader.Body, plain) || !bytes.Equal(byName.Body, plain) {
						t.Fatalf("%s changes for a language that the feed lacks (%q):\n%s\n%s", p.path, asked, byHeader.Body, plain)
					}
					continue
				}
				want := rowsOf(t, plain)
				for _, r := range want {
					p.rule(x, r)
				}
				for _, a := range []struct {
					status int
					body   []byte
				}{{byHeader.Status, byHeader.Body}, {byName.Status, byName.Body}} {
					if diff := gocmp.Diff(want, rowsOf(t, a.body)); a.status != http.StatusOK || diff != "" {
						t.Fatalf("%s in %q, seed %d: %d -want +got\n%s", p.path, asked, seed, a.status, diff)
					}
				}
				if !bytes.Equal(byHeader.Body, plain) {
					changed++
				}
			}
		}
	}
	if changed < 60 {
		t.Errorf("only %d answers were translated", changed)
	}
}

func rowsOf(t *testing.T, body []byte) []row {
	t.Helper()
	var a struct{ Data json.RawMessage }
	var many []row
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	if a.Data[0] == '[' {
		if err := json.Unmarshal(a.Data, &many); err != nil {
			t.Fatal(err)
		}
		return many
	}
	var one row
	if err := json.Unmarshal(a.Data, &one); err != nil {
		t.Fatal(err)
	}
	return []row{one}
}

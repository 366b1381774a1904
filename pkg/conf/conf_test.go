package conf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
)

type settings struct {
	URL     string        `env:"DATABASE_URL" doc:"Where Postgres is."`
	Key     string        `env:"KEY" secret:"true"`
	Timeout time.Duration `env:"TIMEOUT" envDefault:"5s"`
	Pages   string        `env:"PAGES" oneof:"on,off"`
	Nested  struct {
		Port int `env:"PORT" envDefault:"1"`
	}
}

func TestLoadTakesDefaultsAndEnvironment(t *testing.T) {
	t.Parallel()
	got, err := conf.Load[settings](conf.Environ{"PORT": "7"})
	if err != nil || got.Timeout != 5*time.Second || got.Nested.Port != 7 {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestLoadNamesTheVariableAndHidesTheValue(t *testing.T) {
	t.Parallel()
	_, err := conf.Load[settings](conf.Environ{"TIMEOUT": "hunter2", "PORT": "hunter2"})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("the error must not repeat values: %v", err)
	}
	for _, want := range []string{"TIMEOUT is not a duration: write 30s", "PORT is not a whole number"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not contain %q", err, want)
		}
	}
}

func TestLoadTakesOnlyTheWordsOfASetting(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"on": "", "off": "", "": "", "loud": `PAGES must be "on" or "off", not "loud"`} {
		got, err := conf.Load[settings](conf.Environ{"PAGES": word})
		if want == "" && (err != nil || got.Pages != word) || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v", word, got.Pages, err)
		}
	}
}

func TestSettingsMaskSecrets(t *testing.T) {
	t.Parallel()
	var s settings
	s.URL, s.Key = "postgres://u:hunter2@db/x?sslkey=hunter2", "hunter2"
	for _, got := range conf.Settings(&s) {
		if strings.Contains(got.Value, "hunter2") {
			t.Errorf("%s = %s shows the secret", got.Name, got.Value)
		}
	}
	if got := conf.MaskURL("nats://hunter2@127.0.0.1:4222"); strings.Contains(got, "hunter2") {
		t.Errorf("token shown: %s", got)
	}
	if got := conf.MaskURL("127.0.0.1:8080"); got != "127.0.0.1:8080" {
		t.Errorf("address is %s", got)
	}
}

func TestTransitFile(t *testing.T) {
	t.Parallel()
	var got conf.Transit
	err := conf.ParseYAML("transit.yaml", []byte(`
feeds:
  - alias: metro
    url: https://agency.example/gtfs.zip
    every: 6h
    headers: {X-Api-Key: "${KEY}"}
    realtime:
      - {kind: trip_updates, url: "https://agency.example/tu.pb", min_interval: 5s}
    route_extras:
      "10": {badge: express, rank: 3}
access:
  roles:
    anonymous: [static]
`), conf.Environ{"KEY": "k$1"}, &got)
	if err != nil {
		t.Fatal(err)
	}
	f := got.Feeds[0]
	if f.Headers["X-Api-Key"] != "k$1" || f.Name != "metro" || f.Realtime[0].StaleAfter != 30*time.Second ||
		f.Realtime[0].MinInterval != 5*time.Second || f.RouteExtras["10"]["rank"] != 3 || got.Display.TimeFormat != "12h" {
		t.Fatalf("got %+v", got)
	}
}

func TestMistakesNameFileLineAndKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "feeds:\n  - alias: a\n    colour: red\n", "transit.yaml:3: feeds[0].colour: unknown key"},
		{"missing variable", "feeds:\n  - alias: a\n    url: ${NOPE}\n",
			"transit.yaml:3: feeds[0].url: the environment variable NOPE is not set"},
		{"no time", "feeds:\n  - alias: a\n    every: soon\n",
			`transit.yaml:3: feeds[0].every: "soon", where a time with its unit, such as 30s`},
		{"no unit", "feeds:\n  - alias: a\n    every: 6\n",
			`transit.yaml:3: feeds[0].every: "6", where a time with its unit`},
		{"no number", "feeds:\n  - alias: a\n    realtime:\n      - history: many\n",
			`transit.yaml:4: feeds[0].realtime[0].history: "many", where a whole number is expected`},
		{"no secret shown", "feeds:\n  - alias: a\n    every: ${SECRET}\n",
			"transit.yaml:3: feeds[0].every: the variable's value, where a time"},
		{"no list", "feeds:\n  alias: a\n", "transit.yaml:2: feeds: keys with values, where a list, such as [first, " +
			"second] is expected"},
		{"a list", "access:\n  roles:\n    kiosk:\n      - [static]\n",
			"transit.yaml:4: access.roles.kiosk[0]: a list, where a single value is expected"},
		{"no keys", "display: 24h\n",
			`transit.yaml:1: display: "24h", where a group of keys with values (known here: locale, time_format, map, title_case) is expected`},
		{"a tab", "feeds:\n\t- alias: a\n", "transit.yaml:2: not readable as YAML"},
		{"an open quote", "feeds:\n  - alias: 'a\n", "transit.yaml:"},
		{"a key twice", "display:\n  time_format: 12h\n  time_format: 24h\n",
			"transit.yaml:3: display.time_format: is given twice, first on line 2"},
		{"bad alias", "feeds:\n  - alias: a/b\n", "transit.yaml:2: feeds[0].alias"},
		{"lacking kind", "feeds:\n  - alias: a\n    realtime:\n      - url: 'http://x/'\n",
			"transit.yaml:4: feeds[0].realtime[0].kind: required"},
		{"twice", "feeds:\n  - alias: a\n  - alias: a\n", "used twice"},
		{"bad kind", "feeds:\n  - alias: a\n    realtime: [{kind: tu, url: 'http://x/'}]\n", "feeds[0].realtime[0].kind"},
		{"file url", "feeds:\n  - alias: a\n    realtime: [{kind: alerts, url: 'file:///etc/passwd'}]\n",
			"feeds[0].realtime[0].url"},
		{"aliases", "feeds: &a\n  - alias: a\naccess: *a\n", "aliases are not supported"},
		{"rate", "access:\n  limits:\n    address: 5 a minute\n",
			`transit.yaml:3: access.limits.address: "5 a minute" is not a rate`},
		{"network", "access:\n  proxies: [10.0.0.1/99]\n", "transit.yaml:2: access.proxies[0]"},
		{"origin", "access:\n  origins: ['https://a.example/']\n", "access.origins[0]"},
		{"style", "display:\n  map: {style: 'pmtiles:town'}\n",
			"display.map.style: is the address of tiles: write it as display.map.pmtiles"},
		{"tiles that are no address", "display:\n  map: {pmtiles: 'pmtiles://town'}\n",
			"transit.yaml:2: display.map.pmtiles: must be an http or https URL"},
		{"style that is no address", "display:\n  map: {style: 'ftp://tiles.example/style.json'}\n",
			"transit.yaml:2: display.map.style: must be an http or https URL"},
		{"host that is more", "display:\n  map: {style: /style.json, hosts: ['https://a.example; script-src *']}\n",
			"display.map.hosts[0]"},
		{"credit alone", "display:\n  map: {credit: us}\n",
			"display.map.style: required with hosts and credit, or pmtiles"},
		{"interval", "feeds:\n  - alias: a\n    realtime: [{kind: alerts, url: 'http://x/', min_interval: 25h}]\n",
			"feeds[0].realtime[0].min_interval"},
		{"two documents", "feeds: []\n---\nfeeds: []\n", "more than one document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got conf.Transit
			err := conf.ParseYAML("transit.yaml", []byte(c.text), conf.Environ{"SECRET": "hunter2"}, &got)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q in it", err, c.want)
			}
			for _, not := range []string{"unmarshal", "!!", "struct", "hunter2"} { // words of the decoder, and secrets
				if strings.Contains(err.Error(), not) {
					t.Errorf("%q in %v", not, err)
				}
			}
		})
	}
}

// A file that wants to exhaust memory or the stack is refused.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	bomb := "feeds: &a [x]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("k%d: &b%d [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n", i, i)
	}
	for name, text := range map[string]string{
		"aliases":    bomb,
		"merge":      "display: &d {time_format: 12h}\nsite:\n  <<: *d\n",
		"own alias":  "feeds: &a [*a]\n",
		"deep flow":  "feeds: " + strings.Repeat("[", 200_000),
		"deep block": strings.Repeat("- ", 50_000) + "x",
		"deep keys":  "feeds: " + strings.Repeat("{a: ", 100_000) + "1" + strings.Repeat("}", 100_000),
		"NUL":        "feeds:\x00 []\n",
		"no UTF-8":   "feeds: [{alias: \xff}]\n",
	} {
		var got conf.Transit
		start := time.Now()
		if err := conf.ParseYAML("x.yaml", []byte(text), nil, &got); err == nil || len(err.Error()) > 10_000 {
			t.Errorf("%s: %.200v", name, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
	large := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# filler\n", 200_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := conf.ReadYAML(large, nil, new(conf.Transit)); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("large: %v", err)
	}
}

// A text stays as it is written, even if it looks like a number or a date.
func TestTextIsNotRewritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0123", "1.0", "0x1F", "1e3", "2026-01-01", "yes", "12:30"} {
		var got conf.Transit
		err := conf.ParseYAML("transit.yaml", []byte("feeds: [{alias: a, name: "+text+"}]"), nil, &got)
		if err != nil || len(got.Feeds) != 1 || got.Feeds[0].Name != text {
			t.Errorf("%s: %+v, %v", text, got.Feeds, err)
		}
	}
}

func TestEmptyFileMeansDefaults(t *testing.T) {
	t.Parallel()
	var got conf.Transit
	if err := conf.ParseYAML("transit.yaml", nil, nil, &got); err != nil || got.Display.TimeFormat != "12h" {
		t.Fatalf("got %+v, %v", got, err)
	}
}

// The example in deploy/ is valid and has every key.
func TestExampleTransitFileLoads(t *testing.T) {
	t.Parallel()
	var got conf.Transit
	if err := conf.ReadYAML("../../deploy/transit.yaml", conf.Environ{"METRO_KEY": "k"}, &got); err != nil {
		t.Fatal(err)
	}
	var defaults conf.Transit
	err := conf.ParseYAML("bare.yaml", []byte("feeds: [{alias: metro, url: x.zip, realtime: [{kind: trip_updates, url: "+
		"'http://x/'}]}]"), nil, &defaults)
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.Feeds[0].Realtime[0], defaults.Feeds[0].Realtime[0]
	if a.StaleAfter != b.StaleAfter || a.MinInterval != b.MinInterval || a.IdleInterval != b.IdleInterval ||
		a.Timeout != b.Timeout || a.History != b.History || got.Feeds[0].Every != defaults.Feeds[0].Every {
		t.Errorf("the example's defaults differ from the code's: %+v, %+v", a, b)
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]conf.Rate{"600/1m": {Requests: 600, Per: time.Minute},
		"10/s":   {Requests: 10, Per: time.Second},
		"5000/h": {Requests: 5000, Per: time.Hour}, "1/90s": {Requests: 1, Per: 90 * time.Second}, "off": {}} {
		var got, again conf.Rate
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != want {
			t.Errorf("%s round trip gives %s: %v %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "600", "600/", "/1m", "0/1m", "-1/1m", "1/1ms", "1/1500ms", "1/48h", "1e3/1m",
		"2000000/1s", "1/m/m"} {
		if err := new(conf.Rate).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// Ancestors are written to a header unchanged, so only valid sources are accepted.
func TestAncestors(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"'none'", "https://a.example; script-src *", "https://a.example,https://b.example",
		"https://a.example https://b.example", "https://a.example/path", "", "a\r\nX: y", "'unsafe-inline'", "https://",
		"é.example", "https://[::1]"} {
		var got conf.Transit
		err := conf.ParseYAML("x.yaml", []byte(fmt.Sprintf("embed:\n  ancestors:\n    - https://fine.example\n    - %q\n",
			bad)), nil, &got)
		if err == nil || !strings.Contains(err.Error(), "x.yaml:4: embed.ancestors[1]") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	good := []string{"*", "'self'", "file:", "https:", "https://town.example", "https://*.town.example:8443",
		"*.town.example", "localhost:*"}
	var got conf.Transit
	if err := conf.ParseYAML("x.yaml", []byte(`embed: {ancestors: ["`+strings.Join(good, `", "`)+`"]}`), nil,
		&got); err != nil || !slices.Equal(got.Embed.Ancestors, good) {
		t.Errorf("got %v, %v", got.Embed, err)
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	for picture, good := range map[conf.Picture]bool{
		{800, 480, 4}: true, {2560, 1440, 1}: true, {0, 480, 4}: false, {800, 99, 4}: false, {3000, 3000, 1}: false,
		{3001, 100, 1}: false, {800, 480, 3}: false, {-800, -480, 4}: false,
	} {
		wrong := 0
		picture.Check(func(string, string, ...any) { wrong++ })
		if (wrong == 0) != good {
			t.Errorf("%v: %d mistakes", picture, wrong)
		}
	}
}

// The error for an invalid screen names its key.
func TestScreensThatAreWrong(t *testing.T) {
	t.Parallel()
	for text, key := range map[string]string{
		"{name: 'a b', stops: ['m:1']}":                        "screens[0].name",
		"{name: a}":                                            "screens[0].stops",
		"{name: a, stops: ['1']}":                              "screens[0].stops[0]",
		"{name: a, stops: ['m:1'], routes: ['']}":              "screens[0].routes[0]",
		"{name: a, stops: ['m:1'], variant: led}":              "screens[0].variant",
		"{name: a, stops: ['m:1'], theme: blue}":               "screens[0].theme",
		"{name: a, stops: ['m:1'], direction: '2'}":            "screens[0].direction",
		"{name: a, stops: ['m:1'], lines: 31}":                 "screens[0].lines",
		"{name: a, stops: ['m:1'], walk: 2h}":                  "screens[0].walk",
		"{name: a, stops: ['m:1'], speak: 1s}":                 "screens[0].speak",
		"{name: a, stops: ['m:1'], languages: [en, de]}":       "screens[0].languages[1]",
		"{name: a, stops: ['m:1'], picture: {width: 99}}":      "screens[0].picture.width",
		"{name: a, stops: ['m:1']}, {name: a, stops: ['m:1']}": "screens[1].name",
	} {
		var got conf.Transit
		if err := conf.ParseYAML("x.yaml", []byte("screens: ["+text+"]"), nil, &got); err == nil ||
			!strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v, want %s", text, err, key)
		}
	}
	var good conf.Transit
	if err := conf.ParseYAML("x.yaml", []byte("screens: [{name: a, stops: ['m:1:2']}]"), nil, &good); err != nil ||
		good.Screens[0].Variant != "lcd" {
		t.Errorf("%+v: %v", good.Screens, err)
	}
}

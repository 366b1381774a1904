package townline_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/run"
	councilapi "github.com/townline/townline/services/council-api"
	councilingest "github.com/townline/townline/services/council-ingest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline"
	"github.com/townline/townline/services/townline/internal/gate"
	"github.com/townline/townline/services/townline/internal/noticesite"
	transitapi "github.com/townline/townline/services/transit-api"
)

// rewrite is the flag -update, which writes the generated parts of the documentation.
var rewrite = flag.Bool("update", false, "rewrite what is generated of the documentation")

func askTownline(t *testing.T, args ...string) (status int, printed string) {
	t.Helper()
	var out bytes.Buffer
	status = townline.Main(t.Context(), args, conf.Environ{}, &out, &out)
	return status, out.String()
}

// generated compares the part of a document between two markers with the expected text.
func generated(t *testing.T, file, part, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+part+": made by `make golden` -->\n", "<!-- end of "+part+" -->"
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no part between %q and %q", file, begin, end)
	}
	if got == want {
		return
	}
	if !*rewrite {
		t.Errorf("%s is out of date: run `make golden`; expected %s\n%s", file, part, want)
		return
	}
	if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// The table of settings in the documentation equals the settings of the programs.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	every, err := run.Settings(conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	values, readers := map[string]conf.Setting{}, map[string][]string{}
	document := func(who string, settings []conf.Setting) {
		for _, s := range settings {
			if _, known := values[s.Name]; !known {
				names, values[s.Name] = append(names, s.Name), s
			}
			if s.Doc == "" {
				t.Errorf("%s of %s has no doc", s.Name, who)
			}
			readers[s.Name] = append(readers[s.Name], who)
		}
	}
	document("every service", every)
	for _, svc := range []run.Service{councilingest.Program(), councilapi.Program(), gtfsimport.Program(),
		rtpoller.Program(), transitapi.Program()} {
		settings, err := svc.Settings(conf.Environ{})
		if err != nil {
			t.Fatal(err)
		}
		document(svc.Name, settings)
	}
	review, err := conf.Load[gate.Config](conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	document("townline review", conf.Settings(review))
	notices, err := conf.Load[noticesite.Config](conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	document("townline review", conf.Settings(notices))
	var table strings.Builder
	table.WriteString("| variable | default | meaning | read by |\n|---|---|---|---|\n")
	for _, name := range names {
		value := ""
		if v := values[name].Value; v != "" {
			value = "`" + v + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", name, cell(value), cell(values[name].Doc),
			strings.Join(readers[name], ", "))
	}
	generated(t, filepath.Join(repository, "deploy/docs/configure.md"), "settings", table.String())
}

// The two example files show every key.
func TestExampleFilesShowEveryKey(t *testing.T) {
	t.Parallel()
	for file, of := range map[string]reflect.Type{"transit.yaml": reflect.TypeFor[conf.Transit](),
		"council.yaml": reflect.TypeFor[councilingest.Settings]()} {
		text, err := os.ReadFile(filepath.Join(repository, "deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range yamlKeys(of) {
			if !regexp.MustCompile(`(?m)[\s{#]` + key + `:`).Match(text) {
				t.Errorf("deploy/%s does not show %s", file, key)
			}
		}
	}
}

func yamlKeys(of reflect.Type) []string {
	var keys []string
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return yamlKeys(of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			if key, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ","); key != "" && key != "-" {
				keys = append(append(keys, key), yamlKeys(of.Field(i).Type)...)
			}
		}
	}
	return keys
}

const alertsPage = "deploy/docs/alerts.md"

// An alertRule is a Prometheus rule with the tested fields.
type alertRule struct {
	Alert, Expr string
	Labels      map[string]string
	Annotations map[string]string
}

func alertRules(t *testing.T) []alertRule {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "deploy/monitoring/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []alertRule
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var resource struct {
			Kind string
			Spec struct{ Groups []struct{ Rules []alertRule } }
		}
		if err := yaml.Unmarshal(text, &resource); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if resource.Kind == "PrometheusRule" {
			for _, g := range resource.Spec.Groups {
				all = append(all, g.Rules...)
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no alert rules found")
	}
	return all
}

// Every alert has a summary and a runbook; the page names no other alert.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(repository, alertsPage))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllSubmatch(page, -1) {
		headings[string(m[1])] = true
	}
	for _, r := range alertRules(t) {
		if !headings[r.Alert] {
			t.Errorf("%s does not describe %s", alertsPage, r.Alert)
		}
		delete(headings, r.Alert)
		if !strings.HasSuffix(r.Annotations["runbook_url"], "/"+alertsPage+"#"+strings.ToLower(r.Alert)) ||
			r.Annotations["summary"] == "" || r.Labels["severity"] == "" {
			t.Errorf("%s lacks runbook, summary or severity", r.Alert)
		}
		if strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") {
			t.Errorf("%s: unbalanced parentheses in %s", r.Alert, r.Expr)
		}
	}
	for name := range headings {
		t.Errorf("%s names %s, which is not an alert", alertsPage, name)
	}
}

var (
	metricName = regexp.MustCompile(`\b(?:townline|process|kubelet|kube)_[a-z0-9_]+`)
	selector   = regexp.MustCompile(`\b((?:townline)_[a-z0-9_]+)\{(\w+)="([^"]+)"\}`)
	// notOurs matches metrics of other programs.
	notOurs = regexp.MustCompile(`^(?:kubelet|kube)_`)
)

// testMetrics compares rules, dashboards and the table of metrics with the metrics of the running
// services.
func testMetrics(t *testing.T, demo running) {
	api := demo.actual.Replace("http://127.0.0.1:8081/gtfs/api/v2")
	var scraped string
	names := map[string]bool{}
	late := time.After(2 * time.Minute) // long, for a busy machine with the race detector
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	// Sources are polled after a client reads, and screens are counted after a request. Poller and
	// API report these metrics at different times.
	for !labelled(scraped, "townline_rt_match_ratio", `of="trips"`) || !names["townline_rt_header_timestamp_seconds"] ||
		!names["townline_rt_entities"] || !names["townline_screen_seen_timestamp_seconds"] {
		fetchText(t, strings.TrimSuffix(api, "/gtfs/api/v2")+"/screens/hall?part=rows")
		fetchText(t, api+"/rt/tripupdates/FT?_format=json")
		fetchText(t, api+"/rt/vehicles?_format=json")
		scraped = ""
		for _, admin := range demo.admin {
			scraped += fetchText(t, admin+"/metrics")
		}
		for line := range strings.Lines(scraped) {
			if end := strings.IndexAny(line, "{ "); end > 0 && line[0] != '#' {
				names[line[:end]] = true
			}
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the realtime metrics did not appear")
		}
	}
	asked := map[string]string{}
	for _, r := range alertRules(t) {
		asked["alert "+r.Alert] = r.Expr
	}
	boards, err := filepath.Glob(filepath.Join(repository, "deploy/monitoring/*.json"))
	if err != nil || len(boards) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	for _, file := range boards {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := yaml.Unmarshal(text, &board); err != nil { // JSON is valid YAML
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range board.Panels {
			for i, target := range p.Targets {
				asked[fmt.Sprintf("%s, panel %s, query %d", filepath.Base(file), p.Title, i+1)] = target.Expr
			}
		}
	}
	for where, expr := range asked {
		found := metricName.FindAllString(expr, -1)
		if len(found) == 0 {
			t.Errorf("%s queries no metric: %s", where, expr)
		}
		for _, name := range found {
			if !names[name] && !notOurs.MatchString(name) {
				t.Errorf("%s queries %s, which no service exports", where, name)
			}
		}
		for _, m := range selector.FindAllStringSubmatch(expr, -1) {
			if m[2] == "job" { // Prometheus adds this label
				continue
			}
			if !labelled(scraped, m[1], m[2]+`="`+m[3]+`"`) {
				t.Errorf("%s queries %s, which does not exist", where, m[0])
			}
		}
	}
	generated(t, filepath.Join(repository, alertsPage), "metrics", metricTable(scraped))
}

// metricTable lists Townline's metrics with their labels.
func metricTable(scraped string) string {
	type metric struct{ name, kind, labels, help string }
	byName, kinds := map[string]metric{}, map[string]string{}
	series := map[string]string{}
	for line := range strings.Lines(scraped) {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			words := strings.SplitN(strings.TrimSuffix(comment, "\n"), " ", 3)
			switch {
			case len(words) < 3 || !strings.HasPrefix(words[1], "townline_"):
			case words[0] == "HELP":
				byName[words[1]] = metric{name: words[1], help: words[2]}
			case words[0] == "TYPE":
				kinds[words[1]] = words[2]
			}
			continue
		}
		if name, labels, ok := strings.Cut(line, "{"); ok {
			name = strings.TrimSuffix(name, "_bucket")
			if _, known := series[name]; !known {
				series[name], _, _ = strings.Cut(labels, "}")
			}
		}
	}
	labelNames := regexp.MustCompile(`(\w+)="`)
	for name, one := range byName {
		var labels []string
		for _, l := range labelNames.FindAllStringSubmatch(series[name], -1) {
			if l[1] != "le" {
				labels = append(labels, l[1])
			}
		}
		one.kind, one.labels = kinds[name], strings.Join(labels, ", ")
		byName[name] = one
	}
	all := make([]metric, 0, len(byName))
	for _, m := range byName {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b metric) int { return cmp.Compare(a.name, b.name) })
	var table strings.Builder
	table.WriteString("| metric | kind | labels | meaning |\n|---|---|---|---|\n")
	for _, m := range all {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", m.name, m.kind, m.labels, cell(m.help))
	}
	return table.String()
}

// labelled reports whether a line of a scrape has the metric's name and the label.
func labelled(scraped, name, label string) bool {
	for line := range strings.Lines(scraped) {
		labels, ok := strings.CutPrefix(line, name+"{")
		if ok && (strings.HasPrefix(labels, label) || strings.Contains(labels, ","+label)) {
			return true
		}
	}
	return false
}

func fetchText(t *testing.T, url string) string {
	t.Helper()
	status, text := ask(t, url)
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d: %s", url, status, text)
	}
	return string(text)
}

// The table of our own rules in the documentation has the texts of the rules.
func TestOwnRulesAreDocumented(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| rule | severity | what is wrong |\n|---|---|---|\n")
	for _, r := range check.Rules() {
		if r.Code.Address() == "" {
			fmt.Fprintf(&table, "| `%s` | %s | %s |\n", r.Code, r.Severity, cell(r.Message(notice.English())))
		}
	}
	generated(t, filepath.Join(repository, "deploy/docs/report.md"), "rules", table.String())
}

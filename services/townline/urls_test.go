package townline_test

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/townline"
)

var databaseURLs = regexp.MustCompile(`(?m)^\s*url: (postgresql://.*)$`)

// deploymentURLs returns every database URL in the Secrets of a Kubernetes deployment.
func deploymentURLs(t *testing.T) []string {
	t.Helper()
	var text []byte
	for _, deployment := range []string{"local", "cluster"} {
		out, err := exec.CommandContext(t.Context(), "sh", "../../scripts/deploy-secrets.sh", deployment).Output()
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, out...)
	}
	templates, err := filepath.Glob("../../deploy/kubernetes/components/external-secrets/*/*-database.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range templates {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, strings.ReplaceAll(string(b), "{{ .password | urlquery }}", "secret")...)
	}
	var urls []string
	for _, found := range databaseURLs.FindAllSubmatch(text, -1) {
		urls = append(urls, string(found[1]))
	}
	if want := 3 * 8; len(urls) != want {
		t.Fatalf("%d database URLs found, want %d", len(urls), want)
	}
	return urls
}

// onServer returns a deployment's URL with the server, database and user of another URL, and
// without TLS, which that server does not support.
func onServer(t *testing.T, deployment, server string) string {
	t.Helper()
	_, query, _ := strings.Cut(deployment, "?")
	parameters, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	all := u.Query()
	for name, values := range parameters {
		if !strings.HasPrefix(name, "ssl") {
			all[name] = values
		}
	}
	u.RawQuery = all.Encode()
	return u.String()
}

// Postgres' tools use the same Secrets, and reject parameters of pgx's pools.
func TestURLsOfDeployments(t *testing.T) {
	t.Parallel()
	for _, address := range deploymentURLs(t) {
		_, query, _ := strings.Cut(address, "?")
		if query != "sslmode=disable" && query != "sslmode=verify-full&sslrootcert=/etc/townline/database/ca.crt" {
			t.Errorf("URL has parameters of %s", address)
		}
		var out bytes.Buffer
		args := []string{"migrate", "--database-url", onServer(t, address, pgtest.EmptyURL(t))}
		if status := townline.Main(t.Context(), args, conf.Environ{}, &out, &out); status != 0 {
			t.Errorf("townline migrate with %s: status %d\n%s", query, status, &out)
		}
	}
}

// endOnWrite is the output of a command that runs until its context ends. The first write ends the
// context.
type endOnWrite struct {
	bytes.Buffer
	end context.CancelFunc
}

func (w *endOnWrite) Write(b []byte) (int, error) {
	w.end()
	return w.Buffer.Write(b)
}

// Every command accepts the parameters of pools, which the Secrets of earlier deployments contain.
func TestCommandsUnderstandPoolParameters(t *testing.T) {
	t.Parallel()
	address := pgtest.EmptyURL(t) + "&pool_max_conns=8&pool_max_conn_idle_time=1m"
	transit := write(t, "transit.yaml", "access: {roles: {anonymous: [static], kiosk: [static]}}\n")
	council := write(t, "council.yaml", "portal: {url: '"+broken(t)+"/calm'}\n")
	const by = " --by Ann --reason misread --document minutes"
	const minutes = "../council-ingest/internal/minutes/testdata/columns.txt"
	// unopened lists commands that open no database, or open it like other commands: `up` does it
	// like review and its services.
	const unopened = "up, config, feed check, council parse, council dialect, council probe"
	// The commands run in this order. A command without data may fail.
	lines := []string{
		"migrate", "doctor", "feed import demo " + demoFeed(t), "feed list", "feed show demo", "feed report demo",
		"feed rollback demo", "map none.pmtiles --from nothing.pmtiles",
		"manual add demo agency.txt agency_id=x agency_name=X agency_url=https://x.example agency_timezone=UTC",
		"manual patch demo agency.txt agency_id=x agency_name=Y", "manual hide demo agency.txt agency_id=x",
		"manual list demo", "manual remove demo 1",
		"annotation add stop 1004 --body Closed --time-zone UTC", "annotation list", "annotation show 1",
		"annotation expire 1",
		"key add lobby --role kiosk", "key list", "key revoke lobby", "rt status", "rt clear demo",
		"council load --meeting-id 7 --date 2026-03-03 " + minutes, "council ingest", "council reparse", "council verify",
		"council check",
		"council correct vote 1 --result tabled" + by, "council correct item 1 --title X" + by, "council correct doubled 2" +
			by,
		"council correct missing 1 --result adopted --printed X" + by,
		"council correct unread 7 --title X --result adopted --printed X" + by,
		"council correct person 1 Jones --same-as planning" + by,
		"council correct list", "council correct withdraw 1 --by Ann --reason right", "council review list",
		"council review show 1",
		"council review accept 1 --by Ann", "council review reject 1 --by Ann", "council review reply 1 --by Ann --text Yes",
		"council review undo 1 --by Ann", "review --addr 127.0.0.1:0", "feed remove demo --yes",
	}
	failed := 0
	for _, line := range lines {
		ctx, end := context.WithCancel(t.Context())
		out := &endOnWrite{end: func() {}}
		if strings.HasPrefix(line, "review ") {
			out.end = end
		}
		args := append(strings.Fields(line), "--database-url", address, "--transit-config", transit, "--council-config",
			council, "--allow-private")
		status := townline.Main(ctx, args, conf.Environ{}, out, out)
		end()
		failed += min(status, 1)
		if status > 1 || strings.Contains(out.String(), "DATABASE_URL") || strings.Contains(out.String(), "SQLSTATE") {
			t.Errorf("townline %s: status %d\n%s", line, status, out)
		}
	}
	if failed > 12 {
		t.Errorf("%d of %d commands failed", failed, len(lines))
	}
	eachCommand(t, func(n *kong.Node) {
		name := n.Path()
		if n.Leaf() && !strings.Contains(unopened, name) && !slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l+" ", name+" ")
		}) {
			t.Errorf("townline %s is not in the list", name)
		}
	})
}

package councilapi

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
)

// council.yaml has the settings of pages. A variable that is set comes before its key, and the keys of
// council-ingest are not read here: their variables need not be set.
func TestPagesAreSetInCouncilYAML(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	file := filepath.Join(t.TempDir(), "council.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("portal: {url: 'https://town.example', token: \"${TOKEN}\"}\n"+text),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	serve := func(env conf.Environ) (home, policy, privacy string, err error) {
		env["COUNCIL_CONFIG"], env["COUNCIL_PUBLIC_URL"] = file, "https://votes.example"
		cfg, err := conf.Load[Config](env)
		if err != nil {
			return "", "", "", err
		}
		deps := run.Deps{DB: reader, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Environ: env}
		srv, err := open(cfg, deps, newDataset(deps))
		if err != nil {
			return "", "", "", err
		}
		page := browse(t, srv, "/embed/votes/1")
		return browse(t, srv, "/").Body.String(), page.Header().Get("Content-Security-Policy"),
			browse(t, srv, "/privacy").Body.String(), nil
	}
	write(`site: {name: Town of Elmswick, color: "#aa0000"}
embed: {ancestors: ["https://news.example"]}
contact: {mail: records@elmswick.example, phone: "+1 555 0100", reports: clerk@elmswick.example}
time_zone: America/Chicago
`)
	for _, c := range []struct {
		env                  conf.Environ
		town, ancestors, ask string
	}{
		{conf.Environ{}, "Town of Elmswick", "frame-ancestors https://news.example", "records@elmswick.example"},
		{conf.Environ{"COUNCIL_TOWN": "Elm", "COUNCIL_EMBED": "https://a.example", "CONTACT_MAIL": "desk@elm.example"},
			"Elm<", "frame-ancestors https://a.example", "desk@elm.example"},
	} {
		home, policy, privacy, err := serve(c.env)
		if err != nil || !strings.Contains(home, c.town) || !strings.Contains(policy, c.ancestors) ||
			!strings.Contains(privacy, c.ask) {
			t.Errorf("%v: %v, %q, town %t, contact %t", c.env, err, policy, strings.Contains(home, c.town),
				strings.Contains(privacy, c.ask))
		}
	}
	for text, want := range map[string]string{
		"site: {color: red}\n":                        `council.yaml:2: site.color: "red" is not six hexadecimal digits`,
		"site: {colour: aa0000}\n":                    "council.yaml:2: site.colour: unknown key (known here: name, color, logo)",
		"contact: {mail: nobody}\n":                   "council.yaml:2: contact.mail: must be a mail address",
		"embed: {ancestors: [\"https://a; x\"]}\n":    "council.yaml:2: embed.ancestors[0]",
		"time_zone: Mars/Olympus\n":                   "Mars/Olympus",
		"contact: &a {mail: a@b.example}\nsite: *a\n": "aliases are not supported",
	} {
		write(text)
		if _, _, _, err := serve(conf.Environ{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

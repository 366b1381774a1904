package councilapi

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
)

// The pages about accessibility and privacy say what the settings say, in each language, and every
// page links to them.
func TestNotices(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	srv := testServer(t, reader, func(c *Config) {
		c.AccessLog = "errors"
		c.Public = conf.Public{Contact: "ada@town.example", Phone: "+1 555 0100", LogDays: 30,
			Policy: "https://town.example/privacy"}
	})
	for path, wanted := range map[string][]string{
		"/":              {`<a href="/accessibility">Accessibility</a>`, `<a href="/privacy">Privacy</a>`},
		"/accessibility": {"mailto:ada@town.example", "1 555 0100</li>", "WCAG) 2.2", "files of the clerk"},
		"/privacy": {"took longer than a second", "deleted after 30 days", "no cookies", "https://town.example/privacy",
			"archived without a limit"},
		"/privacy?lang=es":       {"después de 30 días", "sin límite de tiempo"},
		"/privacy?lang=fr":       {"après 30 jours", "sans limite de durée"},
		"/accessibility?lang=fr": {"lecteur d’écran"},
	} {
		rec := browse(t, srv, path)
		for _, text := range wanted {
			if !strings.Contains(rec.Body.String(), text) {
				t.Errorf("%s: no %q in %s", path, text, rec.Body)
			}
		}
		if len(rec.Header()["Set-Cookie"]) > 0 {
			t.Errorf("%s sets a cookie", path)
		}
	}
	none := testServer(t, reader, func(c *Config) { c.AccessLog = "all" })
	if got := browse(t, none, "/privacy").Body.String(); !strings.Contains(got, "The program logs each request") ||
		!strings.Contains(got, "decided by the office") || !strings.Contains(got, "No contact is given") {
		t.Errorf("without settings: %s", got)
	}
}

package transitapi

import (
	"strings"
	"testing"
)

// The page about privacy says how long visits are kept only if a feed is observed.
func TestNotices(t *testing.T) {
	t.Parallel()
	observed := `
feeds:
  - alias: metro
    observe: true
    realtime:
      - {kind: trip_updates, url: "https://agency.example/tu"}
`
	for config, wanted := range map[string][]string{
		testConfig: {"Only the last realtime messages", "no cookies", "does not log requests"},
		observed:   {"is kept for 77 days"},
	} {
		w := newWorld(t, func(c *Config) { c.File, c.VisitDays = configFile(t, config), 77 })
		got := w.page(t, "/privacy").Body.String()
		for _, text := range wanted {
			if !strings.Contains(got, text) {
				t.Errorf("no %q in %s", text, got)
			}
		}
		w.pageStatuses(t, map[string]int{"/accessibility?lang=es": 200, "/accessibility?lang=fr": 200})
	}
}

package transitcmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	rtpoller "github.com/townline/townline/services/rt-poller"
)

func TestScreenStates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	seen := func(name, form string, ago time.Duration) rtpoller.Sighting {
		return rtpoller.Sighting{Name: name, Form: form, SeenAt: now.Add(-ago), Build: "b-" + form}
	}
	all := screenStates(
		[]conf.Screen{{Name: "hall", Variant: "lcd"}, {Name: "yard", Variant: "eink"}, {Name: "new", Variant: "lcd"}, {Name: "dark", Variant: "lcd"}},
		[]rtpoller.Sighting{seen("hall", rtpoller.FormPage, 26*time.Hour), seen("hall", rtpoller.FormRows, 20*time.Second), seen("yard", rtpoller.FormPicture, time.Hour),
			seen("dark", rtpoller.FormRows, 4*time.Minute), seen("old", rtpoller.FormPicture, 3*time.Hour)}, now)
	var out bytes.Buffer
	if err := writeScreens(&out, all, now); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"SCREEN VARIANT STATE LAST ASKED FOR PAGE LOADED BUILD",
		"dark lcd silent 4m0s ago rows never b-rows",
		"hall lcd alive 20s ago rows 26h0m0s ago b-rows",
		"new lcd never never - never -",
		"old not in transit.yaml silent 3h0m0s ago picture never b-picture",
		"yard eink alive 1h0m0s ago picture never b-picture",
	} {
		if got := strings.Join(strings.Fields(strings.Split(out.String(), "\n")[i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}

package main

import (
	"os"
	"strings"
	"testing"
)

// `make prove` runs the commands of backup.md; this test checks only that they exist.
func TestHandbookHasItsCommands(t *testing.T) {
	t.Chdir("../..")
	if _, err := os.Stat(backupPage); err != nil {
		t.Fatal(err)
	}
	for heading, command := range map[string]string{
		"Back up": "pg_dump ", "Restore on an empty server": "pg_restore ", "One half only": "--schema=transit",
		"Check": "townline council verify",
	} {
		if commands, err := section(backupPage, heading); err != nil || !strings.Contains(commands, command) {
			t.Errorf("%s: %q, %v", heading, commands, err)
		}
	}
	if _, err := section(backupPage, "Nowhere"); err == nil {
		t.Error("a missing section has commands")
	}
}

func TestWhatLiesBelowAnAddress(t *testing.T) {
	t.Parallel()
	c := &crawler{half: halves[1]}
	for _, test := range []struct {
		template, path, rest string
		below                bool
	}{
		{"/feeds/{feed_alias}/stops", "/gtfs/api/v2/feeds/metro", "/stops", true},
		{"/feeds/{feed_alias}/stops/{stop_id}", "/gtfs/api/v2/feeds/metro/stops", "/{stop_id}", true},
		{"/feeds/{feed_alias}", "/gtfs/api/v2/feeds/metro", "", true},
		{"/feeds/{feed_alias}/stops", "/gtfs/api/v2/feeds/metro/routes", "", false},
		{"/feeds", "/gtfs/api/v2/feeds/metro", "", false},
	} {
		if rest, below := c.below(test.template, test.path); rest != test.rest || below != test.below {
			t.Errorf("%s under %s: %q, %v", test.template, test.path, rest, below)
		}
	}
}

// All answers are compared except realtime answers and files.
func TestKeptAddresses(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"/rt/vehicles": false, "/feeds/metro/rt/report": false, "/export": false,
		"/export/council.sqlite": false, "/export/votes.csv": false, "/feeds": true} {
		if kept(path) != want {
			t.Errorf("%s: kept %v", path, !want)
		}
	}
}

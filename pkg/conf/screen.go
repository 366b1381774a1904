package conf

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

// A Screen is a departure board at /screens/NAME.
type Screen struct {
	// Name is that of the address: letters, digits, - and _.
	Name string `yaml:"name"`
	// Stops are as FEED:STOP, the feed's alias and a stop_id or stop_code. A station stands for its platforms.
	Stops []string `yaml:"stops"`
	// Routes narrow the board, as FEED:ROUTE.
	Routes []string `yaml:"routes"`
	// Direction narrows it to 0 or 1.
	Direction string `yaml:"direction"`
	// Title is at the top; empty: the names of the stops.
	Title string `yaml:"title"`
	// Variant is lcd, eink or phone.
	Variant string `yaml:"variant"`
	// Theme is light or dark; empty: that of the variant.
	Theme string `yaml:"theme"`
	// Lines is how many departures are shown at once.
	Lines int `yaml:"lines"`
	// Walk is how long it takes to get to the stop.
	Walk time.Duration `yaml:"walk"`
	// Languages follow each other; empty: that of the browser.
	Languages []string `yaml:"languages"`
	// Speak is how often the departures are said aloud; 0 is never.
	Speak time.Duration `yaml:"speak"`
}

// Bounds of a screen.
const (
	maxScreens     = 1000
	maxScreenStops = 20
	maxLines       = 30
)

var feedItem = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}:.{1,300}$`)

func (t *Transit) validateScreens(bad func(key, format string, args ...any)) {
	seen := map[string]bool{}
	if len(t.Screens) > maxScreens {
		bad("screens", "more than %d", maxScreens)
	}
	for i := range t.Screens {
		s, key := &t.Screens[i], fmt.Sprintf("screens[%d]", i)
		switch {
		case !ValidAlias(s.Name):
			bad(key+".name", "%q: only letters, digits, - and _, at most 64", s.Name)
		case seen[s.Name]:
			bad(key+".name", "%q is used twice", s.Name)
		}
		seen[s.Name] = true
		if len(s.Stops) == 0 || len(s.Stops) > maxScreenStops {
			bad(key+".stops", "1 to %d are needed", maxScreenStops)
		}
		for name, list := range map[string][]string{"stops": s.Stops, "routes": s.Routes} {
			for j, item := range list {
				if !feedItem.MatchString(item) {
					bad(fmt.Sprintf("%s.%s[%d]", key, name, j), "%q is not written FEED:ID", item)
				}
			}
		}
		if len(s.Routes) > maxScreenStops {
			bad(key+".routes", "more than %d", maxScreenStops)
		}
		if s.Variant == "" {
			s.Variant = "lcd"
		}
		for name, c := range map[string]struct {
			value string
			words []string
		}{"variant": {s.Variant, []string{"lcd", "eink", "phone"}}, "theme": {s.Theme, []string{"", "light", "dark"}}, "direction": {s.Direction, []string{"", "0", "1"}}} {
			if !slices.Contains(c.words, c.value) {
				bad(key+"."+name, "%q is none of %q", c.value, c.words)
			}
		}
		if s.Lines < 0 || s.Lines > maxLines {
			bad(key+".lines", "must be 1 to %d", maxLines)
		}
		if s.Walk < 0 || s.Walk > time.Hour {
			bad(key+".walk", "must be 0s to 1h")
		}
		if s.Speak < 0 || s.Speak > 0 && s.Speak < 30*time.Second {
			bad(key+".speak", "must be 30s or longer")
		}
		for j, lang := range s.Languages {
			if !slices.Contains([]string{"en", "es", "fr"}, lang) {
				bad(fmt.Sprintf("%s.languages[%d]", key, j), "%q is none of en, es, fr", lang)
			}
		}
	}
}

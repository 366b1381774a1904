package conf

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// A Screen is a departure board at /screens/NAME.
type Screen struct {
	// Name is part of the address: letters, digits, - and _.
	Name string `yaml:"name"`
	// Stops are written FEED:STOP: the feed's alias, and a stop_id or stop_code. A station stands for
	// its platforms.
	Stops []string `yaml:"stops"`
	// Routes limit the board to the listed routes, written FEED:ROUTE.
	Routes    []string `yaml:"routes"`
	Direction string   `yaml:"direction"`
	// Title defaults to the names of the stops.
	Title string `yaml:"title"`
	// Variant is lcd, eink or phone.
	Variant string `yaml:"variant"`
	// Theme is light or dark. The default depends on the variant.
	Theme string `yaml:"theme"`
	// Lines is the largest number of departures shown at once.
	Lines int           `yaml:"lines"`
	Walk  time.Duration `yaml:"walk"`
	// Languages are shown in turn. The default is the browser's language.
	Languages []string `yaml:"languages"`
	// Speak is the interval at which departures are spoken. 0 turns speech off.
	Speak time.Duration `yaml:"speak"`
	// Picture is the default size for displays that fetch a picture.
	Picture Picture `yaml:"picture"`
}

// A Picture is the size of a board as a picture.
type Picture struct {
	Width  int `yaml:"width"`
	Height int `yaml:"height"`
	// Bits is the depth of a pixel: 1 for black and white, 2 or 4 for shades of grey.
	Bits int `yaml:"bits"`
}

// Check reports each side and depth that cannot be drawn.
func (p Picture) Check(bad func(key, format string, args ...any)) {
	for name, side := range map[string]int{"width": p.Width, "height": p.Height} {
		if side < minSide || side > maxSide {
			bad(name, "must be %d to %d", minSide, maxSide)
		}
	}
	if p.Width*p.Height > maxPixels {
		bad("height", "%d × %d are more than %d pixels", p.Width, p.Height, maxPixels)
	}
	if p.Bits != 1 && p.Bits != 2 && p.Bits != 4 {
		bad("bits", "%d is none of 1, 2 and 4", p.Bits)
	}
}

const (
	maxScreens     = 1000
	maxScreenStops = 20
	maxLines       = 30
	minSide        = 100
	maxSide        = 3000
	maxPixels      = 4 << 20
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
		s.Variant = cmp.Or(s.Variant, "lcd")
		for name, c := range map[string]struct {
			value string
			words []string
		}{"variant": {s.Variant, []string{"lcd", "eink", "phone"}}, "theme": {s.Theme, []string{"", "light", "dark"}},
			"direction": {s.Direction, []string{"", "0", "1"}}} {
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
		if s.Picture == (Picture{}) {
			s.Picture = Picture{800, 480, 4}
		}
		s.Picture.Bits = cmp.Or(s.Picture.Bits, 4)
		s.Picture.Check(func(name, format string, args ...any) { bad(key+".picture."+name, format, args...) })
		for j, lang := range s.Languages {
			if !slices.Contains([]string{"en", "es", "fr"}, lang) {
				bad(fmt.Sprintf("%s.languages[%d]", key, j), "%q is none of en, es, fr", lang)
			}
		}
	}
}

package transitcmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline/internal/session"
)

// Screen are the sub-commands of `townline screen`.
type Screen struct {
	List screenListCmd `cmd:"" help:"List the screens of transit.yaml, and when each last asked for its board."`
}

type screenListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is printed by `townline screen list --help`.
func (*screenListCmd) Help() string {
	return `A screen with script asks for its rows every 20 seconds, a display that sleeps asks for its picture when it wakes. The APIs report about once a
minute which screens they saw, by NATS, and rt-poller writes it down: only name and time are known, and who opens a screen's page in a browser counts as the screen.

alive: it asked within three minutes, or within two hours if it takes pictures. silent: it asked before that. never: nothing is known of it.
The build is that of the page that it was given last; screens of one name and the same build show the same program.`
}

// A screenState is one screen for operators.
type screenState struct {
	Name       string     `json:"name"`
	Configured bool       `json:"configured"` // transit.yaml has it
	Variant    *string    `json:"variant"`    // of transit.yaml
	State      string     `json:"state"`      // alive, silent, never
	SeenAt     *time.Time `json:"seen_at"`    // it asked for anything
	AskedFor   *string    `json:"asked_for"`  // what: page, rows or picture
	PageAt     *time.Time `json:"page_at"`    // it loaded the whole page
	PictureAt  *time.Time `json:"picture_at"` // it asked for its picture
	Build      *string    `json:"build"`      // of what it was given last
}

const (
	// quietAfter is when a screen that asks for rows is no longer alive, asleepAfter one that takes pictures.
	quietAfter  = 3 * time.Minute
	asleepAfter = 2 * time.Hour
)

// screenStates are the screens of transit.yaml and those that were seen, by name.
func screenStates(screens []conf.Screen, seen []rtpoller.Sighting, now time.Time) []screenState {
	all := map[string]*screenState{}
	of := func(name string) *screenState {
		if all[name] == nil {
			all[name] = &screenState{Name: name, State: "never"}
		}
		return all[name]
	}
	for i := range screens {
		s := of(screens[i].Name)
		s.Configured, s.Variant = true, &screens[i].Variant
	}
	for i := range seen {
		sighting := &seen[i]
		s := of(sighting.Name)
		switch sighting.Form {
		case rtpoller.FormPage:
			s.PageAt = &sighting.SeenAt
		case rtpoller.FormPicture:
			s.PictureAt = &sighting.SeenAt
		}
		if s.SeenAt == nil || sighting.SeenAt.After(*s.SeenAt) {
			s.SeenAt, s.AskedFor, s.Build = &sighting.SeenAt, &sighting.Form, &sighting.Build
		}
		patience := quietAfter
		if sighting.Form == rtpoller.FormPicture {
			patience = asleepAfter
		}
		if now.Sub(sighting.SeenAt) <= patience {
			s.State = "alive"
		} else if s.State == "never" {
			s.State = "silent"
		}
	}
	listed := []screenState{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		listed = append(listed, *all[name])
	}
	return listed
}

// Run is `townline screen list`.
func (c *screenListCmd) Run(s *session.Session) error {
	s.UseDemo()
	transit, err := conf.ReadTransit(s.Set.TransitConfig, s.Env)
	if err != nil {
		return err
	}
	return s.With("screen-list", func(deps run.Deps) error {
		seen, err := rtpoller.ListScreens(s.Ctx, deps.DB)
		if err != nil {
			return err
		}
		now := time.Now()
		all := screenStates(transit.Screens, seen, now)
		switch {
		case c.JSON:
			return s.Print(true, all, "")
		case len(all) == 0:
			fmt.Fprintln(s.Stdout, "no screens; transit.yaml describes them under screens")
			return nil
		}
		return writeScreens(s.Stdout, all, now)
	}, schema.Transit)
}

func writeScreens(out io.Writer, all []screenState, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "SCREEN\tVARIANT\tSTATE\tLAST ASKED\tFOR\tPAGE LOADED\tBUILD")
	for i := range all {
		s := &all[i]
		variant := text(s.Variant)
		if !s.Configured {
			variant = "not in transit.yaml"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, variant, s.State, session.Age(s.SeenAt, now), dash(text(s.AskedFor)), session.Age(s.PageAt, now), dash(text(s.Build)))
	}
	return w.Flush()
}

// dash stands for nothing in a table.
func dash(text string) string {
	if strings.TrimSpace(text) == "" {
		return "-"
	}
	return text
}

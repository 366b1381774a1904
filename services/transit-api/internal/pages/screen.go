package pages

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// Screens are boards with a name that transit.yaml configures. They are pages and, for displays
// that sleep, pictures.

type (
	screenPageParams struct {
		Name string  `path:"name" maxlen:"64"`
		Part *string `query:"part" enum:"rows"`
	}
	pictureParams struct {
		Name   string  `path:"name" maxlen:"64"`
		Width  *int64  `query:"width" min:"100" max:"3000"`
		Height *int64  `query:"height" min:"100" max:"3000"`
		Bits   *string `query:"bits" enum:"1,2,4"`
	}
)

const unknownScreen = "unknown screen"

// screenParts also records that the screen sent a request.
func (a *Pages) screenParts(name string) []part {
	s := a.Screens[name]
	if s == nil {
		return []part{func(context.Context, *rest.Call, *snapshot) (rest.Generation, error) {
			return rest.Generation{}, rest.NotFound(unknownScreen)
		}}
	}
	a.Seen.WithLabelValues(s.Name).Set(float64(a.Current.Now().Unix()))
	return []part{a.departuresPart(s.Stops...)}
}

func screenQuery(s *conf.Screen) boardQuery {
	build := fnv.New64a()
	fmt.Fprintf(build, "%+v", *s)
	q := boardQuery{Variant: s.Variant, Name: s.Title, Walk: int64(s.Walk/time.Minute) * 60,
		Shown: cmp.Or(s.Lines, linesShown[s.Variant]),
		Theme: s.Theme, Languages: strings.Join(s.Languages, " "), Speak: int64(s.Speak / time.Second),
		Build:           strconv.FormatUint(build.Sum64(), 16),
		DepartureParams: realtimeapi.DepartureParams{StopIDs: s.Stops, RouteIDs: s.Routes, Minutes: 180}}
	if s.Direction != "" {
		q.DirectionID = &s.Direction
	}
	return q
}

func (a *Pages) pageScreen(ctx context.Context, c *rest.Call, p screenPageParams, s *snapshot) ([]byte, error) {
	q := screenQuery(a.Screens[p.Name])
	q.Part = p.Part != nil
	return a.renderBoard(a.newPageBoard(ctx, c, s, q))
}

const bytesPerPixel = 3

func (a *Pages) pagePicture(ctx context.Context, c *rest.Call, p pictureParams, s *snapshot) (rest.File, error) {
	screen := a.Screens[p.Name]
	panel := screen.Picture
	if p.Width != nil {
		panel.Width = int(*p.Width)
	}
	if p.Height != nil {
		panel.Height = int(*p.Height)
	}
	if p.Bits != nil {
		panel.Bits, _ = strconv.Atoi(*p.Bits) // validated: one of three words
	}
	var faults []rest.Fault
	panel.Check(func(name, format string, args ...any) {
		faults = append(faults, rest.Fault{Path: name, Message: fmt.Sprintf(format, args...)})
	})
	if faults != nil {
		return rest.File{}, rest.BadRequest(faults...)
	}
	if err := c.Reserve(ctx, bytesPerPixel*panel.Width*panel.Height); err != nil {
		return rest.File{}, err
	}
	q := screenQuery(screen)
	q.Variant = "eink"
	q.Still = true
	q.Part = true
	q.Shown = cmp.Or(screen.Lines, linesShown["eink"])
	if _, asked := c.Language(); !asked && len(screen.Languages) > 0 {
		q.Language = screen.Languages[0]
	}
	v, err := a.newPageBoard(ctx, c, s, q)
	if err != nil {
		return rest.File{}, err
	}
	body, err := a.printer.Draw(v.Panel(), panel)
	return rest.File{Body: body, Refresh: v.Wake()}, err
}

// Panel returns the board for displays that sleep. It has the rows shown at once, with the same
// texts.
func (v *Board) Panel() *eink.Board {
	say := v.say
	b := &eink.Board{Title: v.Name, Lines: v.Shown, Quiet: v.Quiet,
		Heads: eink.Row{Line: say.Text("board.line"), To: say.Text("board.to"), Clock: say.Text("board.when")}}
	if v.Platforms {
		b.Heads.Platform = say.Text("board.platform")
	}
	for i := range v.Rows[:min(len(v.Rows), v.Shown)] {
		b.Rows = append(b.Rows, v.Rows[i].Row)
	}
	if n := len(v.Notices); n > 0 {
		b.Notice = v.Notices[0].Text
		if n > 1 {
			b.Notice += " " + say.Text("board.notices", n)
		}
	}
	b.Foot = []string{joinNonempty(" ", v.Cancelled, v.Local),
		joinNonempty(" ", v.Status.Text, say.Text("picture.passed"))}
	return b
}

func joinNonempty(between string, texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, between)
}

const (
	shortestSleep = time.Minute
	calmSleep     = 10 * time.Minute
	longestSleep  = 30 * time.Minute
)

// Wake returns the time until a display should request the board again: a minute while vehicles
// with live times arrive soon, otherwise the time until the first departure has left.
func (v *Board) Wake() time.Duration {
	first := longestSleep
	for i := range v.Rows {
		if !v.Rows[i].Gone {
			first = time.Duration(v.Rows[i].At-v.Time)*time.Second + soon*time.Second
			break
		}
	}
	switch {
	case !v.Status.isLive():
	case first < longestSleep:
		return shortestSleep
	default:
		return calmSleep
	}
	return min(max(first, shortestSleep), longestSleep)
}

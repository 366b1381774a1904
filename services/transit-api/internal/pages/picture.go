package pages

import (
	"strings"
	"time"

	"github.com/townline/townline/services/transit-api/internal/eink"
)

// Picture is the board as it is drawn for displays that sleep: what is shown at once, in the same words.
func (v *Board) Picture() *eink.Board {
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
	b.Foot = []string{v.Cancelled, joinedBy(" ", v.Status.Text, say.Text("picture.passed"))}
	return b
}

// joinedBy joins the texts that there are.
func joinedBy(between string, texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, between)
}

// Bounds of how long a display sleeps.
const (
	shortestSleep = time.Minute
	calmSleep     = 10 * time.Minute
	longestSleep  = 30 * time.Minute
)

// Wake is when a display that sleeps should look again. While vehicles with live times come soon, that is in a minute; else when the first
// departure is gone.
func (v *Board) Wake() time.Duration {
	first := longestSleep
	for i := range v.Rows {
		if !v.Rows[i].Gone {
			first = time.Duration(v.Rows[i].At-v.Now)*time.Second + soon*time.Second
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

package board

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// The run calls at A, B, C and D every ten minutes and waits there for a minute.
func TestNewDetour(t *testing.T) {
	t.Parallel()
	run := &edition.Run{Pattern: &edition.Pattern{}, Profile: &edition.Profile{}}
	stops := []edition.Stop{}
	for i, id := range []string{"A", "B", "C", "D"} {
		stops = append(stops, edition.Stop{StopID: id})
		run.StopID, run.StopSequence = append(run.StopID, &id), append(run.StopSequence, int32(10*i+10))
		run.Expected = append(run.Expected, int32(600*i))
		run.Departures = append(run.Departures, pgtype.Int4{Int32: int32(600*i + 60), Valid: true})
		run.PickupType = append(run.PickupType, &id)
	}
	e := edition.New(stops, nil)
	seq := func(n int64) gtfsrt.Stop { return gtfsrt.Stop{Sequence: n} }
	stop := func(id string) gtfsrt.Stop { return gtfsrt.Stop{Sequence: -1, StopID: []byte(id)} }
	at := func(id string, travel int32) []gtfsrt.ReplacementStop {
		return []gtfsrt.ReplacementStop{{StopID: []byte(id), Travel: travel}}
	}
	for _, c := range []struct {
		name    string
		changes []gtfsrt.Modification
		want    string // stops with arrivals in minutes and departures in seconds; "" if nothing fits
	}{
		{"in the middle", []gtfsrt.Modification{{First: seq(20), Last: seq(30), HasLast: true, Delay: 180,
			Replacements: at("X", 360)}}, "A 0 60, X 6 360, D 33 2040"},
		{"the first call", []gtfsrt.Modification{{First: stop("A"), Last: stop("A"), HasLast: true, Delay: 60,
			Replacements: at("X", -60)}}, "X -1 -60, B 11 720, C 21 1320, D 31 1920"},
		{"the last call", []gtfsrt.Modification{{First: seq(40), Last: seq(40), HasLast: true,
			Replacements: at("X", 900)}}, "A 0 60, B 10 660, C 20 1260, X 35 2100"},
		{"nothing left out", []gtfsrt.Modification{{First: seq(30), Delay: 120, Replacements: at("X", 300)}},
			"A 0 60, B 10 660, X 15 900, C 22 1380, D 32 1980"},
		{"two changes, in any order", []gtfsrt.Modification{
			{First: seq(40), Last: seq(40), HasLast: true, Replacements: at("Y", 900)},
			{First: seq(20), Last: seq(20), HasLast: true, Delay: 60}}, "A 0 60, C 21 1320, Y 36 2160"},
		{"overlapping changes", []gtfsrt.Modification{{First: seq(20), Last: seq(30), HasLast: true},
			{First: seq(30), Last: seq(40), HasLast: true}}, ""},
		{"an unknown call", []gtfsrt.Modification{{First: seq(25), Last: seq(30), HasLast: true}}, ""},
		{"the wrong way round", []gtfsrt.Modification{{First: seq(30), Last: seq(20), HasLast: true}}, ""},
		{"all calls", []gtfsrt.Modification{{First: seq(10), Last: seq(40), HasLast: true}}, ""},
	} {
		var got []string
		if d := newDetour(run, &gtfsrt.Modifications{Changes: c.changes}, e); d != nil {
			for i, id := range d.run.StopID {
				got = append(got, fmt.Sprintf("%s %d %d", *id, d.run.Expected[i]/60, d.run.Leaves(i)))
				if cell := d.run.PickupType.At(i); d.planned[i] >= 0 && *cell != *id || d.planned[i] < 0 && cell != nil {
					t.Errorf("%s: pickup type at %s", c.name, *id)
				}
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, ", "), c.want)
		}
	}
}

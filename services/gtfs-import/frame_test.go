package gtfsimport_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// Rows that differ from earlier ones in trip and times are compared with them instead of being read. In
// a file whose lines end in carriage returns no row is: it must be read alike, whatever its cells are.
func TestRowsThatRepeatAreReadLikeOthers(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	texts := map[string]string{}
	for seed := range uint64(12) {
		texts[fmt.Sprint("seed ", seed)] = repeatingCalls(rand.New(rand.NewPCG(seed, 1)))
	}
	const header = "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type\n"
	for name, odd := range map[string]string{"none": "0", "a further cell": "0,more", "an empty further cell": "0,",
		"a bad cell": "9", "a missing cell": "-", "blanks": "0 ", "a letter": "é", "a quote": `"0"`} {
		text := header
		for i, trip := range []string{"T1", "T2", "T3", "T1", "T2"} {
			row := fmt.Sprintf("%s,%02d:00:00,%02d:00:00,1,%d,%s\n", trip, 7+i, 7+i, 1+10*(i/3), odd)
			text += strings.ReplaceAll(row, ",-", "") +
				fmt.Sprintf("%s,%02d:10:00,%02d:11:00,B,%d,0\n", trip, 7+i, 7+i, 2+10*(i/3))
		}
		texts[name] = text
	}
	// The trip of a row without quotes is T, and 4 is no time.
	comma := header
	for i, trip := range []string{"T1", "T2", "T3", "T,4"} {
		comma += fmt.Sprintf("%s,%02d:00:00,%02d:00:00,1,1,0\n%s,%02d:10:00,%02d:10:00,B,2,0\n", trip, 7+i, 7+i, trip, 7+i,
			7+i)
	}
	texts["an id with a comma"] = comma
	feeds := 0
	for name, text := range texts {
		feeds++
		a, b := fmt.Sprint("repeated", feeds), fmt.Sprint("single", feeds)
		f := small().without("frequencies.txt")
		f["trips.txt"] = "trip_id,route_id,service_id\nT1,R1,WK\nT2,R1,WK\nT3,R1,WK\n\"T,4\",R1,WK\n\"T\"\"5\",R1,WK\n" +
			"T,R1,WK\nÉ6,R1,WK\nT 7,R1,WK\nT11,R1,WK\n"
		f["stop_times.txt"] = text
		repeated := load(t, db, a, f)
		f["stop_times.txt"] = strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\r")
		single := load(t, db, b, f)
		want, got := dump(t, db, b), dump(t, db, a)
		delete(want, "file") // it has the sizes of the files
		delete(got, "file")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: (-read row by row, +compared)\n%s\n%.3000s", name, diff, text)
		}
		lines := func(r *gtfsimport.Report) (all []string) {
			for _, l := range r.Lines {
				all = append(all, fmt.Sprint(l.Code, l.Effect, l.File, l.Line, l.Field, l.Value, l.RowID))
			}
			for _, f := range r.Findings {
				all = append(all, fmt.Sprint(f.Code, f.Effect, f.File, f.Count))
			}
			return all
		}
		if diff := cmp.Diff(lines(single), lines(repeated)); diff != "" {
			t.Fatalf("%s: findings (-read row by row, +compared)\n%s\n%.3000s", name, diff, text)
		}
	}
}

// repeatingCalls returns a stop_times.txt of rows that mostly repeat each other, in one of several
// layouts.
func repeatingCalls(rnd *rand.Rand) string {
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	columns := strings.Split(pick("trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,stop_headsign",
		"stop_sequence,stop_id,arrival_time,trip_id,pickup_type,departure_time",
		"departure_time,arrival_time,stop_id,stop_sequence,stop_headsign,start_pickup_drop_off_window,trip_id",
		"stop_id,stop_sequence,trip_id,departure_time,arrival_time,other"), ",")
	end := pick("\n", "\r\n")
	quoted := rnd.IntN(3) == 0
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + end)
	trips := []string{"T1", "T2", "T3", "T11", "T", "T 7"}
	for range 60 {
		trip := trips[rnd.IntN(len(trips))]
		for call, last := rnd.IntN(3), 3+rnd.IntN(5); call < last; call++ {
			odd := func(usual string, odd ...string) string {
				if rnd.IntN(60) == 0 {
					return pick(odd...)
				}
				return usual
			}
			at := fmt.Sprintf("%02d:%02d:%02d", 7+rnd.IntN(19), rnd.IntN(60), 30*rnd.IntN(2))
			leaves := odd(at, "", "7:05:00", "8:61:00", "24:00:00", "100:00:00", "08:05", "x")
			if at[0] == '0' && rnd.IntN(4) == 0 {
				at = at[1:]
			}
			cells := map[string]string{
				"trip_id":        odd(trip, `T,4`, `"T""5"`, "T5", "É6", "T,4", "unknown", " T1", "T1 ", ""),
				"arrival_time":   odd(at, "", "8:05:00", "8:61:00", "08:5:00", "1:0:0:0", "é"),
				"departure_time": leaves,
				"stop_id":        odd(string("1BCD"[call%4]), "S", "unknown", "", `"B"`, " C", "B,C"),
				"stop_sequence":  odd(fmt.Sprint(call+1), "", "-1", "1.0", "007", "9999999999"),
				"pickup_type":    odd("0", "9", "", "1", "x"), "stop_headsign": odd("Dock", "", "Dock, East", "Doc\tk", "Dóck"),
				"start_pickup_drop_off_window": odd("", "9:00:00", "x"), "other": odd("", "1", "a,b"),
			}
			for i, name := range columns {
				cell := cells[name]
				if quoted && name != "stop_sequence" && !strings.Contains(cell, `"`) {
					cell = `"` + cell + `"`
				}
				if i > 0 {
					b.WriteString(",")
				}
				b.WriteString(cell)
			}
			b.WriteString(odd("", "", ",", ",more", " ") + odd(end, "\n", "\r\n", "\n\n"))
		}
	}
	return b.String()
}

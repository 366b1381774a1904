package board

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A detour is a run that trip modifications change.
type detour struct {
	run     *edition.Run
	planned []int   // by call of run: its index in the timetable's run; -1 for a new call
	shift   []int64 // by call of run: how much later it is than by the timetable
	index   []int   // by call of the timetable's run: its index in run; -1 if it is left out
}

// detourOf returns the detour of a journey; nil if it keeps to its timetable.
func (m *merger) detourOf(j *journey) *detour {
	if m.Detours == nil {
		return nil
	}
	for _, d := range m.Detours(j.trip.TripID) {
		if !isOn(d, j) {
			continue
		}
		key := detourKey{d, j.trip.RunKey()}
		made, found := m.detours[key]
		if !found {
			made = newDetour(j.run, d, m.Edition)
			m.detours[key] = made
		}
		if made != nil {
			return made
		}
	}
	return nil
}

type detourKey struct {
	of  *gtfsrt.Modifications
	run edition.RunKey
}

// isOn reports whether modifications select the day and the start of a journey.
func isOn(d *gtfsrt.Modifications, j *journey) bool {
	on := len(d.Dates) == 0
	for _, date := range d.Dates {
		on = on || string(date) == j.day.Date()
	}
	if !on || j.window == nil || len(d.StartTimes) == 0 {
		return on
	}
	return slices.ContainsFunc(d.StartTimes, func(text []byte) bool {
		at, ok := realtime.ClockSeconds(string(text))
		return ok && at == j.start
	})
}

// A change is a modification with the calls of the run that it replaces; to is before from if there
// are none.
type change struct {
	*gtfsrt.Modification
	from, to int
}

// newDetour applies modifications to a run. It returns nil if they do not fit the run.
func newDetour(run *edition.Run, of *gtfsrt.Modifications, e *edition.Edition) *detour {
	changes := changesOf(run, of, e)
	if changes == nil {
		return nil
	}
	d := &detour{run: &edition.Run{Pattern: &edition.Pattern{Number: run.Pattern.Number}, Profile: &edition.Profile{}}}
	shift, leftOut := int64(0), -1
	for i := range run.StopID {
		if len(changes) > 0 && changes[0].from == i {
			c := changes[0]
			changes, leftOut = changes[1:], c.to
			for _, r := range c.Replacements {
				d.add(run, max(i-1, 0), string(r.StopID), shift+int64(r.Travel))
			}
			shift += int64(c.Delay)
		}
		if i <= leftOut {
			d.index = append(d.index, -1)
		} else {
			d.keep(run, i, shift)
		}
	}
	if len(d.planned) == 0 {
		return nil
	}
	d.addColumns(run)
	return d
}

// changesOf returns the changes in the order of the run; nil if one does not fit or two overlap.
func changesOf(run *edition.Run, of *gtfsrt.Modifications, e *edition.Edition) []change {
	var all []change
	for i := range of.Changes {
		c := change{Modification: &of.Changes[i]}
		c.from = callAt(run, c.First, 0, e)
		c.to = c.from - 1
		if c.HasLast {
			c.to = callAt(run, c.Last, max(c.from, 0), e)
		}
		if c.from < 0 || c.HasLast && c.to < c.from {
			return nil
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(all); i++ {
		if all[i].from <= max(all[i-1].to, all[i-1].from) {
			return nil
		}
	}
	return all
}

// callAt returns the call that a selector selects, from an index on; -1 if there is none.
func callAt(run *edition.Run, at gtfsrt.Stop, from int, e *edition.Edition) int {
	for i := from; i < len(run.StopID); i++ {
		isStop := run.StopID[i] != nil && e.IsSameStop(at.StopID, *run.StopID[i])
		if at.Sequence >= 0 && int64(run.StopSequence[i]) == at.Sequence && (len(at.StopID) == 0 || isStop) ||
			at.Sequence < 0 && isStop {
			return i
		}
	}
	return -1
}

// keep adds a call of the timetable's run.
func (d *detour) keep(run *edition.Run, i int, shift int64) {
	d.index = append(d.index, len(d.planned))
	d.planned, d.shift = append(d.planned, i), append(d.shift, shift)
	d.run.StopID, d.run.StopSequence = append(d.run.StopID, run.StopID[i]), append(d.run.StopSequence, run.StopSequence[i])
	d.run.Expected = append(d.run.Expected, int32(int64(run.Expected[i])+shift))
	d.run.Departures = append(d.run.Departures, pgtype.Int4{Int32: int32(run.Leaves(i) + shift), Valid: true})
}

// add adds a call that the timetable does not have, some seconds after the arrival at a call. No
// stop time update can name it by stop_sequence.
func (d *detour) add(run *edition.Run, before int, stop string, after int64) {
	d.planned, d.shift = append(d.planned, -1), append(d.shift, 0)
	sequence := int32(-1)
	if n := len(d.run.StopSequence); n > 0 {
		sequence = d.run.StopSequence[n-1]
	}
	at := int32(int64(run.Expected[before]) + after)
	d.run.StopID, d.run.StopSequence = append(d.run.StopID, &stop), append(d.run.StopSequence, sequence)
	d.run.Expected = append(d.run.Expected, at)
	d.run.Departures = append(d.run.Departures, pgtype.Int4{Int32: at, Valid: true})
}

// addColumns copies the columns of the calls that stay.
func (d *detour) addColumns(run *edition.Run) {
	to := d.run.Columns()
	for n, column := range run.Columns() {
		if len(*column) == 0 {
			continue
		}
		cells := make(edition.Cells, len(d.planned))
		for i, call := range d.planned {
			if call >= 0 {
				cells[i] = column.At(call)
			}
		}
		*to[n] = cells
	}
}

// on returns the journey on its detour.
func (j *journey) on(d *detour) *journey {
	changed := *j
	changed.run, changed.detour = d.run, d
	return &changed
}

// addSkipped adds the calls that a detour leaves out, at the times of the timetable.
func (m *merger) addSkipped(j *journey, d *detour) {
	for i, at := range d.index {
		if at < 0 {
			c := j.scheduled(i)
			c.Skipped = true
			m.addCall(j, c, nil)
		}
	}
}

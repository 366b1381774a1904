package town

import (
	"slices"
	"time"
)

// Town is Alder Bay at the time of a clock. It is safe for concurrent use.
type Town struct {
	meetings []*Meeting
	now      func() time.Time
}

// New opens the town with its meetings, which must be sorted by start; now is its clock.
func New(meetings []*Meeting, now func() time.Time) *Town { return &Town{meetings, now} }

// Moved returns the local midnight at which the second portal replaced the first.
func Moved() time.Time {
	return time.Date(2026, time.September, 1, 0, 0, 0, 0, time.FixedZone("PDT", -7*60*60))
}

// end is when the last document of meetings.json is published. After it nothing in the town
// changes, except the dates of later meetings.
var end = time.Date(2026, time.December, 5, 12, 0, 0, 0, time.FixedZone("PST", -8*60*60))

// Meetings returns the meetings on the city's calendars, by start: all past meetings and those of
// the next nine weeks. After end, planned meetings move by whole weeks, so that some are always in
// the future.
func (t *Town) Meetings() []*Meeting {
	const week = 7 * 24 * time.Hour
	now := t.now()
	weeks := max(0, int(now.Sub(end)/week))
	var out []*Meeting
	for _, m := range t.meetings {
		if weeks > 0 && m.Starts.After(end) {
			moved := *m
			moved.Starts = m.Starts.AddDate(0, 0, 7*weeks)
			m = &moved
		}
		if m.Starts.Before(now.Add(9 * week)) {
			out = append(out, m)
		}
	}
	return out
}

// Former returns the meetings on the first portal: before the move all meetings, afterwards only
// those from before it.
func (t *Town) Former() []*Meeting {
	moved := !t.now().Before(Moved())
	return slices.DeleteFunc(t.Meetings(), func(m *Meeting) bool {
		return moved && !m.Starts.Before(Moved())
	})
}

// Present returns the meetings on the second portal: those after the move, and copies of the last
// meetings before it. It omits withdrawn meetings.
func (t *Town) Present() []*Meeting {
	const copied = 42 // in days
	return slices.DeleteFunc(t.Meetings(), func(m *Meeting) bool {
		return m.Withdrawn || m.Starts.Before(Moved().AddDate(0, 0, -copied))
	})
}

// Posted reports whether a document published at a time is public; the zero time means never.
func (t *Town) Posted(at time.Time) bool {
	return !at.IsZero() && !at.After(end) && !t.now().Before(at)
}

// HasAgenda reports whether the agenda of a meeting is published.
func (t *Town) HasAgenda(m *Meeting) bool { return t.Posted(m.AgendaPosted) && len(m.Sections) > 0 }

// HasMinutes reports whether the minutes of a meeting are published.
func (t *Town) HasMinutes(m *Meeting) bool { return t.Posted(m.MinutesPosted) }

// HasPacket reports whether minutes with attachments are published.
func (t *Town) HasPacket(m *Meeting) bool {
	return t.HasMinutes(m) && (m.PacketOnly || m.Type == "Regular Meeting")
}

// HasPlain reports whether minutes without attachments are published.
func (t *Town) HasPlain(m *Meeting) bool { return t.HasMinutes(m) && !m.PacketOnly }

// Entered returns when the clerk enters the votes as data: on the evening of the meeting. The zero
// time means never.
func (m *Meeting) Entered() time.Time {
	if m.Cancelled || m.Scanned || len(m.Attendance) == 0 { // scanned minutes have no votes as data
		return time.Time{}
	}
	return m.Starts.Add(5 * time.Hour)
}

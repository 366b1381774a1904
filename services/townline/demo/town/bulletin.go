package town

import (
	"sync"
	"time"
)

// A Bulletin is what the city shows of its meetings at the time of a clock, on whichever portal: which are on the calendar, and which papers are
// out. It is safe for use by several goroutines.
type Bulletin struct {
	town *Town
	now  func() time.Time

	mu       sync.Mutex // guards the meetings of the day
	day      string
	meetings []*Meeting
}

// NewBulletin is the bulletin of a town; now is its clock.
func NewBulletin(t *Town, now func() time.Time) *Bulletin { return &Bulletin{town: t, now: now} }

// Now is the time of the clock.
func (b *Bulletin) Now() time.Time { return b.now() }

// Meetings are all meetings of the city's calendars now, in the order of their start.
func (b *Bulletin) Meetings() []*Meeting {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if day := now.Format(time.DateOnly); day != b.day || b.meetings == nil {
		b.day, b.meetings = day, b.town.Meetings(now)
	}
	return b.meetings
}

// Moved is the local midnight at which the city's present portal took over.
func (b *Bulletin) Moved() time.Time {
	return time.Date(moved.Year(), moved.Month(), moved.Day(), 0, 0, 0, 0, b.town.zone)
}

// Former are the meetings on the portal before: all there are until the city moves, and none of those after it from then on.
func (b *Bulletin) Former() []*Meeting {
	all := b.Meetings()
	if b.now().Before(b.Moved()) {
		return all
	}
	for i, m := range all {
		if !m.Starts.Before(b.Moved()) {
			return all[:i]
		}
	}
	return all
}

// Present are the meetings on the present portal: those since the move, and copies of the last ones before it. A meeting
// that was withdrawn is not shown there at all.
func (b *Bulletin) Present() []*Meeting {
	const copied = 42 // days
	var out []*Meeting
	for _, m := range b.Meetings() {
		if !m.Withdrawn && !m.Starts.Before(b.Moved().AddDate(0, 0, -copied)) {
			out = append(out, m)
		}
	}
	return out
}

// Posted reports whether something that appears at an instant is there by now; the zero time never comes.
func (b *Bulletin) Posted(at time.Time) bool { return !at.IsZero() && !b.now().Before(at) }

// HasAgenda reports whether the agenda of a meeting is out.
func (b *Bulletin) HasAgenda(m *Meeting) bool { return b.Posted(m.AgendaPosted) && len(m.Sections) > 0 }

// HasMinutes reports whether the minutes of a meeting are out.
func (b *Bulletin) HasMinutes(m *Meeting) bool {
	return b.Posted(m.MinutesPosted) && !m.Cancelled && len(m.Attendance) > 0
}

// HasPacket reports whether the minutes come with attachments.
func (b *Bulletin) HasPacket(m *Meeting) bool {
	return b.HasMinutes(m) && (m.PacketOnly || m.Type == "Regular Meeting")
}

// HasPlain reports whether the minutes come without attachments.
func (b *Bulletin) HasPlain(m *Meeting) bool { return b.HasMinutes(m) && !m.PacketOnly }

// Entered is when the clerk has entered the votes of a meeting into a system that has them as data: the evening that it was held.
func (m *Meeting) Entered() time.Time {
	if m.Cancelled || m.Scanned || len(m.Attendance) == 0 { // who only has a photocopy has no votes in the system either
		return time.Time{}
	}
	return m.Starts.Add(5 * time.Hour)
}

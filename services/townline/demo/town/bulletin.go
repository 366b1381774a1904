package town

import (
	"sync"
	"time"
)

// A Bulletin lists the meetings and documents that the city has published at the time of a clock.
// It is safe for concurrent use.
type Bulletin struct {
	town *Town
	now  func() time.Time

	mu       sync.Mutex // guards the meetings of the day
	day      string
	meetings []*Meeting
}

// NewBulletin returns the bulletin of a town; now is its clock.
func NewBulletin(t *Town, now func() time.Time) *Bulletin { return &Bulletin{town: t, now: now} }

func (b *Bulletin) Now() time.Time { return b.now() }

// Meetings returns all meetings on the city's calendars, by start.
func (b *Bulletin) Meetings() []*Meeting {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if day := now.Format(time.DateOnly); day != b.day || b.meetings == nil {
		b.day, b.meetings = day, b.town.Meetings(now)
	}
	return b.meetings
}

// Moved returns the local midnight at which the second portal replaced the first.
func (b *Bulletin) Moved() time.Time {
	return time.Date(moved.Year(), moved.Month(), moved.Day(), 0, 0, 0, 0, b.town.zone)
}

// Former returns the meetings on the first portal: until the move all of them, then those before
// the move.
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

// Present returns the meetings on the second portal: those since the move, and copies of the last
// ones before it. It leaves out withdrawn meetings.
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

// Posted reports whether at has passed; the zero time means never.
func (b *Bulletin) Posted(at time.Time) bool { return !at.IsZero() && !b.now().Before(at) }

// HasAgenda reports whether the agenda of a meeting is published.
func (b *Bulletin) HasAgenda(m *Meeting) bool { return b.Posted(m.AgendaPosted) && len(m.Sections) > 0 }

// HasMinutes reports whether the minutes of a meeting are published.
func (b *Bulletin) HasMinutes(m *Meeting) bool {
	return b.Posted(m.MinutesPosted) && !m.Cancelled && len(m.Attendance) > 0
}

// HasPacket reports whether minutes with attachments are published.
func (b *Bulletin) HasPacket(m *Meeting) bool {
	return b.HasMinutes(m) && (m.PacketOnly || m.Type == "Regular Meeting")
}

// HasPlain reports whether minutes without attachments are published.
func (b *Bulletin) HasPlain(m *Meeting) bool { return b.HasMinutes(m) && !m.PacketOnly }

// Entered returns when the clerk enters the votes as data: in the evening of the meeting. The zero
// time means never.
func (m *Meeting) Entered() time.Time {
	if m.Cancelled || m.Scanned || len(m.Attendance) == 0 { // scanned minutes have no votes as data
		return time.Time{}
	}
	return m.Starts.Add(5 * time.Hour)
}

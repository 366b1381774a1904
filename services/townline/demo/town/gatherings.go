package town

import (
	"fmt"
	"time"
)

// sitting starts a meeting of the council apart from the regular one; days count from the fortnight's Tuesday.
func (t *Town) sitting(n, place int, kind string, days, hour, minute int) (*Meeting, *chamber) {
	m := t.meeting(n, place, Council, kind, days, hour, minute)
	m.Attendance = attend(council(tuesday(n).AddDate(0, 0, days)), n+place, t.dice(900+place, n))
	c := t.chamber(m, 0, n)
	c.arrive(m)
	return m, c
}

// open and close are the sections that every sitting has.
func open() *Section { return &Section{Heading: "CALL TO ORDER"} }
func (c *chamber) close(hour int) *Section {
	return &Section{Heading: "ADJOURNMENT", Text: []string{"The meeting was adjourned at " + clock(c.r, hour) + "."}}
}

// closed is the session behind doors before a regular meeting; every other one reports a vote.
func (t *Town) closed(n int) *Meeting {
	m, c := t.sitting(n, closed, "Special Meeting/Closed Session", 0, 16, 30)
	m.Room, m.HasVideo = "City Hall, Conference Room A", false
	counsel := &Item{Title: "Conference with Legal Counsel – Existing Litigation: Coastal Neighbors v. City of Alder Bay", Kind: "Closed", Topic: "governance-procedural"}
	labor := &Item{Title: "Conference with Labor Negotiators: " + pick(c.r, words["union"]), Kind: "Closed", Topic: "personnel-labor"}
	session := &Section{Heading: "CLOSED SESSION", Items: []*Item{counsel, labor}}
	labor.Text = []string{"Direction was given to staff."}
	if n%2 == 0 {
		counsel.Text = []string{"The Council reported the following out of closed session."}
		counsel.Motions = []*Motion{c.vote("APPROVED", "authorize the settlement of the case", c.ranked(counsel)[len(c.present())-2:])}
	}
	m.Sections = []*Section{open(), {Heading: "PUBLIC COMMENT", Text: []string{"There was no public comment."}}, session, c.close(17)}
	number(m.Sections)
	return m
}

// special is a meeting on one matter; every other one is held jointly, and stands on the calendar three times.
func (t *Town) special(n int) *Meeting {
	m, c := t.sitting(n, special, "Special Meeting", 6, 17, 0)
	if n%12 == 2 {
		m.Twins = []Twin{{ID: m.ID - special + specialTwin, Board: Council}, {ID: m.ID - special + specialJoint, Board: Planning}}
	}
	file := filer(n)
	for range 26 { // the fortnight's other meetings number their files first
		file(subject{}, t.dice(0, 0))
	}
	matter := file(pick(c.r, hearingSubjects), c.r)
	matter.Text = prose(c.r)
	c.decide(matter, "split 3")
	second := file(pick(c.r, businessSubjects), c.r)
	c.decide(second, "split 1")
	m.Sections = []*Section{open(), {Heading: "PUBLIC COMMENT", Text: []string{"There was no public comment."}},
		{Heading: "SPECIAL BUSINESS", Items: []*Item{matter, second}}, c.close(19)}
	number(m.Sections)
	return m
}

// study is an evening of reports on which nothing is decided.
func (t *Town) study(n int) *Meeting {
	m, c := t.sitting(n, study, "Study Session", 7, 17, 0)
	m.Room, m.HasVideo = "Community Room, Central Library", n%2 == 0
	file := filer(n)
	for range 29 {
		file(subject{}, t.dice(0, 0))
	}
	var items []*Item
	for i, s := range []subject{
		{"budget-finance", "Report", "Five-Year Financial Forecast, Fiscal Year {fiscal}"},
		{"homelessness", "Report", "Regional Strategy on Homelessness: Progress and Costs"},
	} {
		it := file(s, c.r)
		it.Number = string(rune('A'+i)) + "."
		it.Text = prose(c.r)
		items = append(items, it)
	}
	items[1].Motions = []*Motion{{Word: "NO ACTION TAKEN"}}
	m.Sections = []*Section{open(), {Heading: "DISCUSSION ITEMS", Items: items}, c.close(19)}
	return m
}

// withdrawn is a meeting that was announced and taken back without being called cancelled.
func (t *Town) withdrawn(n int) *Meeting {
	m, _ := t.sitting(n, withdrawn, "Special Meeting", 2, 15, 0)
	m.Withdrawn = true
	m.AgendaPosted, m.MinutesPosted = time.Time{}, time.Time{}
	return m
}

// planning is the monthly meeting of the Planning Commission, whose votes are not the council's.
func (t *Town) planning(n int) *Meeting {
	m := t.meeting(n, planning, Planning, "Regular Meeting", 9, 18, 30)
	m.Attendance = attend(commission(), n+planning, t.dice(900+planning, n))
	c := t.chamber(m, 0, n)
	c.arrive(m)
	s := &Section{Heading: "PUBLIC HEARINGS"}
	for i := range 2 {
		s.Items = append(s.Items, &Item{
			File: fmt.Sprintf("PC-%d", 100+2*n+i), LegiFile: 9000 + 2*n + i, Kind: "Permit", Topic: "land-use-zoning",
			Title: subject{title: "Use Permit for a {n}-Seat Restaurant at {address}"}.write(c.r, tuesday(n).Year()),
		})
		c.decide(s.Items[i], []outcome{"agreed", "split 1"}[i])
	}
	m.Sections = []*Section{open(), s, c.close(20)}
	number(m.Sections)
	return m
}

// parks is the Parks and Recreation Commission, which seldom has a quorum.
func (t *Town) parks(n int) *Meeting {
	m := t.meeting(n, parks, Parks, "Regular Meeting", 8, 17, 30)
	m.Cancelled = n%4 == 1
	m.Room, m.Address = "Field House", "Orchard Park, Alder Bay, CA  95499"
	m.MinutesPosted = time.Time{}
	m.Sections = []*Section{open(), {Heading: "DISCUSSION ITEMS", Items: []*Item{{Number: "1.", Title: "Volunteer Day at Tidepool Park", Kind: "Report", Topic: "parks-recreation"}}}}
	return m
}

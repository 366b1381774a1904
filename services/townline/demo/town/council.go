package town

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// year, day and hour as minutes and titles print them.
const (
	longDate = "January 2, 2006"
	slashed  = "1/2/2006 3:04 PM"
)

// regular is the council's regular meeting of a fortnight, with what the meeting before put off.
func (t *Town) regular(n int) *Meeting {
	m := t.fresh(n)
	if m.Cancelled {
		return m
	}
	before := t.fresh(held(n-1, -1))
	c := t.chamber(m, 1, n)
	arrivals := c.arrive(m)
	unfinished := &Section{Heading: "UNFINISHED BUSINESS"}
	for _, s := range before.Sections {
		for _, it := range s.Items {
			if len(it.Motions) == 1 && it.Motions[0].Next != "" {
				again := *it
				again.Motions, again.Text = nil, []string{"The item was put off on " + before.Starts.Format(longDate) + "."}
				c.decide(&again, []outcome{"split 1", "split 2", "agreed", "split 3"}[n%4])
				unfinished.Items = append(unfinished.Items, &again)
			}
		}
	}
	var sections []*Section
	for _, s := range m.Sections {
		if s.Heading == "PUBLIC HEARINGS" && len(unfinished.Items) > 0 {
			unfinished.Text, arrivals = arrivals, nil
			sections = append(sections, unfinished)
		}
		if s.Heading == "PUBLIC HEARINGS" {
			s.Text = append(arrivals, s.Text...)
		}
		sections = append(sections, s)
	}
	m.Sections = sections
	number(m.Sections)
	nameConsent(m.Sections, t.chamber(m, 2, n))
	for _, k := range evenings(n) {
		slip(k, m.Sections)
	}
	return m
}

// chamber opens the session: who came is the meeting's attendance; purpose keeps the dice of two parts of an evening apart.
func (t *Town) chamber(m *Meeting, purpose, n int) *chamber {
	c := &chamber{r: t.dice(100*purpose+m.ID%10, n), gone: map[*Person]Position{}}
	for _, a := range m.Attendance {
		c.members = append(c.members, a.Person)
		switch a.Status {
		case "Absent", "Late": // whoever is late misses the consent calendar; see arrive
			c.gone[a.Person] = Absent
		case "Excused":
			c.gone[a.Person] = Excused
		}
	}
	next := tuesday(held(n+1, 1))
	c.next = time.Date(next.Year(), next.Month(), next.Day(), 18, 0, 0, 0, time.UTC).Format(slashed)
	return c
}

// arrive lets those who were late take their seats, and tells what the minutes say of it.
func (c *chamber) arrive(m *Meeting) []string {
	var out []string
	for _, a := range m.Attendance {
		if a.Status == "Late" {
			delete(c.gone, a.Person)
			out = append(out, a.Addressed()+" arrived at "+a.Arrived+".")
		}
	}
	return out
}

// attend decides who comes to the meeting of a fortnight.
func attend(members []*Person, n int, r *rand.Rand) []Attendee {
	var out []Attendee
	for _, p := range members {
		out = append(out, Attendee{Person: p, Status: "Present"})
	}
	who := 1 + r.IntN(len(out)-1) // whoever presides is always there
	switch {
	case n%5 == 3:
		out[who].Status, out[who].Arrived = "Late", clock(r, 18)
	case n%6 == 4:
		out[who].Status = "Excused"
	case n%6 == 2:
		out[who].Status = "Absent"
	case n%4 == 1:
		out[who].Status = "Remote"
	}
	return out
}

// fresh is a regular meeting without what was put off before: what this fortnight brings by itself.
func (t *Town) fresh(n int) *Meeting {
	m := t.meeting(n, regular, Council, "Regular Meeting", 0, 18, 0)
	m.Cancelled = cancelled(n)
	m.Attendance = attend(council(tuesday(n)), n, t.dice(900, n))
	m.HasVideo = true
	m.Scanned = scanned(n)
	m.PacketOnly = n%5 == 2
	c := t.chamber(m, 0, n)
	file := filer(n)

	sections := []*Section{
		{Heading: "CALL TO ORDER"},
		{Heading: "PLEDGE OF ALLEGIANCE"},
		t.ceremonial(n, c, file),
		{Heading: "PUBLIC COMMENT", Text: []string{
			pick(c.r, words["person"]) + " spoke about noise from the harbor at night.",
			pick(c.r, words["person"]) + " thanked the Public Works crew. A petition with " + draw(c.r, "n", 0) + " signatures was handed to the City Clerk.",
		}},
	}
	if n%3 == 1 {
		sections = append(sections, &Section{Heading: "REPORT FROM CLOSED SESSION", Text: []string{"The City Attorney stated that there was no reportable action."}})
	}
	consent, pulled := t.consent(n, c, file)
	sections = append(sections, consent)
	if len(pulled.Items) > 0 {
		sections = append(sections, pulled)
	}
	c.arrive(m)
	subjects := t.shuffled(businessSubjects)
	hearings, business := &Section{Heading: "PUBLIC HEARINGS"}, &Section{Heading: "NEW BUSINESS"}
	at := 7 * n
	heard := t.shuffled(hearingSubjects)
	for i := range 1 + n%2 {
		it := file(heard[(3*n+i)%len(heard)], c.r)
		it.Text = []string{"The Mayor opened the public hearing at " + clock(c.r, 18) + ". " + pick(c.r, words["person"]) + " spoke in favor. The hearing was closed at " + clock(c.r, 19) + "."}
		c.decide(it, outcomes[at%len(outcomes)])
		at++
		hearings.Items = append(hearings.Items, it)
	}
	for i := range 5 + n%3 {
		it := file(subjects[(7*n+i)%len(subjects)], c.r)
		it.Text = append(it.Text, prose(c.r)...)
		o := outcomes[at%len(outcomes)]
		at++
		if turn(n, 8, 2) && i == 1 {
			o = "abstained" // the evening on which the clerk misspells the word
		}
		if turn(n, 5, 1) && i == 3 {
			o = "failed"
		}
		if n%6 == 3 && i == 2 {
			who := c.present()[c.r.IntN(len(c.present()))]
			it.Text = append(it.Text, who.Addressed()+" left the room.")
			c.without(who, Away, func() { c.decide(it, "agreed") })
		} else {
			c.decide(it, o)
		}
		business.Items = append(business.Items, it)
	}
	m.Sections = append(sections, hearings, business,
		&Section{Heading: "COUNCIL REPORTS AND REQUESTS", Text: []string{c.members[1].Addressed() + " reported on the Harbor Commission, whose vote on dredging had been 4 to 1."}},
		&Section{Heading: "ADJOURNMENT", Text: []string{"The Mayor adjourned the meeting at " + clock(c.r, 21) + "."}})
	return m
}

// shuffled is the town's own order of subjects: it goes through all of them before one comes up again.
func (t *Town) shuffled(from []subject) []subject {
	out := slices.Clone(from)
	t.dice(0, 0).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// filer numbers the files of a fortnight: files are numbered through the year, legislative files through the portal's life.
func filer(n int) func(subject, *rand.Rand) *Item {
	year := tuesday(n).Year()
	january := index(time.Date(year, 1, 13, 0, 0, 0, 0, time.UTC))
	k := 0
	return func(s subject, r *rand.Rand) *Item {
		k++
		it := &Item{
			File: fmt.Sprintf("%d-%03d", year, max(n-january, 0)*22+k), LegiFile: 4000 + 40*n + k,
			Title: s.write(r, year), Kind: s.kind, Topic: s.topic,
		}
		for range r.IntN(3) {
			it.Attachments = append(it.Attachments, pick(r, []string{"Draft Resolution", "Site Map", "Fiscal Impact Statement", "Correspondence Received", "Staff Presentation"}))
		}
		return it
	}
}

// ceremonial is the part of the meeting without votes.
func (t *Town) ceremonial(n int, c *chamber, file func(subject, *rand.Rand) *Item) *Section {
	s := &Section{Heading: "CEREMONIAL MATTERS", Items: []*Item{file(subject{"other", "Proclamation", "Proclamation Recognizing " + pick(c.r, words["person"]) + " for {n} Years of Service"}, c.r)}}
	if retired, joined := changes(tuesday(held(n-1, -1)), tuesday(n)); retired != nil {
		s.Items = append(s.Items, file(subject{"other", "Presentation", "Farewell to Councilmember " + retired.Name}, c.r),
			file(subject{"governance-procedural", "Presentation", "Oath of Office of Councilmember " + joined.Name}, c.r))
	}
	return s
}

// consent is the consent calendar and, apart, what was pulled from it.
func (t *Town) consent(n int, c *chamber, file func(subject, *rand.Rand) *Item) (consent, pulled *Section) {
	consent = &Section{Heading: "CONSENT CALENDAR", EachBlock: n%3 == 2, Text: []string{"All items on the Consent Calendar are considered routine and are enacted by one motion."}}
	pulled = &Section{Heading: "ITEMS REMOVED FROM THE CONSENT CALENDAR"}
	last := tuesday(held(n-1, -1))
	consent.Items = append(consent.Items, &Item{Title: "Approval of the Minutes of the Regular Meeting of " + last.Format(longDate), Kind: "Minutes", Topic: "governance-procedural"})
	taken := map[int]bool{}
	for range 6 + n%4 {
		i := c.r.IntN(len(consentSubjects))
		if taken[i] {
			continue
		}
		taken[i] = true
		consent.Items = append(consent.Items, file(consentSubjects[i], c.r))
	}
	for i := range n % 3 { // none, one or two items are pulled
		if 2+2*i >= len(consent.Items) {
			break
		}
		it := consent.Items[2+2*i]
		by := pick(c.r, c.present())
		it.Pulled = by.Addressed()
		own := *it
		own.Pulled = ""
		own.Text = []string{by.Addressed() + " asked how the cost compares with the year before. Staff answered."}
		c.decide(&own, []outcome{"agreed", "split 1", "split 2"}[c.r.IntN(3)])
		pulled.Items = append(pulled.Items, &own)
	}
	return consent, pulled
}

// nameConsent votes on the consent calendar, once the items have their numbers.
func nameConsent(sections []*Section, c *chamber) {
	for _, s := range sections {
		if s.Heading != "CONSENT CALENDAR" {
			continue
		}
		text := fmt.Sprintf("approve Consent Calendar Items %s through %s", trim(s.Items[0].Number), trim(s.Items[len(s.Items)-1].Number))
		var without []string
		for _, it := range s.Items {
			if it.Pulled != "" {
				without = append(without, trim(it.Number))
			}
		}
		switch len(without) {
		case 1:
			text += ", with the exception of Item " + without[0]
		case 2:
			text += ", with the exception of Items " + without[0] + " and " + without[1]
		}
		var against []*Person
		if c.r.IntN(6) == 0 {
			against = c.ranked(s.Items[1])[len(c.present())-1:]
		}
		s.Consent = c.vote("APPROVED", text, against)
	}
}

// number gives the items of an agenda their numbers, through all sections; a pulled item keeps its own.
func number(sections []*Section) {
	n := 0
	kept := map[string]string{}
	for _, s := range sections {
		for _, it := range s.Items {
			if had := kept[it.File]; had != "" && it.File != "" {
				it.Number = had
				continue
			}
			n++
			it.Number = fmt.Sprintf("%d.", n)
			if it.Pulled != "" {
				kept[it.File] = it.Number
			}
		}
	}
}

// trim is an item's number without the full stop.
func trim(number string) string { return number[:len(number)-1] }

// prose is what the minutes say of a discussion; figures in it are no votes.
func prose(r *rand.Rand) []string {
	return []string{pick(r, []string{
		"The City Manager presented the staff report. In reply to a question, staff said that the Planning Commission had voted 4 to 1.",
		"Public comment was received from " + pick(r, words["person"]) + " and " + pick(r, words["person"]) + ".",
		"The Council asked about cost, timing and the conditions of the grant. The increase over last year is about " + draw(r, "n", 0) + " percent.",
		"Staff answered questions. No member of the public wished to speak.",
	})}
}

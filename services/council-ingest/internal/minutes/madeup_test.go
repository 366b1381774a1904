package minutes

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// meeting prints complete minutes of a meeting.
func (p *press) meeting() {
	t := p.t
	p.put("Village of Ostrander", "Village Board", "Regular Meeting Minutes", "Monday, February 9, 2026", "")
	section, count := 1, 0
	p.heading(section, "Call to Order")
	p.attendance()
	if p.style.consent != "" {
		section, count = p.consent(section+1, count)
	}
	for _, title := range []string{"Public Hearings", "New Business"} {
		section++
		printedTitle := p.heading(section, title)
		fewest := 1
		if p.style.ownNumbers() {
			fewest = 3 // the parser needs several tables to detect this numbering
		}
		for k := range rapid.IntRange(fewest, 5).Draw(t, "items") {
			count++
			v := drawVote(t, p.members)
			title := fmt.Sprintf("%s (Case %d)", v.title, count)
			switch rapid.IntRange(0, 5).Draw(t, "shape") {
			case 0:
				title = strings.ToUpper(title)
			case 1:
				title = fmt.Sprintf("2026 Budget, Part %d: %s, and the Parts Needed to Keep it Going for Ten Years More", count,
					v.title)
			case 2:
				title = fmt.Sprintf("“%s” (Case %d)", v.title, count)
			}
			if rapid.IntRange(0, 9).Draw(t, "fate") == 0 {
				number, file := p.number(section, k+1, count), p.file(count)
				page := p.item(number, file, title)
				p.record(number, file, printedTitle, title, page, false,
					p.fate(rapid.SampledFrom([]string{"WITHDRAWN", "NO ACTION TAKEN", "REFERRED TO THE FINANCE COMMITTEE",
						"PLACED ON FILE"}).Draw(t, "result")))
				continue
			}
			number, file := p.number(section, k+1, count), p.file(count)
			page := p.item(number, file, title)
			var votes []record.Vote
			for seq := range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "votes") {
				if seq > 0 {
					v = drawVote(t, p.members)
				}
				if rapid.Bool().Draw(t, "talk") {
					p.gap(true)
					p.put(wrap(fmt.Sprintf("Letter %d of the %s was received and is on file. %s asked how long the detour on Mill "+
						"Road would last; staff answered that the work takes 6 to 8 weeks.",
						count, rapid.SampledFrom([]string{"library", "harbor master", "school board", "fire company"}).Draw(t, "writer"),
						rapid.SampledFrom([]string{"A resident", "The owner", "His neighbor"}).Draw(t, "asker")), 76)...)
				}
				motion := p.motionOf(v, rapid.SampledFrom([]string{"approve the request as presented", "adopt the resolution and " +
					"direct staff to report in 90 days", "approve items A, B and C"}).Draw(t, "what"))
				votes = append(votes, p.vote(v, seq+1, motion))
			}
			p.record(number, file, printedTitle, title, page, false, votes...)
		}
	}
	p.heading(section+1, "Adjournment")
	p.put("The meeting was adjourned at 8:15 PM.")
	if p.style.packet && p.style.files != "" {
		for _, it := range slices.Clone(p.want) {
			if it.Votes[0].Mover == nil {
				continue // there is no vote on it
			}
			p.gap(true)
			p.put("Village Board Resolution "+*it.FileNumber, strings.ToUpper(it.Title), "", "THE VOTE")
			kept := p.want
			for _, v := range it.Votes {
				p.vote(printed{result: v.ResultRaw, mover: *v.Mover, seconder: *v.Seconder,
					roll: [5][]string{v.Roll.Of(council.Aye), v.Roll.Of(council.Nay), v.Roll.Of(council.Abstain),
						v.Roll.Of(council.Absent), v.Roll.Of(council.Recused)}},
					1, "")
			}
			p.want = kept
		}
	}
}

func (p *press) attendance() {
	switch p.style.attend {
	case "table":
		p.put("", fmt.Sprintf("  %-26s%-24s%-12s%s", "Attendee Name", "Title", "Status", "Arrived"))
		for _, m := range p.members {
			p.put(fmt.Sprintf("  %-26s%-24s%-12s", m, p.layout.office, "Present"))
		}
	case "list":
		p.put("", "PRESENT:  "+p.layout.office+" "+p.members[0])
		for _, m := range p.members[1:] {
			p.put("          " + p.layout.office + " " + m)
		}
	}
	p.put("")
}

// consent prints a consent calendar. Sometimes an item is removed from it.
func (p *press) consent(section, count int) (int, int) {
	t := p.t
	title := p.heading(section, rapid.SampledFrom([]string{"Consent Calendar", "Unanimous Consent", "Consent Agenda"}).
		Draw(t, "heading"))
	items := rapid.IntRange(2, 5).Draw(t, "listed")
	out := -1
	if p.style.pulled != "" {
		out = rapid.IntRange(0, items-1).Draw(t, "out")
		if items == 2 {
			p.style.pulled, out = "", -1
		}
	}
	v := printed{roll: [5][]string{p.members}, mover: p.members[0], seconder: p.members[1], result: "APPROVED [UNANIMOUS]"}
	number := func(k int) string { return p.number(section, k+1, count+k+1) }
	what := "approve the calendar"
	if p.style.pulled == "said" {
		p.gap(true)
		p.put(wrap(fmt.Sprintf("%s %s asked that item %s be removed from the calendar for discussion.", p.layout.office,
			p.called(p.members[2]), lexicon.ItemName(number(out))), 76)...)
	}
	if p.style.pulled == "except" {
		what += ", except item " + lexicon.ItemName(number(out))
		if p.style.motion == "" {
			p.gap(true)
			p.put("All items were approved except item " + lexicon.ItemName(number(out)) + ".")
		}
	}
	var vote record.Vote
	if p.style.consent != "after" {
		motion := p.motionOf(v, what)
		if p.style.consent == "first" {
			vote = p.vote(v, 1, motion)
		} else {
			vote.MotionText = motion
		}
	}
	var pulledTitle, pulledFile, pulledNumber string
	from := len(p.want)
	for k := range items {
		name := fmt.Sprintf("%s (List %d)", subjects[k], k+1)
		file := p.file(count + k + 1)
		if k == out {
			pulledTitle, pulledFile, pulledNumber = name, file, number(k)
			if p.style.pulled == "stub" {
				p.item(number(k), "", "Item "+lexicon.ItemName(number(k))+" moved to Items Removed")
				continue
			}
		}
		page := p.item(number(k), file, name)
		if k == out {
			continue
		}
		if p.style.consent == "each" {
			motion := vote.MotionText
			vote = p.vote(v, 1, motion)
		}
		p.record(number(k), file, title, name, page, true, vote)
	}
	if p.style.consent == "after" {
		motion := p.motionOf(v, what)
		vote = p.vote(v, 1, motion)
		for i := from; i < len(p.want); i++ {
			p.want[i].Votes[0] = vote
		}
	}
	for i := from; i < len(p.want); i++ {
		p.want[i].Votes[0].ViaConsent = true
	}
	count += items
	if out >= 0 {
		section++
		heading := p.heading(section, rapid.SampledFrom([]string{"Items Removed from the Consent Calendar",
			"Consent Items Pulled for Discussion"}).Draw(t, "removed"))
		w := drawVote(t, p.members)
		page := p.item(pulledNumber, pulledFile, pulledTitle)
		motion := p.motionOf(w, "approve it")
		p.record(pulledNumber, pulledFile, heading, pulledTitle, page, false, p.vote(w, 1, motion))
	}
	return section, count
}

// madeUp draws complete minutes of a made-up town.
var madeUp = rapid.Custom(func(t *rapid.T) *press {
	p := &press{t: t, layout: drawLayout(t), style: drawStyle(t), marks: map[int]*int{}}
	p.layout.office = rapid.SampledFrom(offices).Draw(t, "office")
	for i := range rapid.IntRange(4, len(surnames)).Draw(t, "members") {
		p.members = append(p.members, given[i]+" "+surnames[i])
		p.names = append(p.names, surnames[i])
	}
	if rapid.Bool().Draw(t, "cousins") { // two members have the same last name
		p.members = append(p.members, "Zora "+surnames[0])
		p.names[0] = given[0][:1] + ". " + surnames[0]
		p.names = append(p.names, "Z. "+surnames[0])
	}
	p.meeting()
	p.printed = p.text()
	return p
})

// eachDrawn runs a check on the same hundred or so values each time. If TOWNLINE_EVERYTHING is set,
// it uses new values.
func eachDrawn[V any](t *testing.T, drawn *rapid.Generator[V], check func(fail func(format string, args ...any), v V)) {
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		rapid.Check(t, func(t *rapid.T) { check(t.Fatalf, drawn.Draw(t, "drawn")) })
		return
	}
	for seed := range 80 {
		check(func(format string, args ...any) {
			t.Fatalf("seed %d: "+format, append([]any{seed}, args...)...)
		}, drawn.Example(seed))
	}
}

// TestMadeUpMinutesAreReadBack prints complete minutes in every dialect. The record must have every
// item, vote, name and page, but no anomaly.
func TestMadeUpMinutesAreReadBack(t *testing.T) {
	t.Parallel()
	parser := NewParser(Options{})
	eachDrawn(t, madeUp, func(fail func(format string, args ...any), p *press) {
		r := parser.Parse(p.printed)
		if diff := cmp.Diff(p.want, r.Items, cmpopts.IgnoreUnexported(record.Vote{}), cmpopts.EquateEmpty()); diff != "" {
			fail("-want +got:\n%s\n%s", diff, p.printed)
		}
		for _, a := range r.Anomalies {
			if a.Code == council.CodeBlockRepeated {
				continue // the two votes are equal
			}
			fail("anomaly %s: %s\n%s", a.Code, a.Message, p.printed)
		}
	})
}

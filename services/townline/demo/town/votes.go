package town

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"
)

// chamber is a board in session: who is there, and the dice of the evening.
type chamber struct {
	r       *rand.Rand
	members []*Person
	// gone are the members who take no part in the vote at hand, and how the clerk records them.
	gone map[*Person]Position
	// next is the date and hour to which business is put off, as the clerk prints it.
	next string
}

// present are the members who can vote now.
func (c *chamber) present() []*Person {
	return slices.DeleteFunc(slices.Clone(c.members), func(p *Person) bool { return c.gone[p] != "" })
}

// without runs a part of the meeting while a member is out of the room.
func (c *chamber) without(p *Person, as Position, do func()) {
	if c.gone[p] != "" {
		do()
		return
	}
	c.gone[p] = as
	do()
	delete(c.gone, p)
}

// ranked orders the members present by how well they like an item, the keenest first. Each has a camp and a view on each
// topic; some evenings luck decides.
func (c *chamber) ranked(it *Item) []*Person {
	side := 1.0
	if hash(it.Title)%2 == 0 {
		side = -1
	}
	score := map[*Person]float64{}
	for _, p := range c.present() {
		view := float64(hash(p.Name+it.Topic)%200)/100 - 1
		score[p] = side*p.lean + 0.6*view + 0.35*(2*c.r.Float64()-1)
	}
	out := c.present()
	slices.SortStableFunc(out, func(a, b *Person) int { return cmp.Compare(score[b], score[a]) })
	return out
}

// vote takes a vote in which the given members are against and the others present for; abstaining ones are counted apart.
// Mover and seconder are drawn from those in favor.
func (c *chamber) vote(word, text string, against []*Person, abstain ...*Person) *Motion {
	m := &Motion{Word: word, Tally: true}
	rows := map[Position][]*Person{}
	for _, p := range c.members {
		as := Aye
		switch {
		case c.gone[p] != "":
			as = c.gone[p]
		case slices.Contains(abstain, p):
			as = Abstain
		case slices.Contains(against, p):
			as = Nay
		}
		rows[as] = append(rows[as], p)
	}
	for _, as := range []Position{Aye, Nay, Abstain, Absent, Excused, Away, Recused} {
		if len(rows[as]) > 0 {
			m.Rolls = append(m.Rolls, Roll{as, rows[as]})
		}
	}
	if ayes := rows[Aye]; len(ayes) > 1 {
		i := c.r.IntN(len(ayes))
		m.Mover, m.Seconder = ayes[i], ayes[(i+1+c.r.IntN(len(ayes)-1))%len(ayes)]
		m.Text = m.Mover.Addressed() + " made the motion to " + text + "."
	}
	return m
}

// outcome is what becomes of an item.
type outcome string

// The mix of outcomes: every meeting takes its own stretch of the list, so any few months hold all of them.
var outcomes = []outcome{
	"agreed", "split 2", "agreed", "amended", "agreed", "split 3", "continued", "agreed", "recused", "split 1", "failed", "agreed",
	"substitute", "agreed", "abstained", "split 2", "no action", "agreed", "tabled", "split 3", "question", "agreed", "failed", "split 1",
	"referred", "no second", "amended", "withdrawn", "split 3",
}

// decide lets the board deal with an item.
func (c *chamber) decide(it *Item, o outcome) {
	verb, word := it.verb()
	like := c.ranked(it)
	least := func(n int) []*Person { return like[len(like)-n:] }
	add := func(m *Motion) *Motion { it.Motions = append(it.Motions, m); return m }
	settle := func(n int, as string) {
		against := least(n)
		if len(like)-n <= n {
			as = "FAILED"
		}
		m := add(c.vote(as, verb, against))
		if n > 0 && c.r.IntN(2) == 0 {
			m.After = append(m.After, "The motion "+carried(as)+" with "+names(against)+" opposed.")
		}
	}
	switch o {
	case "agreed":
		settle(0, word)
	case "split 1":
		settle(1, word)
	case "split 2":
		settle(2, word)
	case "split 3":
		settle(3, word)
	case "amended":
		m := add(c.vote("PASSED", "amend the item to require a report to the Council within "+fmt.Sprint(3+c.r.IntN(9))+" months", least(c.r.IntN(3))))
		m.Label = "VOTE ON THE MOTION TO AMEND"
		settle(1, word+" AS AMENDED")
		it.Motions[1].Label = "VOTE ON THE MAIN MOTION AS AMENDED"
	case "substitute":
		m := add(c.vote("FAILED", "substitute a continuance of ninety days", like[:len(like)-len(like)/2]))
		m.Label = "VOTE ON THE SUBSTITUTE MOTION"
		settle(len(like)/2, word)
		it.Motions[1].Label = "VOTE ON THE MAIN MOTION"
	case "question":
		add(c.vote("PASSED", "call the question", nil)).Label = "VOTE ON THE MOTION TO CALL THE QUESTION"
		settle(2, word)
		it.Motions[1].Label = "VOTE ON THE MAIN MOTION"
	case "failed":
		failed := pick(c.r, []string{"FAILED", "NOT ADOPTED", "DENIED"})
		add(c.vote(failed, verb, least(len(like)/2+1)))
	case "continued":
		add(c.vote("CONTINUED", "continue the item to a date certain", least(c.r.IntN(2)))).Next = c.next
	case "tabled":
		add(c.vote("TABLED", "table the item", least(2))).Next = c.next
	case "referred":
		add(c.vote("REFERRED TO THE HARBOR ADVISORY COMMITTEE", "refer the item to the Harbor Advisory Committee", nil))
	case "no action":
		it.Text = append(it.Text, "The Council discussed the item and gave no direction.")
		add(&Motion{Word: "NO ACTION TAKEN"})
	case "withdrawn":
		it.Text = append(it.Text, "Staff asked that the item be withdrawn.")
		add(&Motion{Word: "WITHDRAWN"})
	case "no second":
		it.Text = append(it.Text, like[0].Addressed()+" made the motion to deny the item. The motion died for lack of a second.")
		settle(1, word)
	case "abstained":
		who := like[len(like)/2]
		it.Text = append(it.Text, who.Addressed()+" said that there had not been time to read the report.")
		add(c.vote(word, verb, nil, who))
	case "recused":
		who := like[len(like)/2]
		it.Text = append(it.Text, who.Addressed()+" owns property within 500 feet of the site, recused and left the dais at "+clock(c.r, 19)+".")
		c.without(who, Recused, func() { add(c.vote(word, verb, slices.DeleteFunc(least(1), func(p *Person) bool { return p == who }))) })
	}
}

// verb is what a motion on the item proposes, and the word by which the clerk records that it carried.
func (it *Item) verb() (verb, word string) {
	switch it.Kind {
	case "Resolution":
		return "adopt Resolution No. " + it.File, "ADOPTED"
	case "Ordinance":
		return "waive the reading and pass Ordinance No. " + it.File + " by title only", "PASSED"
	case "Report":
		return "accept the report", "ACCEPTED"
	}
	return "approve the staff recommendation", "APPROVED"
}

// carried is what the prose says of a result.
func carried(word string) string {
	if word == "FAILED" {
		return "failed"
	}
	return "carried"
}

// names lists people as prose does.
func names(people []*Person) string {
	out := ""
	for i, p := range people {
		switch {
		case i == 0:
		case i == len(people)-1:
			out += " and "
		default:
			out += ", "
		}
		out += p.Addressed()
	}
	return out
}

// clock draws a minute of an hour of the evening.
func clock(r *rand.Rand, hour int) string {
	return time.Date(2000, 1, 1, hour, r.IntN(60), 0, 0, time.UTC).Format("3:04 PM")
}

// hash is a number that follows from a text, spread evenly.
func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>27
}

// slips are the clerk's mistakes, one a meeting in turn.
var slips = []Slip{BareBracket, WrongTally, Misspelt, NoMover, NoTally, WrongName, NoColon, TwoMovers}

// slip has the clerk of meeting n make one mistake, in the first vote in which it can be made.
func slip(n int, sections []*Section) {
	kind := slips[n%len(slips)]
	for _, s := range sections {
		for _, it := range s.Items {
			for _, m := range it.Motions {
				if m.Slip == NoSlip && m.takes(kind) {
					m.Slip = kind
					return
				}
			}
		}
	}
}

// takes tells whether a slip would show in a vote.
func (m *Motion) takes(s Slip) bool {
	agreed := m.Mover != nil && m.Word != "FAILED" && len(m.Of(Nay)) == 0 && len(m.Of(Abstain)) == 0
	switch s {
	case WrongTally:
		return len(m.Of(Nay)) > 0
	case Misspelt:
		return len(m.Of(Abstain)) > 0
	case WrongName:
		return len(m.Of(Aye)) >= 5 // printed by last name only
	}
	return agreed && m.Next == ""
}

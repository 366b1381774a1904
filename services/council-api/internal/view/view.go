// Package view is what readers of votes see: one view and one template a page. A view holds texts and numbers that are ready to be
// written; its template lays them out.
//
// It is pure: views in, HTML out. It asks no database and knows no request. The functions that fill the views are in
// internal/pages. What all sites share, such as the layout, is in pkg/site, whose comment says how a page is added.
package view

import (
	"embed"

	"github.com/townline/townline/pkg/site"
)

//go:embed *.html words assets
var files embed.FS

// Open reads the templates, words and files.
func Open() (*site.Site, error) { return site.New(site.Part{Files: files}) }

// A Ref is a text that leads somewhere; without an address it is text alone.
type Ref struct{ Text, Address string }

// Home is the start page.
type Home struct {
	site.Head
	Find    Form
	Intro   string
	Meeting *MeetingLine // the latest one with votes
	Split   []VoteLine   // the newest ones of all meetings
	All     string       // address of all split votes
	Numbers []string     // the dataset in words
	Report  string
}

// Meetings lists meetings.
type Meetings struct {
	site.Head
	Find  Form
	Lines []MeetingLine
	Pager
	Report string
}

// A MeetingLine is a meeting in a list.
type MeetingLine struct {
	Address, Title, Date, Kind, Status string
	Votes                              string // how many, in words; "" for none
}

// Votes lists votes.
type Votes struct {
	site.Head
	Find  Form
	Lines []VoteLine
	Pager
	Found  string  // how many, in words
	Facets []Facet // ways to fewer of them
	Files  []Ref   // the same list in other forms
	Report string
}

// A Facet is ways to a part of a list, by one thing that votes have in common.
type Facet struct {
	Name string
	Ways []Tally
}

// A VoteLine is a vote in a list.
type VoteLine struct {
	Address, Title, Number string
	Motion                 string // "" where the minutes do not word it
	Of                     string // which motion it is, "" for the only one of its item
	Date, Meeting          string // day and address of its meeting; "" on that meeting's page
	Outcome
	Consent bool
	Stands  []Stand // what those did whom the list is about
}

// An Outcome is how a vote ended.
type Outcome struct {
	Kind, Symbol, Word string // adopted, failed …
	Count              string // "5 to 1"
	Split              bool   // somebody voted, and not all alike
	Differs            bool   // the roll names other numbers than Count
	Raw                string // as printed
}

// A Stand is the position of a member.
type Stand struct{ Kind, Symbol, Word, Name string }

// A RollRow is everybody with one position.
type RollRow struct {
	Kind, Symbol, Word string
	Names              []Ref
}

// A Pager leads to the rest of a list.
type Pager struct{ First, Next string }

// A Form asks for a list by its filters.
type Form struct {
	Action, Button string
	Lang           string // "" where the address need not name it
	Fields         []Field
	More           []Field // behind a summary
	Open           bool    // some of More are set
}

// A Field is one filter: a choice where it has options.
type Field struct {
	Name, Label, Type, Value string
	Options                  []Option
}

// An Option is one answer.
type Option struct {
	Value, Text string
	Chosen      bool
}

// Meeting is a meeting with all that happened, in the order of its document.
type Meeting struct {
	site.Head
	When, Where, Status, Kind string
	Links                     []Ref
	Items                     []Item
	Labelled                  bool // a machine labelled some item
	Anomalies                 []Anomaly
	Report                    string
}

// An Item is an item of an agenda.
type Item struct {
	ID                     int64
	Again                  bool   // the item before, with another motion
	Section                string // heading, where another one begins
	Number, Title, Address string
	Label                  *Label
	Answered               []Anomaly
	Votes                  []ItemVote
	Block                  *ConsentBlock // of items adopted by one vote, of which this is the first
}

// A ConsentBlock is items that one vote adopted.
type ConsentBlock struct {
	Vote  ItemVote
	Items []Item // without a vote: an item that was taken from the block
}

// Adopted is how many of the items the vote is about.
func (b *ConsentBlock) Adopted() (n int) {
	for i := range b.Items {
		n += len(b.Items[i].Votes)
	}
	return n
}

// An ItemVote is a vote below its item, with its roll.
type ItemVote struct {
	VoteLine
	Moved string
	Roll  []RollRow // positions that somebody took
}

// A Label is what a machine says of an item.
type Label struct {
	Topic   Ref
	Summary string
}

// An Anomaly is what is wrong in the sources, in words.
type Anomaly struct {
	Doubt, Message, Date, Address, Title, Where string
	Answer
}

// Answer is where the review of an anomaly stands; the zero Answer is of one of which nobody has said anything.
type Answer struct{ State, Reply, By string }

// Vote is a vote with the proof of it.
type Vote struct {
	site.Head
	ID          int64
	Item        Ref
	Number, Of  string
	Meeting     Ref
	Motion      string
	Outcome     Outcome
	Consent     bool
	Moved       []Fact // mover and seconder
	Named       bool   // somebody is named
	Unnamed     string // why nobody is
	Roll        []RollRow
	Sources     []Ref
	Record      bool // the portal recorded it, and no minutes say so yet
	Printed     string
	Checks      []Check
	Verdict     string
	Present     []Presence
	Anomalies   []Anomaly
	Changes     []Change
	Corrections []Act
	AllChanges  string
	Label       *Label
	Source      string
	Report      string
}

// A Fact is a name and what it is.
type Fact struct {
	Name string
	Ref
}

// A Check is a line of the proof: what is printed beside what is counted.
type Check struct {
	Word           string
	Printed, Named string
	Differs        bool
}

// A Presence is a line of the attendance.
type Presence struct {
	Ref
	Title, Status string
}

// A Change is a line of the record of corrections.
type Change struct {
	Date, What, Reason string
	Fields             string
	Counts             []string // of what was published, in words
	Values             []Fact   // before and after
	More               []Fact   // what the line stands for
	Ref
}

// Members lists everybody who voted.
type Members struct {
	site.Head
	Rows        []MemberRow
	Unconfirmed []MemberRow // whose names are in no attendance list
	Agreement   string
	Report      string
}

// A MemberRow is a member in a table.
type MemberRow struct {
	Ref
	Span  string // in which votes are recorded
	Votes int64
}

// Member is the record of a member.
type Member struct {
	site.Head
	Span     string
	Record   []Tally
	Facts    []Tally
	Dissents []Tally // with the lists that they are counted in
	Topics   []TopicRow
	// MoreTopics are the less frequent ones.
	MoreTopics []TopicRow
	Present    []Tally // how often each status is printed in attendance lists
	Agree      []AgreeRow
	Find       Form
	Lines      []VoteLine
	Pager
	Feed   string
	Report string
}

// A Tally is how often, with the list that it counts.
type Tally struct {
	Symbol, Kind, Word string
	Count              int64
	Address            string
}

// A TopicRow is a member's votes on a topic.
type TopicRow struct {
	Ref
	Count, Nays int64
}

// An AgreeRow is how often another member voted alike.
type AgreeRow struct {
	Ref
	Shared, Agreed int64
	Rate           string
}

// Simple is a page of paragraphs.
type Simple struct {
	site.Head
	Intro string
	Parts []Section
}

// A Section is a heading with what is below it.
type Section struct {
	ID, Title string
	Texts     []string
	Links     []Ref
	Terms     []Fact
}

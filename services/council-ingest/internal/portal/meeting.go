package portal

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
)

// State is whether a meeting takes place.
type State string

// The states of a meeting.
const (
	Planned   State = "planned" // or held: portals do not say
	Cancelled State = "cancelled"
	Deferred  State = "deferred" // to another day, which is a meeting of its own
)

// Off reports whether the meeting does not take place on its day.
func (s State) Off() bool { return s == Cancelled || s == Deferred }

// A Meeting is all that a portal's list says of a meeting.
type Meeting struct {
	ID     string // the portal's own
	URL    string // of the meeting's page, for people and, where there is one, for us
	Title  string // "City Council - Regular Meeting"
	Detail        // as far as the list says it
	// Said is what the list said of the meeting, byte for byte where the list is made of parts: it
	// goes into the bundle.
	Said []byte
	// Sum is of everything that the list says; see Fingerprint.
	Sum [sha256.Size]byte
}

// Papers is how far an agenda or minutes are.
type Papers struct {
	State     PaperState `json:"state,omitempty"`
	Word      string     `json:"word,omitempty"`     // the portal's own
	Published time.Time  `json:"published,omitzero"` // last
}

// PaperState is whether papers may change.
type PaperState string

// The states of papers.
const (
	Draft   PaperState = "draft"
	Final   PaperState = "final"
	Revised PaperState = "revised" // final, and not for the first time
)

// Fingerprint is a sum over what a list says, in a form of the product's choice.
func Fingerprint(said any) [sha256.Size]byte {
	text, _ := json.Marshal(said) // strings and numbers cannot fail
	return sha256.Sum256(text)
}

// DocumentKind is what a document is for.
type DocumentKind string

// The kinds of documents.
const (
	KindAgenda     DocumentKind = "agenda"
	KindPacket     DocumentKind = "packet"  // the agenda with what belongs to it
	KindMinutes    DocumentKind = "minutes" // approved or not: see Papers
	KindActions    DocumentKind = "actions" // what was decided, before or in place of minutes
	KindNotice     DocumentKind = "notice"
	KindAttachment DocumentKind = "attachment"
	KindOther      DocumentKind = "other"
)

// Kinds lists all of them.
func Kinds() []DocumentKind {
	return []DocumentKind{KindAgenda, KindPacket, KindMinutes, KindActions, KindNotice, KindAttachment, KindOther}
}

// Format is how a document is written.
type Format string

// The formats of documents.
const (
	PDF  Format = "pdf"
	HTML Format = "html"
	Text Format = "text"
)

// A Document is a link to a file. URL leads there for good: an address that is signed for a while
// is none.
type Document struct {
	ID     string       `json:"id,omitempty"` // the portal's own; "" where it has none
	Kind   DocumentKind `json:"kind"`
	Format Format       `json:"format,omitempty"` // "" where nobody says
	// what the portal calls it, by which council.yaml can choose: "15", "HTML Minutes"
	Name      string    `json:"name,omitempty"`
	URL       string    `json:"url"`
	Published time.Time `json:"published,omitzero"`
}

// FoldName is a name of a document or a body as it is compared: without regard to case and blanks.
func FoldName(name string) string { return strings.ToLower(Fold(name)) }

// Is reports whether a document is what a word of council.yaml means: a kind, or the portal's own
// name.
func (d Document) Is(word string) bool {
	return FoldName(d.Name) == FoldName(word) || string(d.Kind) == FoldName(word)
}

// Find returns the first document of the first word that there is one of; nil if there is none.
// Sources list the better format first.
func Find(docs []Document, words ...string) *Document {
	for _, w := range words {
		if i := slices.IndexFunc(docs, func(d Document) bool { return d.Is(w) }); i >= 0 {
			return &docs[i]
		}
	}
	return nil
}

// FindAll returns all documents of any of the words, those of the first word first.
func FindAll(docs []Document, words ...string) []Document {
	var out []Document
	for _, w := range words {
		for _, d := range docs {
			if d.Is(w) && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// Detail is what the answers about one meeting say. Fields are empty where they do not say.
type Detail struct {
	Body     string    `json:"body,omitempty"`
	Type     string    `json:"type,omitempty"`  // as the portal writes it: Regular Meeting
	Starts   time.Time `json:"starts,omitzero"` // in the portal's zone; midnight when only the day is known
	Location string    `json:"location,omitempty"`
	State    State     `json:"state,omitempty"`
	// Withdrawn says that the meeting's page has been taken down for the time being; all else is
	// empty.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// NoItems says that the answers do not say what the items are, which is not the same as that there
	// are none: those that were read before stay.
	NoItems   bool       `json:"no_items,omitempty"`
	Agenda    Papers     `json:"agenda,omitzero"` // how far they are
	Minutes   Papers     `json:"minutes,omitzero"`
	Documents []Document `json:"documents,omitempty"`
	VideoURL  string     `json:"video_url,omitempty"`
	// HasMinutes says that the portal holds minutes of the meeting, be it as a document or only as
	// tables on the pages of items.
	HasMinutes bool       `json:"has_minutes,omitempty"`
	Items      []Item     `json:"items,omitempty"` // in the order of the meeting
	Attendance []Attendee `json:"attendance,omitempty"`
	Votes      []Vote     `json:"votes,omitempty"` // in the order of the items
	Notes      []Note     `json:"notes,omitempty"`
}

// An Item is one row of a meeting's agenda outline: a section or an item.
type Item struct {
	Level   int    `json:"level"`            // nesting, from 0
	Number  string `json:"number,omitempty"` // as printed: "1.", "A.", "VIII."; "" when it has none
	Title   string `json:"title"`
	Section bool   `json:"section,omitempty"` // a heading, not an item

	// LegifileID is the legislative file of an IQM2 portal, global to it; 0 where the row links to
	// none.
	LegifileID int64 `json:"legifile_id,omitempty"`
	// URL is the portal's page of the item, "" where it has none.
	URL string `json:"url,omitempty"`
	// Result is the outcome as the portal prints it beside the title ("ADOPTED [9 TO 0]"), "" without
	// one.
	Result string `json:"result,omitempty"`

	// ID is the portal's own, to which votes refer; "" where it has none.
	ID string `json:"id,omitempty"`
	// FileNumber is the city's own number of the matter: 2026-0653.
	FileNumber string `json:"file_number,omitempty"`
	// Consent says that the portal has the item on the consent calendar.
	Consent     bool       `json:"consent,omitempty"`
	Attachments []Document `json:"attachments,omitempty"`
}

// An Attendee is one row of a recorded roll call of who is there.
type Attendee struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Status   string `json:"status"` // as the portal writes it
}

// TitleOf makes a title of a body and a type, of which either may be missing.
func TitleOf(body, kind string) string {
	return strings.TrimSuffix(strings.TrimPrefix(body+" - "+kind, " - "), " - ")
}

// Fill takes what the list does not say from the detail.
func (m *Meeting) Fill(d Detail) {
	m.Body, m.Type = cmp.Or(m.Body, d.Body), cmp.Or(m.Type, d.Type)
	// A row without a time stands at midnight.
	untimed := m.Starts.Hour() == 0 && m.Starts.Minute() == 0
	if m.Starts.IsZero() || untimed && m.Starts.Format(time.DateOnly) == d.Starts.Format(time.DateOnly) {
		m.Starts = d.Starts
	}
	if d.State.Off() {
		m.State = d.State
	}
	m.Title = cmp.Or(m.Title, TitleOf(m.Body, m.Type))
}

// A Vote is a recorded vote: what the portal's data say, not the minutes. Nothing in it is
// concluded: neither positions from a passed flag or from who was there, nor an outcome from
// positions.
type Vote struct {
	ItemID     string `json:"item_id"` // of Item.ID
	FileNumber string `json:"file_number,omitempty"`
	Seq        int    `json:"seq"` // among the votes of the item, from 1
	// Motion is what was voted on as far as the portal says it, Action the word for what was done:
	// "Passed Finally".
	Motion string `json:"motion,omitempty"`
	Action string `json:"action,omitempty"`
	// Passed is nil where the portal does not say. PassedWord is its own word.
	Passed     *bool  `json:"passed,omitempty"`
	PassedWord string `json:"passed_word,omitempty"`
	Mover      string `json:"mover,omitempty"`
	Seconder   string `json:"seconder,omitempty"`
	// Positions are empty for a voice vote.
	Positions []MemberPosition `json:"positions,omitempty"`
	// Tally is as printed; most portals have none.
	Tally   string `json:"tally,omitempty"`
	Consent bool   `json:"consent,omitempty"`
	URL     string `json:"url,omitempty"` // the portal's page of the vote, "" where there is none
}

// A MemberPosition is one member's part in a vote.
type MemberPosition struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Word     string `json:"word"` // the portal's own
	// Position is what the word means; "" for a word that says that the member took no position, or
	// that nobody knows.
	Position council.Position `json:"position,omitempty"`
}

// A Note is something that a reader of the votes should know. It becomes an anomaly.
type Note struct {
	Code    council.AnomalyCode `json:"code"`
	ItemID  string              `json:"item_id,omitempty"` // "" when it concerns the meeting
	Seq     int                 `json:"seq,omitempty"`     // of the vote; 0 when it concerns the item
	Message string              `json:"message"`
}

// A VoteTable is one vote as the page of an item has it: rows of label and value, in order, as
// printed.
type VoteTable struct {
	MeetingID string
	Rows      [][2]string // {"RESULT:", "ADOPTED [4 TO 1]"}, {"MOVER:", "Jane Doe, Councilmember"} …
}

// CountBodies counts the meetings of each board.
func CountBodies(rows []Meeting) map[string]int {
	count := map[string]int{}
	for _, row := range rows {
		if row.Body != "" {
			count[row.Body]++
		}
	}
	return count
}

// BusiestFirst are the boards by their number of meetings, and then by name.
func BusiestFirst(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a, b))
	})
}

// BoardOf returns which board of a calendar is meant by a configured name: the one of that name, or
// the only one whose name ends with it, as "Atlanta City Council" does. It is "" when there is no
// such board, or more than one; others then lists the calendar's boards with their meetings.
func BoardOf(count map[string]int, name string) (board, others string) {
	var longer, lines []string
	for _, b := range BusiestFirst(count) {
		switch {
		case strings.EqualFold(b, name):
			return b, ""
		case EndsIn(b, name):
			longer = append(longer, b)
		}
		lines = append(lines, fmt.Sprintf("%q (%d)", b, count[b]))
	}
	if len(longer) == 1 {
		return longer[0], ""
	}
	return "", strings.Join(lines, ", ")
}

// EndsIn reports whether the last words of a board's name are those of name.
func EndsIn(board, name string) bool {
	return strings.HasSuffix(strings.ToLower(board), " "+strings.ToLower(name))
}

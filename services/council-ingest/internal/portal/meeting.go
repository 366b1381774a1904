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
	Planned   State = "planned" // or held: portals do not distinguish them
	Cancelled State = "cancelled"
	Deferred  State = "deferred" // to another day, which is another meeting
)

// IsCancelled reports whether the meeting does not take place on its day.
func (s State) IsCancelled() bool { return s == Cancelled || s == Deferred }

// A Meeting is an entry of a portal's list of meetings.
type Meeting struct {
	ID     string // at the portal
	URL    string // of the meeting's page
	Title  string // "City Council - Regular Meeting"
	BodyID string // the portal's id of the body; "" if it has none
	Detail        // fields that the list has
	// RawJSON is the list's entry, byte for byte, for the bundle; nil if the list is a web page.
	RawJSON []byte
	Hash    [sha256.Size]byte // of the entry; see HashJSON
}

// DocumentStatus is the status of an agenda or of minutes.
type DocumentStatus struct {
	State     DocumentState `json:"state,omitempty"`
	Word      string        `json:"word,omitempty"`     // of the portal
	Published time.Time     `json:"published,omitzero"` // last
}

// DocumentState is whether a document may still change.
type DocumentState string

// The states of documents.
const (
	Draft   DocumentState = "draft"
	Final   DocumentState = "final"
	Revised DocumentState = "revised" // final again, after a change
)

// HashJSON returns the SHA-256 of a value as JSON.
func HashJSON(v any) [sha256.Size]byte {
	text, _ := json.Marshal(v) // strings and numbers cannot fail
	return sha256.Sum256(text)
}

// DocumentKind is the kind of a document.
type DocumentKind string

// The kinds of documents.
const (
	KindAgenda     DocumentKind = "agenda"
	KindPacket     DocumentKind = "packet"  // the agenda with attachments
	KindMinutes    DocumentKind = "minutes" // approved or not: see DocumentStatus
	KindActions    DocumentKind = "actions" // the decisions, published before or instead of minutes
	KindNotice     DocumentKind = "notice"
	KindAttachment DocumentKind = "attachment"
	KindOther      DocumentKind = "other"
)

// Kinds lists all kinds.
func Kinds() []DocumentKind {
	return []DocumentKind{KindAgenda, KindPacket, KindMinutes, KindActions, KindNotice, KindAttachment, KindOther}
}

// Format is the file format of a document.
type Format string

// The formats of documents.
const (
	PDF  Format = "pdf"
	HTML Format = "html"
	Text Format = "text"
)

// A Document is a link to a file. URL is permanent; signed addresses that expire are not used.
type Document struct {
	ID        string       `json:"id,omitempty"` // at the portal; "" if it has none
	Kind      DocumentKind `json:"kind"`
	Format    Format       `json:"format,omitempty"` // "" if unknown
	Name      string       `json:"name,omitempty"`   // at the portal, for display and council.yaml: "15", "HTML Minutes"
	URL       string       `json:"url"`
	Published time.Time    `json:"published,omitzero"`
}

// FoldName folds case and blanks of a name.
func FoldName(name string) string { return strings.ToLower(council.Fold(name)) }

// Is reports whether a word of council.yaml is the kind or the name of the document.
func (d Document) Is(word string) bool {
	return FoldName(d.Name) == FoldName(word) || string(d.Kind) == FoldName(word)
}

// Find returns the first document for the first word that has one; nil if there is none. Readers
// list the better format first.
func Find(docs []Document, words ...string) *Document {
	for _, w := range words {
		if i := slices.IndexFunc(docs, func(d Document) bool { return d.Is(w) }); i >= 0 {
			return &docs[i]
		}
	}
	return nil
}

// FindAll returns all documents of any word, in the order of the words.
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

// Detail is parsed from the answers about one meeting. Unknown fields are empty. It is archived as
// JSON.
type Detail struct {
	Body     string    `json:"body,omitempty"`
	Type     string    `json:"type,omitempty"`  // as the portal writes it: "Regular Meeting"
	Starts   time.Time `json:"starts,omitzero"` // in the portal's zone; midnight if only the day is known
	Location string    `json:"location,omitempty"`
	State    State     `json:"state,omitempty"`
	// Withdrawn means that the meeting's page is offline; the other fields are empty.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// NoItems means that the items are unknown: stored items stay.
	NoItems   bool           `json:"no_items,omitempty"`
	Agenda    DocumentStatus `json:"agenda,omitzero"`
	Minutes   DocumentStatus `json:"minutes,omitzero"`
	Documents []Document     `json:"documents,omitempty"`
	VideoURL  string         `json:"video_url,omitempty"`
	// HasMinutes means that the portal has minutes: a document, or vote tables on the pages of items.
	HasMinutes bool       `json:"has_minutes,omitempty"`
	Items      []Item     `json:"items,omitempty"` // in the order of the meeting
	Attendance []Attendee `json:"attendance,omitempty"`
	Votes      []Vote     `json:"votes,omitempty"` // in the order of the items
	Notes      []Note     `json:"notes,omitempty"`
}

// An Item is a row of an agenda outline: a section or an item.
type Item struct {
	Level   int    `json:"level"`            // nesting, from 0
	Number  string `json:"number,omitempty"` // as printed: "1.", "A.", "VIII."
	Title   string `json:"title"`
	Section bool   `json:"section,omitempty"` // a heading

	LegifileID int64  `json:"legifile_id,omitempty"` // the legislative file of an IQM2 portal; 0 if none
	URL        string `json:"url,omitempty"`         // the portal's page of the item
	Result     string `json:"result,omitempty"`      // as printed next to the title: "ADOPTED [9 TO 0]"
	ID         string `json:"id,omitempty"`          // at the portal; votes refer to it
	FileNumber string `json:"file_number,omitempty"` // the city's number of the matter: 2026-0653
	Consent    bool   `json:"consent,omitempty"`     // on the consent calendar

	Attachments []Document `json:"attachments,omitempty"`
}

// An Attendee is a row of the recorded attendance.
type Attendee struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Status   string `json:"status"` // as the portal writes it
}

// TitleOf makes a title of a body and a type; either may be empty.
func TitleOf(body, kind string) string {
	return strings.TrimSuffix(strings.TrimPrefix(body+" - "+kind, " - "), " - ")
}

// Fill fills unknown fields from the detail.
func (m *Meeting) Fill(d Detail) {
	m.Body, m.Type = cmp.Or(m.Body, d.Body), cmp.Or(m.Type, d.Type)
	// A row without a time has midnight.
	untimed := m.Starts.Hour() == 0 && m.Starts.Minute() == 0
	if m.Starts.IsZero() || untimed && m.Starts.Format(time.DateOnly) == d.Starts.Format(time.DateOnly) {
		m.Starts = d.Starts
	}
	if d.State.IsCancelled() {
		m.State = d.State
	}
	m.Title = cmp.Or(m.Title, TitleOf(m.Body, m.Type))
}

// A Vote is a vote recorded by the portal, independent of the minutes. No positions are inferred
// from a passed flag or the attendance, and no outcome from positions.
type Vote struct {
	ItemID     string `json:"item_id"` // of Item.ID
	FileNumber string `json:"file_number,omitempty"`
	Seq        int    `json:"seq"` // among the votes of the item, from 1
	Motion     string `json:"motion,omitempty"`
	Action     string `json:"action,omitempty"` // the portal's word for the outcome: "Passed Finally"
	Passed     *bool  `json:"passed,omitempty"` // nil if unknown
	PassedWord string `json:"passed_word,omitempty"`
	Mover      string `json:"mover,omitempty"`
	Seconder   string `json:"seconder,omitempty"`
	// Positions are empty for a voice vote.
	Positions []MemberPosition `json:"positions,omitempty"`
	Tally     string           `json:"tally,omitempty"` // as printed; most portals have none
	Consent   bool             `json:"consent,omitempty"`
	URL       string           `json:"url,omitempty"` // the portal's page of the vote
}

// A MemberPosition is one member's position in a vote.
type MemberPosition struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Word     string `json:"word"` // the portal's word
	// Position is "" if the word is unknown, or means that the member took no position.
	Position council.Position `json:"position,omitempty"`
}

// A Note is a problem of an item or a vote. It becomes an anomaly.
type Note struct {
	Code    council.AnomalyCode `json:"code"`
	ItemID  string              `json:"item_id,omitempty"` // "" if it concerns the meeting
	Seq     int                 `json:"seq,omitempty"`     // of the vote; 0 if it concerns the item
	Message string              `json:"message"`
}

// A VoteTable is a vote on the page of an item: rows of label and value, as printed.
type VoteTable struct {
	MeetingID string
	Rows      [][2]string // {"RESULT:", "ADOPTED [4 TO 1]"}, {"MOVER:", "Jane Doe, Councilmember"} …
}

// CountBodies counts the meetings of each body.
func CountBodies(rows []Meeting) map[string]int {
	count := map[string]int{}
	for _, row := range rows {
		if row.Body != "" {
			count[row.Body]++
		}
	}
	return count
}

// BusiestFirst sorts bodies by their number of meetings, then by name.
func BusiestFirst(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a, b))
	})
}

// BodyNamed finds the body with a configured name, or the only one whose name ends with it, as
// "Atlanta City Council" does. If there is none or more than one, body is "" and others lists the
// calendar's bodies with their number of meetings.
func BodyNamed(count map[string]int, name string) (body, others string) {
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

// EndsIn reports whether a body's name ends with the words of name.
func EndsIn(body, name string) bool {
	return strings.HasSuffix(strings.ToLower(body), " "+strings.ToLower(name))
}

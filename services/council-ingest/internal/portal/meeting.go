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

// State says whether a meeting takes place.
type State string

const (
	Planned   State = "planned" // planned, or already held; portals do not distinguish the two
	Cancelled State = "cancelled"
	Deferred  State = "deferred" // moved to another day, which is another meeting
)

// IsCancelled reports whether the meeting does not take place on its day.
func (s State) IsCancelled() bool { return s == Cancelled || s == Deferred }

// A Meeting is an entry in a portal's list of meetings.
type Meeting struct {
	ID     string
	URL    string // address of the meeting's page
	Title  string // such as "City Council - Regular Meeting"
	BodyID string // portal's id of the body; "" if it has none
	Detail        // the fields that the list has
	// RawJSON is the entry in the list, byte for byte, for the bundle. It is nil if the list is a web
	// page.
	RawJSON []byte
	Hash    [sha256.Size]byte // hash of the entry; see HashJSON
}

// DocumentStatus is the status of an agenda or of minutes.
type DocumentStatus struct {
	State     DocumentState `json:"state,omitempty"`
	Word      string        `json:"word,omitempty"`     // portal's word for the state
	Published time.Time     `json:"published,omitzero"` // time of the last publication
}

// DocumentState says whether a document may still change.
type DocumentState string

const (
	Draft   DocumentState = "draft"
	Final   DocumentState = "final"
	Revised DocumentState = "revised" // final again after a change
)

// HashJSON returns the SHA-256 of a value as JSON.
func HashJSON(v any) [sha256.Size]byte {
	text, _ := json.Marshal(v) // strings and numbers always encode
	return sha256.Sum256(text)
}

// DocumentKind is the kind of a document.
type DocumentKind string

const (
	KindAgenda     DocumentKind = "agenda"
	KindPacket     DocumentKind = "packet"  // agenda with attachments
	KindMinutes    DocumentKind = "minutes" // approved or not; see DocumentStatus
	KindActions    DocumentKind = "actions" // decisions, published before the minutes or instead of them
	KindNotice     DocumentKind = "notice"
	KindAttachment DocumentKind = "attachment"
	KindOther      DocumentKind = "other"
)

func Kinds() []DocumentKind {
	return []DocumentKind{KindAgenda, KindPacket, KindMinutes, KindActions, KindNotice, KindAttachment, KindOther}
}

// Format is the file format of a document.
type Format string

const (
	PDF  Format = "pdf"
	HTML Format = "html"
	Text Format = "text"
)

// A Document is a link to a file. URL is permanent: it is never a signed address, which would
// expire.
type Document struct {
	ID        string       `json:"id,omitempty"` // id at the portal; "" if it has none
	Kind      DocumentKind `json:"kind"`
	Format    Format       `json:"format,omitempty"`
	Name      string       `json:"name,omitempty"` // at the portal, such as "15" or "HTML Minutes"
	URL       string       `json:"url"`
	Published time.Time    `json:"published,omitzero"`
}

// FoldName normalizes the case and the blanks of a name.
func FoldName(name string) string { return strings.ToLower(council.Fold(name)) }

// Is reports whether a word of council.yaml is the document's kind or name.
func (d Document) Is(word string) bool {
	return FoldName(d.Name) == FoldName(word) || string(d.Kind) == FoldName(word)
}

// Find returns the first document for the first word that has any, or nil. Readers list the better
// format first.
func Find(docs []Document, words ...string) *Document {
	for _, w := range words {
		if i := slices.IndexFunc(docs, func(d Document) bool { return d.Is(w) }); i >= 0 {
			return &docs[i]
		}
	}
	return nil
}

// FindAll returns all documents for any of the words, in the order of the words.
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

// Detail is the parsed form of the answers about one meeting. Unknown fields are empty. It is
// archived as JSON.
type Detail struct {
	Body     string    `json:"body,omitempty"`
	Type     string    `json:"type,omitempty"`  // as the portal writes it, such as "Regular Meeting"
	Starts   time.Time `json:"starts,omitzero"` // in the portal's time zone; midnight if only the day is known
	Location string    `json:"location,omitempty"`
	State    State     `json:"state,omitempty"`
	// Withdrawn means that the meeting's page is offline. The other fields are empty.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// NoItems means that the items are unknown, so stored items stay.
	NoItems   bool           `json:"no_items,omitempty"`
	Agenda    DocumentStatus `json:"agenda,omitzero"`
	Minutes   DocumentStatus `json:"minutes,omitzero"`
	Documents []Document     `json:"documents,omitempty"`
	VideoURL  string         `json:"video_url,omitempty"`
	// HasMinutes means that the portal has minutes: a document, or vote tables on the pages of items.
	HasMinutes bool       `json:"has_minutes,omitempty"`
	Items      []Item     `json:"items,omitempty"`
	Attendance []Attendee `json:"attendance,omitempty"`
	Votes      []Vote     `json:"votes,omitempty"`
	Notes      []Note     `json:"notes,omitempty"`
}

// An Item is a row of an agenda outline. It is a section or an agenda item.
type Item struct {
	Level   int    `json:"level"`            // level of nesting, from 0
	Number  string `json:"number,omitempty"` // as printed, such as "1.", "A." or "VIII."
	Title   string `json:"title"`
	Section bool   `json:"section,omitempty"`

	LegifileID int64  `json:"legifile_id,omitempty"` // legislative file of an IQM2 portal; 0 if there is none
	URL        string `json:"url,omitempty"`         // page of the item on the portal
	Result     string `json:"result,omitempty"`      // as printed next to the title, such as "ADOPTED [9 TO 0]"
	ID         string `json:"id,omitempty"`          // id at the portal, to which votes refer
	FileNumber string `json:"file_number,omitempty"` // city's number of the matter, such as 2026-0653
	Consent    bool   `json:"consent,omitempty"`     // it is on the consent calendar

	Attachments []Document `json:"attachments,omitempty"`
}

// An Attendee is a row of the recorded attendance.
type Attendee struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Status   string `json:"status"` // as the portal writes it
}

// TitleOf makes a title from a body and a type. Either may be empty.
func TitleOf(body, kind string) string {
	return strings.TrimSuffix(strings.TrimPrefix(body+" - "+kind, " - "), " - ")
}

// Clean bounds the names and removes what readers cannot see.
func (m *Meeting) Clean() {
	m.Body = Line(m.Body, maxName)
	m.Type = Line(m.Type, maxName)
	m.Location = Line(m.Location, maxPlace)
	m.Title = Line(m.Title, maxPlace)
}

const (
	maxName  = 200 // characters of a body's name; the longest known has 120
	maxPlace = 500
)

// Fill sets unknown fields from the detail.
func (m *Meeting) Fill(d Detail) {
	m.Body, m.Type = cmp.Or(m.Body, d.Body), cmp.Or(m.Type, d.Type)
	// A row without a time has midnight as its start.
	untimed := m.Starts.Hour() == 0 && m.Starts.Minute() == 0
	if m.Starts.IsZero() || untimed && m.Starts.Format(time.DateOnly) == d.Starts.Format(time.DateOnly) {
		m.Starts = d.Starts
	}
	if d.State.IsCancelled() {
		m.State = d.State
	}
	m.Title = cmp.Or(m.Title, TitleOf(m.Body, m.Type))
}

// A Vote is a vote that the portal records, independently of the minutes. A reader infers no
// positions from a passed flag or the attendance, and no outcome from positions.
type Vote struct {
	ItemID     string `json:"item_id"` // refers to Item.ID
	FileNumber string `json:"file_number,omitempty"`
	Seq        int    `json:"seq"` // number among the votes on the item, from 1
	Motion     string `json:"motion,omitempty"`
	Action     string `json:"action,omitempty"` // portal's word for the outcome, such as "Passed Finally"
	Passed     *bool  `json:"passed,omitempty"` // nil if unknown
	PassedWord string `json:"passed_word,omitempty"`
	Mover      string `json:"mover,omitempty"`
	Seconder   string `json:"seconder,omitempty"`
	// Positions are empty if the vote was a voice vote.
	Positions []MemberPosition `json:"positions,omitempty"`
	Tally     string           `json:"tally,omitempty"` // as printed; most portals have no tally
	Consent   bool             `json:"consent,omitempty"`
}

// A MemberPosition is one member's position in a vote.
type MemberPosition struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Word     string `json:"word"`
	// Position is "" if the word is unknown, or if it means that the member took no position.
	Position council.Position `json:"position,omitempty"`
}

// A Note is a problem of an item or a vote. It becomes an anomaly.
type Note struct {
	Code    council.AnomalyCode `json:"code"`
	ItemID  string              `json:"item_id,omitempty"` // "" if the note is about the meeting
	Seq     int                 `json:"seq,omitempty"`     // number of the vote; 0 if the note is about the item
	Message string              `json:"message"`
}

// CountBodies returns the number of meetings of each body.
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

// BodyNamed finds the body with a configured name, or the only body whose name ends with it, such
// as "Atlanta City Council". If there is none or more than one, body is "" and others lists the
// bodies on the calendar with their number of meetings.
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

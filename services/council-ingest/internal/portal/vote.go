package portal

import "github.com/townline/townline/pkg/council"

// A Vote is a recorded vote: what the portal's data say, not the minutes. Nothing in it is concluded: neither positions from
// a passed flag or from who was there, nor an outcome from positions.
type Vote struct {
	ItemID     string `json:"item_id"` // of Item.ID
	FileNumber string `json:"file_number,omitempty"`
	Seq        int    `json:"seq"` // among the votes of the item, from 1
	// Motion is what was voted on as far as the portal says it, Action the word for what was done: "Passed Finally".
	Motion string `json:"motion,omitempty"`
	Action string `json:"action,omitempty"`
	// Passed is nil where the portal does not say. PassedWord is its own word.
	Passed     *bool  `json:"passed,omitempty"`
	PassedWord string `json:"passed_word,omitempty"`
	Mover      string `json:"mover,omitempty"`
	Seconder   string `json:"seconder,omitempty"`
	// Positions are empty for a voice vote.
	Positions []Position `json:"positions,omitempty"`
	// Tally is as printed; most portals have none.
	Tally   string `json:"tally,omitempty"`
	Consent bool   `json:"consent,omitempty"`
	URL     string `json:"url,omitempty"` // the portal's page of the vote, "" where there is none
}

// A Position is one member's part in a vote.
type Position struct {
	PersonID string `json:"person_id,omitempty"`
	Name     string `json:"name"`
	Word     string `json:"word"` // the portal's own
	// Position is what the word means; "" for a word that says that the member took no position, or that nobody knows.
	Position council.Position `json:"position,omitempty"`
}

// A Note is something that a reader of the votes should know. It becomes an anomaly.
type Note struct {
	Code    council.AnomalyCode `json:"code"`
	ItemID  string              `json:"item_id,omitempty"` // "" when it concerns the meeting
	Seq     int                 `json:"seq,omitempty"`     // of the vote; 0 when it concerns the item
	Message string              `json:"message"`
}

// A VoteTable is one vote as the page of an item has it: rows of label and value, in order, as printed.
type VoteTable struct {
	MeetingID string
	Rows      [][2]string // {"RESULT:", "ADOPTED [4 TO 1]"}, {"MOVER:", "Jane Doe, Councilmember"} …
}

package council

import "encoding/json"

// A Vote is the vote on one motion, as a source states it: minutes, the record of a portal, or a
// clerk. In JSON, a field is null if the source does not print it.
type Vote struct {
	MotionSeq  int     `json:"motion_seq"` // number within the item, from 1
	MotionText string  `json:"motion_text"`
	ResultRaw  string  `json:"result_raw"` // as printed
	Result     Result  `json:"result"`
	AyesCount  int     `json:"ayes_count"` // from the tally, or counted from the names if there is no tally
	NaysCount  int     `json:"nays_count"`
	Unanimous  bool    `json:"unanimous"`
	ViaConsent bool    `json:"via_consent"`
	Page       *int    `json:"page"` // of the document, from 1
	Mover      *string `json:"mover"`
	Seconder   *string `json:"seconder"`
	Roll       Roll    `json:"positions"` // has full names, if the source prints them
}

// Names lists mover, seconder and the members of the roll.
func (v *Vote) Names() []string {
	var names []string
	for _, name := range append([]string{Text(v.Mover), Text(v.Seconder)}, v.Roll.Members()...) {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// A StoredVote is a row of council.vote, with its roll. Names have the spelling of their member.
type StoredVote struct {
	ID     int64 `json:"id"`
	ItemID int64 `json:"item_id"`
	Ord    int   `json:"ord"` // place in the meeting, from 1
	Vote
	ParseSource ParseSource `json:"parse_source"`
	Origin      VoteOrigin  `json:"origin"`
	Topic       *string     `json:"-"` // the item's
	// Foreign has the members named who are not on the body of the meeting. It is empty unless the
	// meeting moved to another body.
	Foreign []int64 `json:"-"`
}

// MarshalJSON keeps the printed order of the roll.
func (v StoredVote) MarshalJSON() ([]byte, error) {
	type plain StoredVote
	return json.Marshal(struct {
		plain
		Roll []RollEntry `json:"positions"`
	}{plain(v), v.Roll})
}

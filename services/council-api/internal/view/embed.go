package view

import "github.com/townline/townline/pkg/site"

// EmbedVote is a vote as other sites show it.
type EmbedVote struct {
	site.Head
	Number, Date string
	Page         Ref // the vote with its proof
	Motion       string
	Outcome      Outcome
	Consent      bool
	Roll         []RollRow
	Unnamed      string // why there is no roll
	Anomalies    int
	Source       Ref
}

// EmbedMember is a member's record as other sites show it.
type EmbedMember struct {
	site.Head
	Page     Ref
	Span     string
	Record   []Tally
	Dissents Tally
}

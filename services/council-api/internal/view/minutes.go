package view

import (
	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/pkg/site"
)

// Minutes is a page of the archived minutes, its votes marked.
type Minutes struct {
	site.Head
	Meeting       Ref
	Links         []Ref
	Before, After string // pages
	Blocks        []Block
	Marked        bool // some vote is marked
	Report        string
}

// A Block is lines of the text that belong together: those of votes, or those between.
type Block struct {
	Text  string
	Votes []VoteRef
}

// A VoteRef leads to a vote.
type VoteRef struct {
	Vote int64
	Ref
}

// Fill cuts a page into blocks.
func (v *Minutes) Fill(lines []string, spans []marked.Span, votes map[int64]Ref) {
	for _, b := range marked.Cut(lines, spans) {
		block := Block{Text: b.Text}
		for _, s := range b.Spans {
			block.Votes, v.Marked = append(block.Votes, VoteRef{s.Vote, votes[s.Vote]}), true
		}
		v.Blocks = append(v.Blocks, block)
	}
}

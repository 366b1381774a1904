package view

import (
	"strings"

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

// A Block is lines of the text that belong together: those of a vote, or those between.
type Block struct {
	Text  string
	Votes []Span // that these lines print; those of a consent calendar share them
}

// A Span is the lines of a vote, from 1.
type Span struct {
	Vote        int64
	First, Last int
	Ref
}

// Fill cuts a page into blocks. Spans are in the order of the text; a span that overlaps another one without being the same is left out.
func (v *Minutes) Fill(lines []string, spans []Span) {
	at := 1
	text := func(first, last int) string { return strings.Join(lines[first-1:last], "\n") + "\n" }
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		if s.First < at || s.Last < s.First || s.Last > len(lines) {
			continue
		}
		block := Block{Text: text(s.First, s.Last), Votes: []Span{s}}
		for i+1 < len(spans) && spans[i+1].First == s.First && spans[i+1].Last == s.Last {
			i++
			block.Votes = append(block.Votes, spans[i])
		}
		if s.First > at {
			v.Blocks = append(v.Blocks, Block{Text: text(at, s.First-1)})
		}
		v.Blocks, v.Marked, at = append(v.Blocks, block), true, s.Last+1
	}
	if at <= len(lines) {
		v.Blocks = append(v.Blocks, Block{Text: text(at, len(lines))})
	}
}

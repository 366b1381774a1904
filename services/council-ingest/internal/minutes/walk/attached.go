package walk

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// isAttachment reports whether a table stands on a resolution attached to the minutes, where the vote of the minutes is printed again. That
// is so behind the adjournment, unless the table stands right under it and is new, and wherever the text before it calls itself the
// resolution of an item that has been voted on already.
func (s *Walk) isAttachment(b *vote.Block) bool {
	if s.attached {
		return true
	}
	if s.closing > 0 && b.Line >= s.closing {
		if b.Line-s.closing < 25 && s.sec.Adjourn && !s.Has(b, s.sec) && !s.signedBefore(b.Line) {
			return false // the vote to adjourn
		}
		s.attached = true
		return true
	}
	if s.Filed {
		return s.attached // its items name the files of others
	}
	if it := s.itemNamedBefore(b.Line); it != nil && it != s.item && it.Has(b) {
		s.attached = true
	}
	return s.attached
}

// signedBefore reports whether the minutes are signed between the heading of the adjournment and line at: what follows the signature is
// attached to them.
func (s *Walk) signedBefore(at int) bool {
	for j := s.closing; j < at; j++ {
		if dialect.IsSignature(s.Rows[j].Text) {
			return true
		}
	}
	return false
}

// itemNamedBefore finds the item whose file number stands on a line of its own ("TB Resolution 2025-1") between the last table and line at.
func (s *Walk) itemNamedBefore(at int) *agenda.Item {
	if len(s.files) == 0 {
		return nil
	}
	for j := s.blockBefore; j < at; j++ {
		text := s.Rows[j].Text
		if len(text) < 3 || len(text) > 60 || strings.IndexByte(text, '-') < 0 {
			continue
		}
		i := strings.LastIndexByte(text, ' ')
		if it := s.files[text[i+1:]]; it != nil {
			if _, named := shape.ResolutionNumber(text); named || i < 12 {
				return it
			}
		}
	}
	return nil
}

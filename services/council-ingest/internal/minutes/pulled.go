package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// onConsentList finds the item of an earlier consent list whose number and
// title stand again behind marker m: where it is voted on by itself.
func (s *walk) onConsentList(m shape.Marker) *agenda.Item {
	it := s.listed[dialect.ItemName(m.Label)]
	if it == nil || m.Text == "" {
		return nil
	}
	if s.sec.Removed || it.Pulled && it.Sec != s.sec {
		return it
	}
	_, text := shape.CutFileNumber(m.Text, s.lastFile)
	head := council.FoldName(text)
	if len(head) > 30 {
		head = head[:30]
	}
	if len(head) >= 8 && strings.HasPrefix(council.FoldName(it.Title), head) {
		return it
	}
	return nil
}

package visit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// chooseBoard returns the board whose meetings are kept, as the calendar writes it. A calendar that has nothing of it, and never had,
// is an error: otherwise the operator would wait for votes in vain.
func (v *visitor) chooseBoard(rows []portal.Meeting, stored map[int64]*known) (string, error) {
	board, others := portal.BoardOf(rows, v.src.Body)
	if board != "" && strings.EqualFold(board, v.src.Body) {
		return board, nil
	}
	// Days on which the board does not meet are no reason to take another one.
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		if k := stored[id]; k.Row != nil && (strings.EqualFold(k.Body, v.src.Body) || board == "" && portal.EndsIn(k.Body, v.src.Body)) {
			return k.Body, nil
		}
	}
	switch {
	case board != "":
		v.Deps.Log.Info("the calendar has the council under a longer name", "body", v.src.Body, "board", board)
		return board, nil
	case others != "":
		return "", fmt.Errorf("ingest: of the %d meetings on the portal's calendar none is of %q, but of %s: set body in council.yaml as the calendar writes it", len(rows), v.src.Body, others)
	}
	return v.src.Body, nil
}

// noneOurs is the error of an ingest that stored nothing because all meetings belong to other boards, by their pages if not by the calendar.
func (v *visitor) noneOurs() error {
	var rows []portal.Meeting
	for _, o := range v.others {
		rows = append(rows, portal.Meeting{Body: o.board})
	}
	board, others := portal.BoardOf(rows, v.src.Body)
	if board != "" {
		others = fmt.Sprintf("%q", board)
	}
	return fmt.Errorf("ingest: of the %d meetings whose pages say whose they are none is of %q, but of %s: set body in council.yaml as the pages write it", len(rows), v.src.Body, others)
}

package councilapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/review"
)

// first returns the index of a required text on a page.
func first(t *testing.T, page, text string) int {
	t.Helper()
	at := strings.Index(page, text)
	if at < 0 {
		t.Errorf("the page lacks %q:\n%s", text, page)
	}
	return at
}

// On the page of changes, corrections come first. First publications are folded below them.
func TestCorrectionsComeFirst(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 6, 12)
	vote := &w.votes[0]
	for i, kind := range []string{"vote_changed", "vote_added"} { // the import is the newer change
		if _, err := writer.Exec(t.Context(), `
			INSERT INTO council.change (kind, changed_at, reason, run_id, iqm2_id, vote_id, before, after)
			VALUES ($1, now(), 'reason of ' || $1, 'run' || $2::text, $3, $4, '{"ayes_count": 1, "nays_count": 0}', '{"ayes_count": 2, "nays_count": 0}')`,
			kind, fmt.Sprint(i), vote.item.meeting.id, vote.id); err != nil {
			t.Fatal(err)
		}
	}
	page := browse(t, testServer(t, reader), "/changes").Body.String()
	correction, folded := first(t, page, "reason of vote_changed"), first(t, page, `<details class="imports">`)
	published := strings.LastIndex(page, "First published") // the form also has these words
	if correction > folded || folded > published || strings.Count(page, "reason of vote_changed") != 1 {
		t.Errorf("correction at %d, folded list at %d, import at %d", correction, folded, published)
	}
}

// A recorded vote is not called printed. If a tally contradicts its roll call, every page shows a
// warning. If an item has several motions, each has a name.
func TestVotesShowTheirSource(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 17, 40)
	var named []*wVote
	for i := range w.votes {
		if v := &w.votes[i]; len(v.roll) > 1 && v.ayes > 0 {
			named = append(named, v)
		}
	}
	recorded, wrong := named[0], named[1]
	good := named[2]
	for sql, id := range map[string]int64{
		`UPDATE council.vote SET origin = 'record', parse_source = 'html', mover_id = NULL
			WHERE id = $1`: recorded.id,
		`UPDATE council.vote SET ayes_count = ayes_count + 1, motion_text = 'Moved to amend the item.'
			WHERE id = $1`: wrong.id,
	} {
		execSQL(t, writer, sql, id)
	}
	srv := testServer(t, reader)
	for id, want := range map[int64]review.VoteProof{
		recorded.id: {Origin: council.FromRecord}, wrong.id: {Origin: council.FromMinutes, Differs: true},
		good.id: {Origin: council.FromMinutes},
	} {
		var got struct{ Proof review.VoteProof }
		documented(t, srv).Get(t, fmt.Sprintf("/v1/votes/%d", id)).JSON(t, &got)
		if got.Proof.Origin != want.Origin || got.Proof.Differs != want.Differs {
			t.Errorf("vote %d has origin %s, differs: %t; want %s, %t", id, got.Proof.Origin, got.Proof.Differs, want.Origin,
				want.Differs)
		}
	}
	page := browse(t, srv, fmt.Sprintf("/votes/%d", recorded.id)).Body.String()
	first(t, page, "Recorded by the portal:")
	first(t, page, "the portal does not say")
	if strings.Contains(page, "Printed in the minutes") || strings.Contains(page, "from the minutes") {
		t.Errorf("a recorded vote is called printed:\n%s", page)
	}
	for _, path := range []string{"/votes/%d", "/embed/votes/%d"} {
		first(t, browse(t, srv, fmt.Sprintf(path, wrong.id)).Body.String(), "The names do not add up to this tally.")
	}
	page = browse(t, srv, fmt.Sprintf("/meetings/%d", wrong.item.meeting.id)).Body.String()
	first(t, page, "The names do not add up to this tally.")
	first(t, page, "<h4>Motion to amend</h4>")
	if strings.Count(page, "labels made by a machine") > 1 {
		t.Errorf("the page repeats that labels are made by a machine")
	}
}

// The matrix shows no rate if there are few votes. Names that no attendance list confirms are in a
// separate list.
func TestMatrixHidesUncertainRates(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 19, 24)
	var vote, elsewhere int64
	for _, v := range w.votes {
		if w.attendance(v.item.meeting) != nil && len(v.roll) > 0 {
			vote = v.id
		} else if len(v.roll) > 0 {
			elsewhere = v.id
		}
	}
	for id, name := range map[int64]string{900: "Pemberton", 901: "Guest Speaker"} {
		in := map[int64]int64{900: vote, 901: elsewhere}[id]
		execSQL(t, writer, `
			WITH m AS (INSERT INTO council.member (id, name_key, full_name, last_name) OVERRIDING SYSTEM VALUE
			  VALUES ($1, lower($2), $2, $2))
			INSERT INTO council.vote_position (vote_id, member_id, position, ord, iqm2_id, meeting_date, starts_at)
			SELECT vote_id, $1, 'aye', 99, iqm2_id, meeting_date, starts_at FROM council.vote_position
			       WHERE vote_id = $3 LIMIT 1`, id, name, in)
	}
	srv := testServer(t, reader)
	var pairs struct {
		MinimumShared int `json:"minimum_shared"`
		Unconfirmed   []int64
	}
	documented(t, srv).Get(t, "/v1/members/agreement").JSON(t, &pairs)
	if !slices.Equal(pairs.Unconfirmed, []int64{900}) || pairs.MinimumShared < 5 {
		t.Errorf("%+v", pairs)
	}
	for _, path := range []string{"/members", "/members/agreement"} {
		page := browse(t, srv, path).Body.String()
		if apart := first(t, page, "Names in no attendance list"); strings.LastIndex(page[:max(apart, 0)], "Pemberton") > 0 ||
			first(t, page, "Pemberton") < apart {
			t.Errorf("%s: a misprinted name is among the members", path)
		}
	}
	few, enough := 0, 0
	for _, n := range elements(t, browse(t, srv, "/members/agreement?include_consent=true").Body.String()) {
		counted := ofVotes.FindStringSubmatch(attr(n, "title"))
		if n.Data != "a" || counted == nil {
			continue
		}
		text := textIn(n)
		shown := strings.Contains(text, "%")
		if !strings.Contains(text, "of "+counted[2]) || shown != (len(counted[2]) > 1) ||
			(attr(n.Parent, "class") != "") != shown {
			t.Errorf("a cell with %s votes has the text %q and the class %q", counted[2], text, attr(n.Parent, "class"))
		}
		if shown {
			enough++
		} else {
			few++
		}
	}
	t.Logf("%d cells have a rate, %d have too few votes", enough, few)
}

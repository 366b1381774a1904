package councilapi

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

// The shared votes of a pair equal a selection in Go, add up to the pair's agreement, and are the
// same from both sides.
func TestSharedVotesAddUpToTheAgreement(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 19, 24)
	api := documented(t, testServer(t, reader))
	type sum struct {
		SharedVotes   int64    `json:"shared_votes"`
		Agreements    int64    `json:"agreements"`
		AgreementRate *float64 `json:"agreement_rate"`
	}
	pages, asked := 0, w.members[:2] // a pair is checked from both sides
	for _, m := range asked {
		for _, consent := range []bool{false, true} {
			var agreements struct {
				Data []struct {
					MemberID int64 `json:"member_id"`
					sum
				}
			}
			api.Get(t, fmt.Sprintf("/v1/members/%d/agreement?include_consent=%t", m.id, consent)).JSON(t, &agreements)
			listed := map[int64]sum{}
			for _, a := range agreements.Data {
				listed[a.MemberID] = a.sum
			}
			for _, o := range w.members {
				if o.id == m.id {
					continue
				}
				var ids []int64
				var counted sum
				cursor := ""
				for {
					path := fmt.Sprintf("/v1/members/%d/agreement/%d?include_consent=%t&limit=8%s", m.id, o.id, consent, cursor)
					var page struct {
						sum
						Data []struct {
							ID            int64
							Position      council.Position
							OtherPosition council.Position `json:"other_position"`
							Agreed        bool
						}
						NextCursor *string `json:"next_cursor"`
					}
					api.Get(t, path).JSON(t, &page)
					pages++
					if d := gocmp.Diff(listed[o.id], page.sum); d != "" {
						t.Errorf("%s: (-agreements +page)\n%s", path, d)
					}
					for _, v := range page.Data {
						ids = append(ids, v.ID)
						counted.SharedVotes++
						if v.Agreed {
							counted.Agreements++
						}
						if v.Agreed != (v.Position == v.OtherPosition) || v.Position != w.voteByID(v.ID).of(m.id) ||
							v.OtherPosition != w.voteByID(v.ID).of(o.id) {
							t.Errorf("%s: %+v", path, v)
						}
					}
					if page.NextCursor == nil {
						break
					}
					cursor = "&cursor=" + *page.NextCursor
				}
				counted.AgreementRate = listed[o.id].AgreementRate
				if d := gocmp.Diff(listed[o.id], counted); d != "" {
					t.Errorf("members %d and %d, consent %t: (-agreement +votes)\n%s", m.id, o.id, consent, d)
				}
				if d := gocmp.Diff(w.shared(m.id, o.id, consent), ids); d != "" {
					t.Errorf("members %d and %d, consent %t: (-want +got)\n%s", m.id, o.id, consent, d)
				}
			}
		}
	}
	if pages < 2*2*len(asked)*(len(w.members)-1) {
		t.Errorf("only %d pages: the lists are too short for this test", pages)
	}
}

func (w *world) voteByID(id int64) *wVote {
	for i := range w.votes {
		if w.votes[i].id == id {
			return &w.votes[i]
		}
	}
	return &wVote{}
}

// shared returns the votes on which both members took aye or nay, in the order of the API.
func (w *world) shared(a, b int64, consent bool) []int64 {
	took := func(p council.Position) bool { return p == council.Aye || p == council.Nay }
	var list []*wVote
	for i := range w.votes {
		if v := &w.votes[i]; took(v.of(a)) && took(v.of(b)) && (consent || !v.consent) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, (*wVote).before)
	var ids []int64
	for _, v := range list {
		ids = append(ids, v.id)
	}
	return ids
}

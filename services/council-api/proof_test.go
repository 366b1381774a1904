package councilapi

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
)

// The proof of every vote equals a proof that is composed in Go.
func TestProofOfEveryVote(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 17, 40)
	api := documented(t, testServer(t, reader))

	// Anomalies that concern a vote, and anomalies of another motion or item.
	var ofMeeting, ofItem, ofMotion, ofOther, lists int
	for i := range w.votes {
		v := &w.votes[i]
		named := map[string]int64{"aye": 0, "nay": 0, "abstain": 0, "absent": 0, "recused": 0}
		roll := []civic.VotePosition{}
		for _, p := range v.roll {
			named[string(p.position)]++
			roll = append(roll, civic.VotePosition{MemberID: p.member, MemberName: w.name(p.member), Position: p.position})
		}
		attendance := []review.AttendanceEntry{}
		for _, p := range w.attendance(v.item.meeting) {
			e := review.AttendanceEntry{Name: p.name, Title: p.title, Status: p.status}
			if p.member > 0 {
				e.MemberID = &p.member
			}
			attendance = append(attendance, e)
			lists++
		}
		touching := []int64{}
		for _, n := range w.notes {
			switch {
			case n.meeting != v.item.meeting:
				continue
			case n.item == nil:
				ofMeeting++
			case n.item == v.item && n.motion == 0:
				ofItem++
			case n.item == v.item && n.motion == v.seq:
				ofMotion++
			default:
				ofOther++
				continue
			}
			touching = append(touching, n.id)
		}

		var got struct {
			ID        int64
			ResultRaw string `json:"result_raw"`
			Positions []civic.VotePosition
			Proof     struct {
				Tally      review.Tally
				Named      map[string]int64
				Attendance []review.AttendanceEntry
				Anomalies  []struct{ ID int64 }
			}
		}
		api.Get(t, fmt.Sprintf("/v1/votes/%d", v.id)).JSON(t, &got)
		anomalies := []int64{}
		for _, a := range got.Proof.Anomalies {
			anomalies = append(anomalies, a.ID)
		}
		for what, d := range map[string]string{
			"id":         gocmp.Diff(v.id, got.ID),
			"positions":  gocmp.Diff(roll, got.Positions),
			"tally":      gocmp.Diff(review.Tally{Printed: got.ResultRaw, Ayes: v.ayes, Nays: v.nays}, got.Proof.Tally),
			"named":      gocmp.Diff(named, got.Proof.Named),
			"attendance": gocmp.Diff(attendance, got.Proof.Attendance),
			"anomalies":  gocmp.Diff(touching, anomalies),
		} {
			if d != "" {
				t.Errorf("vote %d: %s (-want +got)\n%s", v.id, what, d)
			}
		}
	}
	if ofMeeting == 0 || ofItem == 0 || ofMotion == 0 || ofOther == 0 || lists == 0 {
		t.Errorf("the world lacks cases: anomalies of the meeting: %d, of the item: %d, of the motion: %d, of others: %d; "+
			"%d lines of attendance",
			ofMeeting, ofItem, ofMotion, ofOther, lists)
	}
}

func (w *world) name(id int64) string {
	for _, m := range w.members {
		if m.id == id {
			return m.name
		}
	}
	return ""
}

package review

import (
	"context"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A VoteDetail is a vote with the evidence for it.
type VoteDetail struct {
	civic.Vote
	Proof VoteProof `json:"proof" doc:"The evidence for and against it."`
}

// A VoteProof has everything that supports or contradicts a vote. Its parts differ if the minutes
// contradict themselves, or if a correction changed a part.
type VoteProof struct {
	Origin      council.VoteOrigin   `json:"origin" doc:"minutes: the minutes print the vote. record: only the portal's own record has it; no minutes say so yet."`
	Tally       Tally                `json:"tally" doc:"The result as the minutes print it; with origin record, in the words of the portal."`
	Named       civic.PositionCounts `json:"named" doc:"Members named in the roll call, by position; all 0 if no member is named."`
	Differs     bool                 `json:"tally_differs" doc:"Whether the tally counts other ayes or nays than the roll call names."`
	Attendance  []AttendanceEntry    `json:"attendance" doc:"The attendance list of the meeting in printed order, staff included; empty if the minutes have none."`
	Anomalies   []Anomaly            `json:"anomalies" doc:"What is wrong with this vote, its item or the meeting as a whole, in document order."`
	Corrections []Correction         `json:"corrections" doc:"What people corrected in this vote and in the title of its item, oldest first, withdrawn corrections included."`
	History     []VoteChange         `json:"history" doc:"Publication and corrections of the vote, with the reasons; newest first, at most 100."`
	ChangesURL  string               `json:"changes_url" format:"uri" doc:"The same changes with the values before and after."`
}

// A Tally is the printed result of a vote.
type Tally struct {
	Printed string `json:"printed" doc:"The result as printed." example:"ADOPTED [4 TO 1]"`
	Ayes    int    `json:"ayes" doc:"As printed, else the number of ayes named."`
	Nays    int    `json:"nays" doc:"As printed, else the number of nays named."`
}

// An AttendanceEntry is the entry of a person in an attendance list.
type AttendanceEntry struct {
	Name     string `json:"name" doc:"As printed."`
	MemberID *int64 `json:"member_id" doc:"The member with that name; null for staff and for people who never voted, moved or seconded."`
	Title    string `json:"title" doc:"As printed." example:"Vice Mayor"`
	Status   string `json:"status" doc:"As printed." example:"Present"`
}

var (
	attendanceOfVote = rest.SQL[civic.IDParams, AttendanceEntry](`
		SELECT a.name, b.id AS member_id, a.title, a.status
		FROM council.vote v
		JOIN council.attendance a ON a.iqm2_id = v.iqm2_id
		LEFT JOIN council.member b ON b.name_key = a.name_key
		WHERE v.id = @id
		ORDER BY a.ord`)

	// An anomaly of another item, or of another motion on this item, does not concern the vote.
	anomaliesOfVote = rest.SQL[civic.IDLinks, Anomaly](selectAnomaly + `
		JOIN council.vote v ON v.iqm2_id = a.iqm2_id
		WHERE v.id = @id AND (a.item_id IS NULL OR a.item_id = v.item_id)
		  AND (a.motion_seq IS NULL OR a.motion_seq = v.motion_seq)
		ORDER BY a.ord`)
)

var ProofEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "getVote", Path: "/votes/{id}", Tag: "Votes", Summary: "One vote with its roll call and " +
		"the proof of it",
		Doc: "The proof has what the minutes say about the vote: the printed tally, the counts of the roll call, the " +
			"attendance of the day and every anomaly that concerns the vote. It also lists what people corrected, and every " +
			"change since the vote was published.",
		NotFound: "unknown vote", Queries: rest.Queries(civic.OneVote, attendanceOfVote, anomaliesOfVote,
			correctionsOfVote, CorrectionsInForce, changesOfVote)}, GetVote),
}

func countPositions(roll []civic.VotePosition) civic.PositionCounts {
	n := map[council.Position]int64{}
	for _, p := range roll {
		n[p.Position]++
	}
	return civic.PositionCounts{Aye: n[council.Aye], Nay: n[council.Nay], Abstain: n[council.Abstain],
		Absent: n[council.Absent], Recused: n[council.Recused]}
}

func GetVote(ctx context.Context, c *rest.Call, p civic.IDParams) (VoteDetail, error) {
	args := civic.LinksTo(c, p)
	v, err := civic.OneVote.One(ctx, c, args)
	if err != nil {
		return VoteDetail{}, civic.Missing(err, "vote", p.ID)
	}
	proof := VoteProof{Origin: v.Origin, Tally: Tally{v.ResultRaw, v.AyesCount, v.NaysCount},
		Named: countPositions(v.Positions), Differs: v.TallyDiffers}
	proof.Attendance, err = attendanceOfVote.List(ctx, c, p)
	if err != nil {
		return VoteDetail{}, err
	}
	proof.Anomalies, err = anomaliesOfVote.List(ctx, c, args)
	if err != nil {
		return VoteDetail{}, err
	}
	proof.Corrections, err = correctionsOfVote.List(ctx, c, p)
	if err != nil {
		return VoteDetail{}, err
	}
	proof.ChangesURL = c.URL("/changes?vote_id={id}", strconv.FormatInt(p.ID, 10))
	proof.History, err = changesOfVote.List(ctx, c, p)
	return VoteDetail{v, proof}, err
}

package review

import (
	"context"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A Correction is a person's change to a parsed vote. It applies to every later parse until it is
// withdrawn.
type Correction struct {
	ID            int64           `json:"id" doc:"Rises with time."`
	Kind          clerk.Kind      `json:"kind" doc:"What it corrects: a value of the vote, the position of one member, the title of the item; or that the vote was missing, or read twice."`
	State         CorrectionState `json:"state" doc:"in_force; superseded by a later correction of the same; or withdrawn."`
	Member        *string         `json:"member" doc:"The member, for a position."`
	Was           *string         `json:"was" doc:"The value as read when the correction was made; null for nobody. Of a missing or doubled vote: how many votes of the item were read."`
	Becomes       *string         `json:"becomes" doc:"The value that is published; null for nobody, and for a whole vote."`
	Author        string          `json:"author" doc:"Who says so."`
	Reason        string          `json:"reason" doc:"Why, in the author's words."`
	Document      string          `json:"document" doc:"The document that shows it, in the author's words."`
	MadeAt        rest.Time       `json:"made_at" doc:"When it was made, UTC."`
	AnomalyID     *int64          `json:"anomaly_id" doc:"The anomaly that it answers."`
	MinutesSHA256 *string         `json:"minutes_sha256" db:"minutes_sha256" doc:"SHA-256 of the archived minutes whose reading it corrects."`
	Withdrawn     *Withdrawal     `json:"withdrawn" doc:"Who took it back, and why; null if nobody did."`
}

// A CorrectionState is the state of a correction.
type CorrectionState string

func (CorrectionState) Values() []string { return []string{"in_force", "superseded", "withdrawn"} }

// A Withdrawal says who withdrew a correction, when and why.
type Withdrawal struct {
	Author string `json:"author" doc:"Who took it back."`
	Reason string `json:"reason" doc:"Why, in the author's words."`
	MadeAt string `json:"made_at" format:"date-time" doc:"When, UTC."`
}

const selectCorrection = `
	SELECT s.correction_id AS id, s.kind, s.state, s.member, s.was, s.becomes, s.author, s.reason, s.rests_on AS document,
	       s.made_at, s.anomaly_id,
	       encode(d.sha256, 'hex') AS minutes_sha256,
	       CASE WHEN w.correction_id IS NOT NULL THEN jsonb_build_object('author', w.author, 'reason', w.reason,
	            'made_at', to_char(w.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) END AS withdrawn
	FROM council.correction_standing s
	LEFT JOIN council.correction w ON w.correction_id = s.withdrawn_by
	LEFT JOIN council.document d ON d.document_id = s.document_id`

// A VoteCorrection is a correction in force of a vote.
type VoteCorrection struct {
	VoteID  int64
	Kind    clerk.Kind
	Member  *string
	Was     *string
	Becomes *string
	Author  string
	Reason  string
	MadeAt  rest.Time
}

type voteIDs struct{ Ids []int64 }

// CorrectionsInForce selects the corrections in force of votes.
var CorrectionsInForce = rest.SQL[voteIDs, VoteCorrection](`
	SELECT s.vote_id, s.kind, s.member, s.was, s.becomes, s.author, s.reason, s.made_at
	FROM council.correction_standing s
	WHERE s.state = 'in_force' AND s.vote_id = ANY(@ids::bigint[])
	ORDER BY s.correction_id`)

// ListCorrections returns the corrections in force by vote.
func ListCorrections(ctx context.Context, c *rest.Call, votes []int64) (map[int64][]VoteCorrection, error) {
	if len(votes) == 0 {
		return nil, nil
	}
	all, err := CorrectionsInForce.List(ctx, c, voteIDs{votes})
	if err != nil {
		return nil, err
	}
	of := map[int64][]VoteCorrection{}
	for i := range all {
		of[all[i].VoteID] = append(of[all[i].VoteID], all[i])
	}
	return of, nil
}

var (
	correctionsOfVote = rest.SQL[civic.IDParams, Correction](selectCorrection + `
		WHERE s.correction_id IN (
			SELECT c.correction_id FROM council.correction c WHERE c.vote_id = @id
			UNION ALL
			SELECT c.correction_id FROM council.vote v JOIN council.correction c ON c.item_id = v.item_id AND c.kind = 'title'
			       WHERE v.id = @id)
		ORDER BY s.correction_id`)

	correctionsOfAnomaly = rest.SQL[civic.IDParams, Correction](selectCorrection + `
		WHERE s.anomaly_id = @id
		ORDER BY s.correction_id`)
)

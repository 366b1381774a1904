package review

import (
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A Change is one change of the published data by an ingest or a re-parse. It remains after its
// rows are gone.
type Change struct {
	wire.Key
	ID          int64      `json:"id" doc:"Rises in the order in which changes were published."`
	Kind        ChangeKind `json:"kind" doc:"What was added, changed or removed."`
	ChangedAt   rest.Time  `json:"changed_at" doc:"When it was published, UTC."`
	Reason      string     `json:"reason" doc:"Why, in words: new document, minutes replaced, reparse with parser X, correction N by …" example:"minutes replaced"`
	RunID       string     `json:"run_id" doc:"The ingest or re-parse that made the change; all changes of one run share it." example:"20261121T020000Z-7QK2MZ4A"`
	MeetingID   *int64     `json:"meeting_id" doc:"The meeting; for a member, the one whose minutes added or removed the name."`
	MeetingDate *rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	civic.BodyRef
	VoteID        *int64   `json:"vote_id" doc:"The vote; it may have been removed."`
	MemberID      *int64   `json:"member_id" doc:"The member; it may have been removed."`
	Fields        []string `json:"fields" doc:"Which fields differ between before and after; empty if something was added or removed."`
	Before        *Reading `json:"before" doc:"The values before the change; null if something was added."`
	After         *Reading `json:"after" doc:"The values after the change; null if something was removed."`
	CorrectionID  *int64   `json:"correction_id" doc:"The correction by a person that made the change, as /votes/{id} shows it; null if a document or a new reading made it."`
	MinutesSHA256 *string  `json:"minutes_sha256" db:"minutes_sha256" doc:"SHA-256 of the archived minutes from which after was read; null if there are none."`
}

type ChangeKind string

func (ChangeKind) Values() []string {
	return []string{"meeting_added", "meeting_status", "vote_added", "vote_changed", "vote_removed", "member_added",
		"member_removed"}
}

// A Reading is the published state of a vote, a meeting or a member, without empty fields.
type Reading struct {
	Status       *council.Status      `json:"status,omitempty" doc:"Status of a meeting."`
	FullName     *string              `json:"full_name,omitempty" doc:"Name of a member."`
	ItemID       *int64               `json:"item_id,omitempty" doc:"Agenda item of a vote. All fields below belong to a vote, too."`
	ItemNumber   *string              `json:"item_number,omitempty" doc:"Number of its item as printed."`
	ItemTitle    *string              `json:"item_title,omitempty" doc:"Title of its item."`
	MotionSeq    *int                 `json:"motion_seq,omitempty" doc:"Order of the motion within its item."`
	MotionText   *string              `json:"motion_text,omitempty" doc:"The motion as the minutes word it."`
	Result       *council.Result      `json:"result,omitempty" doc:"What the printed result means."`
	ResultRaw    *string              `json:"result_raw,omitempty" doc:"The result as printed."`
	AyesCount    *int                 `json:"ayes_count,omitempty" doc:"Ayes of the tally."`
	NaysCount    *int                 `json:"nays_count,omitempty" doc:"Nays of the tally."`
	Unanimous    *bool                `json:"unanimous,omitempty" doc:"Whether no member voted nay or abstained."`
	MoverName    *string              `json:"mover_name,omitempty" doc:"Who moved."`
	SeconderName *string              `json:"seconder_name,omitempty" doc:"Who seconded."`
	ViaConsent   *bool                `json:"via_consent,omitempty" doc:"Whether it was taken with the consent calendar."`
	SourcePage   *int                 `json:"source_page,omitempty" doc:"Page of the minutes PDF with the roll call, from 1."`
	Positions    []civic.VotePosition `json:"positions,omitzero" doc:"The roll call in printed order."`
}

type ChangesParams struct {
	wire.Keyset
	Since     *rest.Date  `query:"since" doc:"Only changes published on this day (UTC) or later." example:"2026-01-01"`
	MeetingID *int64      `query:"meeting_id" min:"1" null:"true" doc:"Only changes of this meeting."`
	VoteID    *int64      `query:"vote_id" min:"1" null:"true" doc:"Only changes of this vote, even if it was removed."`
	Kind      *ChangeKind `query:"kind" doc:"Only changes of this kind."`
	civic.OfBody
}

const fieldsOfChange = `
	ARRAY(SELECT key FROM jsonb_each(c.before) b FULL JOIN jsonb_each(c.after) a USING (key)
	      WHERE c.before IS NOT NULL AND c.after IS NOT NULL AND a.value IS DISTINCT FROM b.value ORDER BY key) AS fields`

var ChangeRows = rest.SQL[ChangesParams, Change](`
	SELECT c.change_id AS id, c.kind, c.changed_at, c.reason, c.run_id, c.iqm2_id AS meeting_id,
	       m.meeting_date, ` + civic.BodyColumns + `, c.vote_id, c.member_id,` + fieldsOfChange + `,
	       c.before, c.after, c.correction_id, encode(d.sha256, 'hex') AS minutes_sha256,
	         jsonb_build_array(c.change_id) AS cursor
	FROM council.change c
	LEFT JOIN council.meeting m ON m.iqm2_id = c.iqm2_id
	LEFT JOIN council.document d ON d.document_id = c.document_id` + civic.JoinBody("c") + `
	WHERE (@since::date IS NULL OR c.changed_at >= @since::date)
	  AND (@meeting_id::bigint IS NULL OR c.iqm2_id = @meeting_id)
	  AND (@vote_id::bigint IS NULL OR c.vote_id = @vote_id)
	  AND (@kind::text IS NULL OR c.kind = @kind)` + civic.InBody("c") + `
	  AND (@after::jsonb IS NULL OR c.change_id < (@after::jsonb->>0)::bigint)
	ORDER BY c.change_id DESC
	LIMIT @limit`)

var ChangeEndpoints = rest.Table{
	wire.List(rest.Spec{ID: "listChanges", Path: "/changes", Tag: "Changes", Summary: "Corrections with time and " +
		"reason, newest first",
		Doc: "Each ingest and each re-parse records its changes to the published data: votes added, changed and removed " +
			"with their values before and after, " +
			"meetings and their status, members. Topics and summaries, which a machine makes, are not recorded. A vote that " +
			"is read again with the same result makes no change."}, ChangeRows),
}

// A VoteChange is an entry in the history of a vote.
type VoteChange struct {
	ID           int64      `json:"id" doc:"Id of the entry in /changes, which has the values before and after."`
	Kind         ChangeKind `json:"kind" doc:"vote_added, or vote_changed for a correction."`
	ChangedAt    rest.Time  `json:"changed_at" doc:"When it was published, UTC."`
	Reason       string     `json:"reason" doc:"Why, in words." example:"minutes replaced"`
	Fields       []string   `json:"fields" doc:"Which fields changed."`
	CorrectionID *int64     `json:"correction_id" doc:"The correction by a person that made the change; null if a document or a new reading made it."`
}

var changesOfVote = rest.SQL[civic.IDParams, VoteChange](`
	SELECT c.change_id AS id, c.kind, c.changed_at, c.reason, c.correction_id,` + fieldsOfChange + `
	FROM council.change c
	WHERE c.vote_id = @id
	ORDER BY c.change_id DESC
	LIMIT 100`)

package civic

import (
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A Vote is one motion that was put to the vote. It comes from the minutes, or from the portal's
// record while there are no minutes.
type Vote struct {
	wire.Key
	ID          int64     `json:"id" doc:"Stable over re-parses of the same minutes."`
	ItemID      int64     `json:"item_id" doc:"The agenda item of the motion."`
	MeetingID   int64     `json:"meeting_id" doc:"The meeting: iqm2_id."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	BodyRef
	MotionSeq    int                 `json:"motion_seq" doc:"Order of the motion within its item, from 1."`
	MotionText   string              `json:"motion_text" doc:"The motion as the minutes word it; empty if they do not."`
	Result       council.Result      `json:"result" doc:"What the printed result means."`
	ResultRaw    string              `json:"result_raw" doc:"The result as printed." example:"ADOPTED [4 TO 1]"`
	AyesCount    int                 `json:"ayes_count" doc:"As printed, else the number of ayes named."`
	NaysCount    int                 `json:"nays_count" doc:"As printed, else the number of nays named."`
	Unanimous    bool                `json:"unanimous" doc:"At least one aye, no nay and no abstention; absent and recused members do not break it."`
	MoverID      *int64              `json:"mover_id" doc:"Who moved; null if the minutes do not say."`
	MoverName    *string             `json:"mover_name" doc:"Name of the mover."`
	SeconderID   *int64              `json:"seconder_id" doc:"Who seconded; null if the minutes do not say."`
	SeconderName *string             `json:"seconder_name" doc:"Name of the seconder."`
	ViaConsent   bool                `json:"via_consent" doc:"Taken by one vote on the whole consent calendar."`
	ParseSource  council.ParseSource `json:"parse_source" doc:"Where the vote was read: pdf in the minutes PDF (or its text), html on the portal's pages: minutes published there, or, until minutes are approved, the votes that the portal records as data."`
	ParsedAt     rest.Time           `json:"parsed_at" doc:"When the vote was first read with its present content."`
	SourceURL    string              `json:"source_url" format:"uri" doc:"The approved minutes, at the page of the roll call (#page=N) if known; for votes that the portal records and no minutes have yet, the portal's page of the meeting."`
	Origin       council.VoteOrigin  `json:"-" db:"origin"`
	// TallyDiffers reports whether tally and roll call have different numbers of ayes or nays.
	TallyDiffers bool           `json:"-" db:"tally_differs"`
	Positions    []VotePosition `json:"positions,omitzero" doc:"The roll call in printed order. Empty if no member is named, and if the roll call as read cannot be true (anomaly roll-withheld)."`
}

// A VotePosition is the position of one member on one motion.
type VotePosition struct {
	MemberID   int64            `json:"member_id" doc:"The member."`
	MemberName string           `json:"member_name" doc:"Name of the member."`
	Position   council.Position `json:"position" doc:"The member's position."`
}

type votesParams struct {
	wire.Keyset
	wire.Links
	VoteFilters
}

// VoteFilters are the filters that every list of votes has.
type VoteFilters struct {
	From       *rest.Date      `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To         *rest.Date      `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	Result     *council.Result `query:"result" doc:"Only votes with this result."`
	Mover      *int64          `query:"mover" min:"1" null:"true" doc:"Only motions moved by this member."`
	Seconder   *int64          `query:"seconder" min:"1" null:"true" doc:"Only motions seconded by this member."`
	Split      *bool           `query:"split" doc:"true: only votes that were not unanimous; false: only those that were."`
	Margin     *string         `query:"margin" pattern:"^[0-9]-[0-9]$" doc:"Ayes and nays of the tally, one digit each; ayes and nays filter larger boards." example:"4-3"`
	Ayes       *int            `query:"ayes" min:"0" max:"9999" doc:"Only votes with this number of ayes in the tally." example:"11"`
	Nays       *int            `query:"nays" min:"0" max:"9999" doc:"Only votes with this number of nays in the tally." example:"4"`
	ViaConsent *bool           `query:"via_consent" doc:"Only votes on, or not on, the consent calendar."`
	Topic      *council.Topic  `query:"topic" doc:"Only votes on items with this topic."`
	OfBody
}

// voteColumns need the tables of voteSources and, for voteURL, parameters with [wire.Links].
const voteColumns = `
	v.id, v.item_id, v.iqm2_id AS meeting_id, v.meeting_date, ` + BodyColumns + `,
	v.motion_seq, v.motion_text, v.result, v.result_raw,
	v.ayes_count, v.nays_count, v.unanimous, v.mover_id, mover.full_name AS mover_name, v.seconder_id,
	seconder.full_name AS seconder_name, v.via_consent, v.parse_source, v.origin, v.parsed_at,
	` + voteURL + ` AS source_url,
	coalesce((SELECT count(*) FILTER (WHERE r.position = 'aye') <> v.ayes_count OR count(*)
	  FILTER (WHERE r.position = 'nay') <> v.nays_count
	          FROM council.vote_position r WHERE r.vote_id = v.id HAVING count(*)
	            FILTER (WHERE r.position IN ('aye', 'nay')) > 0), false) AS tally_differs,
	jsonb_build_array(v.meeting_date, v.starts_at, v.iqm2_id, v.ord, jsonb_build_array(v.id)) AS cursor`

const rollColumn = `,
	(SELECT coalesce(jsonb_agg(jsonb_build_object('member_id', p.member_id, 'member_name', b.full_name, 'position',
	  p.position) ORDER BY p.ord), '[]')
	 FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = v.id) AS positions`

var selectVote = `
	SELECT` + voteColumns + rollColumn + `
	FROM council.vote v` + voteSources

var voteSources = `
	JOIN council.meeting m ON m.iqm2_id = v.iqm2_id` + Sources + JoinBody("v") + `
	LEFT JOIN council.member mover ON mover.id = v.mover_id
	LEFT JOIN council.member seconder ON seconder.id = v.seconder_id`

var whereVote = `
	WHERE (@from::date IS NULL OR v.meeting_date >= @from)
	  AND (@to::date IS NULL OR v.meeting_date <= @to)
	  AND (@result::text IS NULL OR v.result = @result)
	  AND (@mover::bigint IS NULL OR v.mover_id = @mover)
	  AND (@seconder::bigint IS NULL OR v.seconder_id = @seconder)
	  AND (@split::boolean IS NULL OR v.unanimous = NOT @split)
	  AND (@margin::text IS NULL OR v.ayes_count = left(@margin, 1)::integer AND v.nays_count = right(@margin, 1)::integer)
	  AND (@ayes::integer IS NULL OR v.ayes_count = @ayes)
	  AND (@nays::integer IS NULL OR v.nays_count = @nays)
	  AND (@via_consent::boolean IS NULL OR v.via_consent = @via_consent)
	  AND (@topic::text IS NULL OR v.topic = @topic)` + InBody("v") + AfterCursor("v", "v.ord > "+PlaceOf("vote"))

var (
	voteRows = rest.SQL[votesParams, Vote](selectVote + whereVote + `
		ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord
		LIMIT @limit`)

	votesOfMeeting = rest.SQL[IDLinks, Vote](selectVote + `
		WHERE v.iqm2_id = @id
		ORDER BY v.ord`)

	votesOfItem = rest.SQL[IDLinks, Vote](selectVote + `
		WHERE v.item_id = @id
		ORDER BY v.motion_seq`)

	OneVote = rest.SQL[IDLinks, Vote](selectVote + ` WHERE v.id = @id`)
)

var VoteEndpoints = rest.Table{
	wire.List(rest.Spec{ID: "listVotes", Path: "/votes", Tag: "Votes", Summary: "Votes with their roll calls, newest " +
		"meeting first"}, voteRows),
}

package civic

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A Member is a person who voted, moved or seconded. council.yaml can unite different spellings of
// a name.
type Member struct {
	ID        int64     `json:"id" doc:"Stable over re-parses."`
	FullName  string    `json:"full_name" doc:"As printed, or as the operator spells it." example:"Ann Archer"`
	LastName  string    `json:"last_name" doc:"With its particles; lists of members are sorted by it." example:"Archer"`
	FirstSeen rest.Date `json:"first_seen" doc:"First meeting day on which the member is recorded: in a roll, as mover or seconder, or in the attendance."`
	LastSeen  rest.Date `json:"last_seen" doc:"Last such day."`
	VoteCount int64     `json:"vote_count" doc:"Votes on which the member has a recorded position, absences included."`
	BodyIDs   []int64   `json:"body_ids,omitempty" db:"body_ids" doc:"The bodies that the member sat on; absent while the dataset has only one."`
	// Offices come from the operator, who may not have entered any.
	Offices []MemberOffice `json:"offices,omitempty" doc:"What the town says of the member, by body; absent if it says nothing."`
	// Confirmed reports whether an attendance list has the name. If a meeting has no attendance list,
	// its roll calls count instead. Unconfirmed names may be misprints.
	Confirmed bool `json:"-" db:"confirmed"`
}

// MemberParams are the parameters of one member's data.
type MemberParams struct {
	IDParams
	OfBody
}

// A MemberProfile is a member with counts of their votes.
type MemberProfile struct {
	Member
	Positions PositionCounts `json:"positions" doc:"Votes by the position that the member took."`
	Moved     int64          `json:"moved" doc:"Motions moved."`
	Seconded  int64          `json:"seconded" doc:"Motions seconded."`
	Topics    []TopicVotes   `json:"topics" doc:"Votes with a recorded position by the item's topic, most frequent first."`
	Dissents  int64          `json:"dissents" doc:"Votes in the minority: nay on an adopted motion, or aye on a failed one."`
	Bodies    []MemberBody   `json:"bodies,omitempty" db:"-" doc:"On which bodies the member sat and when; absent while the dataset has only one."`
}

// A MemberOffice is what the town says of a member on a body.
type MemberOffice struct {
	BodyRef
	Office   *string `json:"office" doc:"Such as Mayor."`
	District *string `json:"district" doc:"Ward or district."`
	Since    *int64  `json:"since" doc:"First year in office."`
	Until    *int64  `json:"until" doc:"Last year in office."`
}

// PositionCounts counts votes by position.
type PositionCounts struct {
	Aye     int64 `json:"aye" doc:"In favour."`
	Nay     int64 `json:"nay" doc:"Against."`
	Abstain int64 `json:"abstain" doc:"Present, neither in favour nor against."`
	Absent  int64 `json:"absent" doc:"Absent or excused."`
	Recused int64 `json:"recused" doc:"Recused for a conflict of interest."`
}

// TopicVotes has counts of a member's votes on one topic.
type TopicVotes struct {
	Topic *council.Topic `json:"topic" doc:"Null for items without a topic."`
	Count int64          `json:"count" doc:"Votes with a recorded position."`
	Nays  int64          `json:"nays" doc:"Votes on which the position was nay."`
	// Dissents is at most Count.
	Dissents int64 `json:"dissents" doc:"Votes in the minority: nay on an adopted motion, or aye on a failed one."`
}

// seenColumns selects the first and last day on which member b appears. It reads only the ends of
// four indexes.
func seenColumns(in func(table string) string) string {
	ends := func(function string) string {
		return `(SELECT ` + function + `(p.meeting_date) FROM council.vote_position p
		         WHERE p.member_id = b.id` + in("p") + `),
	        (SELECT ` + function + `(v.meeting_date) FROM council.vote v WHERE v.mover_id = b.id` + in("v") + `),
	        (SELECT ` + function + `(v.meeting_date) FROM council.vote v WHERE v.seconder_id = b.id` + in("v") + `),
	        (SELECT ` + function + `(a.meeting_date) FROM council.attendance a
	         WHERE a.name_key = b.name_key` + in("a") + `)`
	}
	return `
	  least(` + ends("min") + `) AS first_seen,
	  greatest(` + ends("max") + `) AS last_seen`
}

// The counts come from the tallies that ingest keeps.
var selectMember = `
	SELECT b.id, b.full_name, b.last_name,` + seenColumns(InBody) + `,
	       coalesce((SELECT sum(t.votes) FROM council.body_member_tally t WHERE t.member_id = b.id` + InBody("t") + `),
	         0)::bigint AS vote_count,
	       seats.body_ids,
	       (SELECT jsonb_agg(to_jsonb(one) ORDER BY one.until DESC NULLS FIRST, one.seat)
	        FROM (SELECT ` + BodyColumns + `, o.office, o.district, o.since, o.until, o.body_id AS seat
	              FROM council.member_body s JOIN council.member_office o USING (body_id, name_key)
	              LEFT JOIN council.body ON body.body_id = o.body_id AND ` + severalBodies + `
	              WHERE s.member_id = b.id) one) AS offices,
	       (EXISTS (SELECT FROM council.attendance a WHERE a.name_key = b.name_key)
	        OR EXISTS (SELECT FROM council.vote_position p
	                   WHERE p.member_id = b.id AND NOT EXISTS (SELECT FROM council.attendance a
	                     WHERE a.iqm2_id = p.iqm2_id))) AS confirmed`

const members = `
	FROM council.member b
	LEFT JOIN (SELECT member_id, array_agg(DISTINCT body_id ORDER BY body_id) AS body_ids FROM council.member_body
	           WHERE ` + severalBodies + ` GROUP BY member_id) seats ON seats.member_id = b.id`

var (
	memberRows = rest.SQL[OfBody, Member](selectMember + members + `
		WHERE true` + MemberInBody("b.id") + `
		ORDER BY b.last_name, b.full_name, b.id`)

	oneMember = rest.SQL[MemberParams, MemberProfile](selectMember + `,
		       (SELECT coalesce(jsonb_object_agg(t.position, t.votes), '{}')
		        FROM (SELECT position, sum(votes) AS votes FROM council.body_member_tally t
		              WHERE member_id = b.id` + InBody("t") + ` GROUP BY position) t) AS positions,
		       (SELECT count(*) FROM council.vote v WHERE v.mover_id = b.id` + InBody("v") + `) AS moved,
		       (SELECT count(*) FROM council.vote v WHERE v.seconder_id = b.id` + InBody("v") + `) AS seconded,
		       (SELECT coalesce(jsonb_agg(jsonb_build_object('topic', nullif(t.topic, ''), 'count', t.votes, 'nays', t.nays,
		         'dissents', t.dissents)
		         ORDER BY t.votes DESC, t.topic), '[]')
		        FROM (SELECT topic, sum(votes) AS votes, coalesce(sum(votes) FILTER (WHERE position = 'nay'), 0) AS nays,
		                     sum(dissents) AS dissents
		              FROM council.body_member_tally t WHERE member_id = b.id` + InBody("t") + ` GROUP BY topic) t) AS topics,
		       coalesce((SELECT sum(t.dissents) FROM council.body_member_tally t
		                 WHERE t.member_id = b.id` + InBody("t") + `), 0)::bigint AS dissents` + members + `
		WHERE b.id = @id` + MemberInBody("b.id"))

	memberExists = rest.SQL[IDParams, int64](`SELECT id FROM council.member WHERE id = @id`)
)

// A MemberVote is a vote with the position of one member.
type MemberVote struct {
	Vote
	Position council.Position `json:"position" doc:"This member's position."`
	OfItem
}

type MemberVotesParams struct {
	MemberVoteFilters
	wire.Keyset
	wire.Links
}

// whereMemberVote has the filters of [MemberVotesParams], without paging.
const whereMemberVote = `
	WHERE p.member_id = @id
	  AND (@from::date IS NULL OR p.meeting_date >= @from)
	  AND (@to::date IS NULL OR p.meeting_date <= @to)
	  AND (@position::text IS NULL OR p.position = @position)
	  AND (@topic::text IS NULL OR v.topic = @topic)
	  AND (@result::text IS NULL OR v.result = @result)
	  AND (@split::boolean IS NULL OR v.unanimous = NOT @split)
	  AND (@minority::boolean IS NULL OR @minority = (v.result = 'adopted' AND p.position = 'nay'
	       OR v.result = 'failed' AND p.position = 'aye'))`

var MemberVoteRows = rest.SQL[MemberVotesParams, MemberVote](`
	SELECT` + voteColumns + `, NULL::jsonb AS positions, p.position, i.title AS item_title, i.item_number, v.topic
	FROM council.vote_position p
	JOIN council.vote v ON v.id = p.vote_id
	JOIN council.item i ON i.id = v.item_id` + voteSources + whereMemberVote + InBody("p") +
	AfterCursor("p", "v.ord > "+PlaceOf("vote")) + `
	ORDER BY p.meeting_date DESC, p.starts_at DESC, p.iqm2_id DESC, v.ord
	LIMIT @limit`)

// MemberVoteFilters are the filters of a member's votes.
type MemberVoteFilters struct {
	MemberParams
	From     *rest.Date        `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To       *rest.Date        `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	Position *council.Position `query:"position" doc:"Only votes on which the member took this position."`
	Topic    *council.Topic    `query:"topic" doc:"Only votes on items with this topic."`
	Result   *council.Result   `query:"result" doc:"Only votes with this result."`
	Split    *bool             `query:"split" newer:"true" doc:"true: only votes that were not unanimous; false: only those that were."`
	Minority *bool             `query:"minority" newer:"true" doc:"true: only votes on which the member was in the minority, that is nay on an adopted motion or aye on a failed one."`
}

// A MemberVoteCount is the number of a member's votes that filters find.
type MemberVoteCount struct {
	Total int64 `json:"total" doc:"Votes that match."`
}

var memberVoteCount = rest.SQL[MemberVoteFilters, MemberVoteCount](`
	SELECT count(*) AS total
	FROM council.vote_position p
	JOIN council.vote v ON v.id = p.vote_id` + whereMemberVote + InBody("p"))

// CountMemberVotes counts the votes that [ListMemberVotes] lists.
func CountMemberVotes(ctx context.Context, c *rest.Call, p MemberVoteFilters) (MemberVoteCount, error) {
	n, err := memberVoteCount.One(ctx, c, p)
	if err == nil && n.Total == 0 { // the member may have no votes, or not exist
		_, err = memberExists.One(ctx, c, p.IDParams)
		err = Missing(err, "member", p.ID)
	}
	return n, err
}

// List is the body of a collection that has no pages.
type List[R any] struct {
	Data []R `json:"data" doc:"All entries."`
}

var MemberEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listMembers", Path: "/members", Tag: "Members", Summary: "Everyone who voted, moved or " +
		"seconded", Queries: rest.Queries(memberRows)}, ListMembers),
	rest.Func(rest.Spec{ID: "getMember", Path: "/members/{id}", Tag: "Members", Summary: "One member with counts of " +
		"votes",
		NotFound: "unknown member, or not of the body", Queries: rest.Queries(oneMember, bodiesOfMember)},
		GetMember),
	rest.Func(rest.Spec{ID: "listMemberVotes", Path: "/members/{id}/votes", Tag: "Members",
		Summary:  "One member's votes, newest first",
		NotFound: "unknown member", Queries: rest.Queries(memberExists, MemberVoteRows)}, ListMemberVotes),
	rest.Func(rest.Spec{ID: "countMemberVotes", Path: "/members/{id}/votes/count", Tag: "Members",
		Summary: "How many of one member's votes the filters find", Doc: "The filters of /members/{id}/votes.",
		NotFound: "unknown member", Queries: rest.Queries(memberExists, memberVoteCount)}, CountMemberVotes),
	rest.Func(rest.Spec{ID: "getAgreement", Path: "/members/{id}/agreement", Tag: "Members",
		Summary: "Agreement of one member with each other member",
		Doc: "Counts votes on which both took aye or nay. Absences, abstentions and recusals are neither agreement " +
			"nor disagreement. Votes of two bodies are never counted together; those of joint meetings count for " +
			"each of their bodies.",
		NotFound: "unknown member", Queries: rest.Queries(memberExists, agreementRows)}, GetAgreement),
}

func ListMembers(ctx context.Context, c *rest.Call, of OfBody) (List[Member], error) {
	rows, err := memberRows.List(ctx, c, of)
	return List[Member]{rows}, err
}

func GetMember(ctx context.Context, c *rest.Call, p MemberParams) (MemberProfile, error) {
	m, err := oneMember.One(ctx, c, p)
	if err != nil {
		return m, Missing(err, "member", p.ID)
	}
	m.Bodies, err = bodiesOfMember.List(ctx, c, p.IDParams)
	return m, err
}

func ListMemberVotes(ctx context.Context, c *rest.Call, p MemberVotesParams) (wire.Page[MemberVote], error) {
	page, err := wire.Walk(ctx, c, MemberVoteRows, p)
	if err == nil && page.Count == 0 { // the member may have no votes, or not exist
		_, err = memberExists.One(ctx, c, p.IDParams)
		err = Missing(err, "member", p.ID)
	}
	return page, err
}

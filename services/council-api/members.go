package councilapi

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A Member is a person who voted, moved or seconded. Two spellings of a name are
// one member only if council.yaml says so.
type Member struct {
	ID        int64     `json:"id" doc:"Stable over re-parses."`
	FullName  string    `json:"full_name" doc:"As printed, or as the operator spells it." example:"Ann Archer"`
	LastName  string    `json:"last_name" doc:"With its particles; lists of members are sorted by it." example:"Archer"`
	FirstSeen rest.Date `json:"first_seen" doc:"First meeting day on which the member is recorded: in a roll, as mover or seconder, or in the attendance."`
	LastSeen  rest.Date `json:"last_seen" doc:"Last such day."`
	VoteCount int64     `json:"vote_count" doc:"Votes on which the member has a recorded position, absences included."`
}

// A MemberProfile is a member with counts of its votes.
type MemberProfile struct {
	Member
	Positions PositionCounts `json:"positions" doc:"Votes by the position that the member took."`
	Moved     int64          `json:"moved" doc:"Motions moved."`
	Seconded  int64          `json:"seconded" doc:"Motions seconded."`
	Topics    []TopicVotes   `json:"topics" doc:"Votes with a recorded position by the item's topic, most frequent first."`
	Dissents  int64          `json:"dissents" doc:"Votes in the minority: nay on an adopted motion, or aye on a failed one."`
}

// PositionCounts counts votes by position.
type PositionCounts struct {
	Aye     int64 `json:"aye" doc:"In favour."`
	Nay     int64 `json:"nay" doc:"Against."`
	Abstain int64 `json:"abstain" doc:"Present, neither in favour nor against."`
	Absent  int64 `json:"absent" doc:"Absent or excused."`
	Recused int64 `json:"recused" doc:"Recused for a conflict of interest."`
}

// TopicVotes counts a member's votes on one topic.
type TopicVotes struct {
	Topic *council.Topic `json:"topic" doc:"Null for items without a topic."`
	Count int64          `json:"count" doc:"Votes with a recorded position."`
	Nays  int64          `json:"nays" doc:"Votes on which the position was nay."`
}

// The first and last day come from the ends of four indexes, the counts from
// totals that the ingest maintains.
const selectMember = `
	SELECT b.id, b.full_name, b.last_name,
	       least((SELECT min(p.meeting_date) FROM council.vote_position p WHERE p.member_id = b.id),
	             (SELECT min(v.meeting_date) FROM council.vote v WHERE v.mover_id = b.id),
	             (SELECT min(v.meeting_date) FROM council.vote v WHERE v.seconder_id = b.id),
	             (SELECT min(a.meeting_date) FROM council.attendance a WHERE a.name_key = b.name_key)) AS first_seen,
	       greatest((SELECT max(p.meeting_date) FROM council.vote_position p WHERE p.member_id = b.id),
	                (SELECT max(v.meeting_date) FROM council.vote v WHERE v.mover_id = b.id),
	                (SELECT max(v.meeting_date) FROM council.vote v WHERE v.seconder_id = b.id),
	                (SELECT max(a.meeting_date) FROM council.attendance a WHERE a.name_key = b.name_key)) AS last_seen,
	       coalesce((SELECT sum(t.votes) FROM council.member_tally t WHERE t.member_id = b.id), 0)::bigint AS vote_count`

var (
	memberRows = rest.SQL[rest.None, Member](selectMember + `
		FROM council.member b
		ORDER BY b.last_name, b.full_name, b.id`)

	oneMember = rest.SQL[idParams, MemberProfile](selectMember + `,
		       (SELECT jsonb_build_object(
		               'aye', coalesce(sum(t.votes) FILTER (WHERE t.position = 'aye'), 0), 'nay', coalesce(sum(t.votes) FILTER (WHERE t.position = 'nay'), 0),
		               'abstain', coalesce(sum(t.votes) FILTER (WHERE t.position = 'abstain'), 0), 'absent', coalesce(sum(t.votes) FILTER (WHERE t.position = 'absent'), 0),
		               'recused', coalesce(sum(t.votes) FILTER (WHERE t.position = 'recused'), 0))
		        FROM council.member_tally t WHERE t.member_id = b.id) AS positions,
		       (SELECT count(*) FROM council.vote v WHERE v.mover_id = b.id) AS moved,
		       (SELECT count(*) FROM council.vote v WHERE v.seconder_id = b.id) AS seconded,
		       (SELECT coalesce(jsonb_agg(jsonb_build_object('topic', nullif(t.topic, ''), 'count', t.votes, 'nays', t.nays) ORDER BY t.votes DESC, t.topic), '[]')
		        FROM (SELECT topic, sum(votes) AS votes, coalesce(sum(votes) FILTER (WHERE position = 'nay'), 0) AS nays
		              FROM council.member_tally WHERE member_id = b.id GROUP BY topic) t) AS topics,
		       coalesce((SELECT sum(t.dissents) FROM council.member_tally t WHERE t.member_id = b.id), 0)::bigint AS dissents
		FROM council.member b
		WHERE b.id = @id`)

	memberExists = rest.SQL[idParams, int64](`SELECT id FROM council.member WHERE id = @id`)
)

// A MemberVote is a vote with the position of one member.
type MemberVote struct {
	Vote
	Position   council.Position `json:"position" doc:"This member's position."`
	ItemTitle  string           `json:"item_title" doc:"Title of the agenda item."`
	ItemNumber *string          `json:"item_number" doc:"Its number as printed."`
	Topic      *council.Topic   `json:"topic" doc:"Topic of the item; machine-assigned, null when unclassified."`
}

type memberVotesParams struct {
	idParams
	wire.Keyset
	links
	From     *rest.Date        `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To       *rest.Date        `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	Position *council.Position `query:"position" doc:"Only votes on which the member took this position."`
	Topic    *council.Topic    `query:"topic" doc:"Only votes on items with this topic."`
	Result   *council.Result   `query:"result" doc:"Only votes with this result."`
}

var memberVotes = rest.SQL[memberVotesParams, MemberVote](`
	SELECT` + voteColumns + `, NULL::jsonb AS positions, p.position, i.title AS item_title, i.item_number, v.topic
	FROM council.vote_position p
	JOIN council.vote v ON v.id = p.vote_id
	JOIN council.item i ON i.id = v.item_id` + voteSources + `
	WHERE p.member_id = @id
	  AND (@from::date IS NULL OR p.meeting_date >= @from)
	  AND (@to::date IS NULL OR p.meeting_date <= @to)
	  AND (@position::text IS NULL OR p.position = @position)
	  AND (@topic::text IS NULL OR v.topic = @topic)
	  AND (@result::text IS NULL OR v.result = @result)
	  AND (@after::jsonb IS NULL OR (p.meeting_date, p.starts_at, p.iqm2_id)
	       <= ((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint)
	       AND ((p.meeting_date, p.starts_at, p.iqm2_id)
	            < ((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint) OR v.ord > ` + votePlace + `))
	ORDER BY p.meeting_date DESC, p.starts_at DESC, p.iqm2_id DESC, v.ord
	LIMIT @limit`)

// An Agreement is how often two members voted alike.
type Agreement struct {
	MemberID      int64    `json:"member_id" doc:"The other member."`
	MemberName    string   `json:"member_name" doc:"Name of the other member."`
	SharedVotes   int64    `json:"shared_votes" doc:"Votes on which both took aye or nay."`
	Agreements    int64    `json:"agreements" doc:"Shared votes on which both took the same position."`
	AgreementRate *float64 `json:"agreement_rate" doc:"agreements / shared_votes, rounded to four decimals."`
}

// Agreements is a member's agreement with everyone who shared a vote.
type Agreements struct {
	MemberID       int64       `json:"member_id" doc:"The member of the path."`
	IncludeConsent bool        `json:"include_consent" doc:"Whether votes on the consent calendar are counted."`
	Data           []Agreement `json:"data" doc:"Members with at least one shared vote, highest rate first."`
}

type agreementParams struct {
	idParams
	IncludeConsent string `query:"include_consent" enum:"true,false" default:"false" doc:"Count votes on the consent calendar too."`
}

var agreementRows = rest.SQL[agreementParams, Agreement](`
	SELECT t.other_id AS member_id, b.full_name AS member_name, sum(t.shared)::bigint AS shared_votes, sum(t.agreed)::bigint AS agreements,
	       round(sum(t.agreed) / sum(t.shared), 4)::double precision AS agreement_rate
	FROM council.pair_tally t
	JOIN council.member b ON b.id = t.other_id
	WHERE t.member_id = @id AND (@include_consent = 'true' OR NOT t.via_consent)
	GROUP BY t.other_id, b.full_name
	HAVING sum(t.shared) > 0
	ORDER BY sum(t.agreed) / sum(t.shared) DESC, sum(t.shared) DESC, t.other_id`)

// List is the body of a collection without pages.
type List[R any] struct {
	Data []R `json:"data" doc:"All entries."`
}

func memberEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "listMembers", Path: "/members", Tag: "Members", Summary: "Everyone who voted, moved or seconded", Queries: rest.Queries(memberRows)}, listMembers),
		rest.Func(rest.Spec{ID: "getMember", Path: "/members/{id}", Tag: "Members", Summary: "One member with counts of votes",
			NotFound: "unknown member", Queries: rest.Queries(oneMember)}, getMember),
		rest.Func(rest.Spec{ID: "listMemberVotes", Path: "/members/{id}/votes", Tag: "Members", Summary: "One member's votes, newest first",
			NotFound: "unknown member", Queries: rest.Queries(memberExists, memberVotes)}, listMemberVotes),
		rest.Func(rest.Spec{ID: "getAgreement", Path: "/members/{id}/agreement", Tag: "Members", Summary: "Agreement of one member with each other member",
			Doc:      "Counts votes on which both took aye or nay. Absences, abstentions and recusals are neither agreement nor disagreement.",
			NotFound: "unknown member", Queries: rest.Queries(memberExists, agreementRows)}, getAgreement),
	}
}

func listMembers(ctx context.Context, c *rest.Call, _ rest.None) (List[Member], error) {
	rows, err := memberRows.List(ctx, c, rest.None{})
	return List[Member]{rows}, err
}

func getMember(ctx context.Context, c *rest.Call, p idParams) (MemberProfile, error) {
	m, err := oneMember.One(ctx, c, p)
	return m, missing(err, "member", p.ID)
}

func listMemberVotes(ctx context.Context, c *rest.Call, p memberVotesParams) (wire.Page[MemberVote], error) {
	p.Base = c.URL("")
	page, err := wire.Walk(ctx, c, memberVotes, p)
	if err == nil && page.Count == 0 { // no votes, or no such member?
		_, err = memberExists.One(ctx, c, p.idParams)
		err = missing(err, "member", p.ID)
	}
	return page, err
}

func getAgreement(ctx context.Context, c *rest.Call, p agreementParams) (Agreements, error) {
	a := Agreements{MemberID: p.ID, IncludeConsent: p.IncludeConsent == "true"}
	if _, err := memberExists.One(ctx, c, p.idParams); err != nil {
		return a, missing(err, "member", p.ID)
	}
	var err error
	a.Data, err = agreementRows.List(ctx, c, p)
	return a, err
}

// A SharedVote is a vote on which two members both took aye or nay.
type SharedVote struct {
	Vote
	Position      council.Position `json:"position" doc:"Position of the member with the path's first id."`
	OtherPosition council.Position `json:"other_position" doc:"Position of the member with the path's second id."`
	Agreed        bool             `json:"agreed" doc:"Whether both positions are the same."`
	ItemTitle     string           `json:"item_title" doc:"Title of the agenda item."`
	ItemNumber    *string          `json:"item_number" doc:"Its number as printed."`
	Topic         *council.Topic   `json:"topic" doc:"Of the item; machine-assigned, null when unclassified."`
}

// A SharedVotePage is a page of shared votes with the totals of all pages.
type SharedVotePage struct {
	wire.Page[SharedVote]
	SharedVotes   int64    `json:"shared_votes" doc:"Number of shared votes on all pages; the same as in the list of agreements."`
	Agreements    int64    `json:"agreements" doc:"Shared votes on which both took the same position, on all pages."`
	AgreementRate *float64 `json:"agreement_rate" doc:"agreements / shared_votes, rounded to four decimals; null if the two share no vote."`
}

type pairParams struct {
	ID    int64 `path:"id" min:"1" doc:"One member."`
	Other int64 `path:"other" min:"1" doc:"The other member."`
}

// A pairFilter has the parameters that the totals and the list of votes share.
type pairFilter struct {
	pairParams
	IncludeConsent string `query:"include_consent" enum:"true,false" default:"false" doc:"Show and count votes on the consent calendar too."`
}

type sharedVotesParams struct {
	wire.Keyset
	links
	pairFilter
}

type pairSum struct {
	SharedVotes   int64
	Agreements    int64
	AgreementRate *float64
}

var (
	pairExists = rest.SQL[pairParams, int64](`SELECT count(*) FROM council.member WHERE id IN (@id, @other)`)

	// The totals come from the ingest's counts, as in the list of agreements; a test compares them with the votes.
	pairSums = rest.SQL[pairFilter, pairSum](`
		SELECT coalesce(sum(t.shared), 0)::bigint AS shared_votes, coalesce(sum(t.agreed), 0)::bigint AS agreements,
		       round(sum(t.agreed) / nullif(sum(t.shared), 0), 4)::double precision AS agreement_rate
		FROM council.pair_tally t
		WHERE t.member_id = @id AND t.other_id = @other AND (@include_consent = 'true' OR NOT t.via_consent)`)

	// The votes that council.pair_share counts, one by one.
	sharedVotes = rest.SQL[sharedVotesParams, SharedVote](`
		SELECT` + voteColumns + `, NULL::jsonb AS positions, p.position, o.position AS other_position, p.position = o.position AS agreed,
		       i.title AS item_title, i.item_number, v.topic
		FROM council.vote_position p
		JOIN council.vote_position o ON o.vote_id = p.vote_id AND o.member_id = @other
		JOIN council.vote v ON v.id = p.vote_id
		JOIN council.item i ON i.id = v.item_id` + voteSources + `
		WHERE p.member_id = @id AND p.position IN ('aye', 'nay') AND o.position IN ('aye', 'nay')
		  AND (@include_consent = 'true' OR NOT v.via_consent)
		  AND (@after::jsonb IS NULL OR (p.meeting_date, p.starts_at, p.iqm2_id)
		       <= ((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint)
		       AND ((p.meeting_date, p.starts_at, p.iqm2_id)
		            < ((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint) OR v.ord > ` + votePlace + `))
		ORDER BY p.meeting_date DESC, p.starts_at DESC, p.iqm2_id DESC, v.ord
		LIMIT @limit`)
)

func sharedVoteEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "listAgreements", Path: "/members/agreement", Tag: "Members", Summary: "Agreement of all pairs of members",
			Doc: "The numbers of /members/{id}/agreement for all members at once, each pair one time.", Queries: rest.Queries(memberRows, allPairs)}, listPairs),
		rest.Func(rest.Spec{ID: "listSharedVotes", Path: "/members/{id}/agreement/{other}", Tag: "Members", Summary: "The votes behind the agreement of two members, newest first",
			Doc:      "The votes on which both took aye or nay. All pages together give the numbers in the list of agreements.",
			NotFound: "unknown member, or the same one twice", Queries: rest.Queries(pairExists, pairSums, sharedVotes)}, listSharedVotes),
	}
}

func listSharedVotes(ctx context.Context, c *rest.Call, p sharedVotesParams) (SharedVotePage, error) {
	members, err := pairExists.One(ctx, c, p.pairParams)
	if err != nil {
		return SharedVotePage{}, err
	}
	if members != 2 {
		return SharedVotePage{}, rest.NotFound("there are no two different members with the ids %d and %d", p.ID, p.Other)
	}
	p.Base = c.URL("")
	page, err := wire.Walk(ctx, c, sharedVotes, p)
	if err != nil {
		return SharedVotePage{}, err
	}
	sum, err := pairSums.One(ctx, c, p.pairFilter)
	return SharedVotePage{page, sum.SharedVotes, sum.Agreements, sum.AgreementRate}, err
}

// A PairAgreement is how often two members voted alike.
type PairAgreement struct {
	MemberID      int64    `json:"member_id" doc:"One member."`
	OtherID       int64    `json:"other_id" doc:"The other member, whose id is larger."`
	SharedVotes   int64    `json:"shared_votes" doc:"Votes on which both took aye or nay."`
	Agreements    int64    `json:"agreements" doc:"Shared votes on which both took the same position."`
	AgreementRate *float64 `json:"agreement_rate" doc:"agreements / shared_votes, rounded to four decimals."`
}

// PairAgreements is the agreement of all pairs of members.
type PairAgreements struct {
	IncludeConsent bool            `json:"include_consent" doc:"Whether votes on the consent calendar are counted."`
	Members        []Member        `json:"members" doc:"Everyone who voted, moved or seconded, as in /members."`
	Data           []PairAgreement `json:"data" doc:"Each pair with at least one shared vote once, by the ids of the two."`
}

type pairsParams struct {
	IncludeConsent string `query:"include_consent" enum:"true,false" default:"false" doc:"Count votes on the consent calendar too."`
}

var allPairs = rest.SQL[pairsParams, PairAgreement](`
	SELECT t.member_id, t.other_id, sum(t.shared)::bigint AS shared_votes, sum(t.agreed)::bigint AS agreements, round(sum(t.agreed) / sum(t.shared), 4)::double precision AS agreement_rate
	FROM council.pair_tally t
	WHERE t.member_id < t.other_id AND (@include_consent = 'true' OR NOT t.via_consent)
	GROUP BY t.member_id, t.other_id
	HAVING sum(t.shared) > 0
	ORDER BY t.member_id, t.other_id`)

func listPairs(ctx context.Context, c *rest.Call, p pairsParams) (PairAgreements, error) {
	members, err := memberRows.List(ctx, c, rest.None{})
	if err != nil {
		return PairAgreements{}, err
	}
	pairs, err := allPairs.List(ctx, c, p)
	return PairAgreements{p.IncludeConsent == "true", members, pairs}, err
}

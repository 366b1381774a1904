package civic

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// Alike counts equal positions of two members.
type Alike struct {
	SharedVotes   int64    `json:"shared_votes" doc:"Votes on which both took aye or nay."`
	Agreements    int64    `json:"agreements" doc:"Shared votes on which both took the same position."`
	AgreementRate *float64 `json:"agreement_rate" doc:"agreements / shared_votes, rounded to four decimals."`
}

const alikeColumns = `
	coalesce(sum(t.shared), 0)::bigint AS shared_votes, coalesce(sum(t.agreed), 0)::bigint AS agreements,
	round(sum(t.agreed) / nullif(sum(t.shared), 0), 4)::double precision AS agreement_rate`

// An Agreement says how often a member agreed with another member.
type Agreement struct {
	MemberID   int64  `json:"member_id" doc:"The other member."`
	MemberName string `json:"member_name" doc:"Name of the other member."`
	BodyRef
	Alike
}

// Agreements are the agreements of one member.
type Agreements struct {
	MemberID       int64       `json:"member_id" doc:"The member of the path."`
	IncludeConsent bool        `json:"include_consent" doc:"Whether votes on the consent calendar are counted."`
	Data           []Agreement `json:"data" doc:"Members with at least one shared vote, highest rate first; with several bodies, one entry for each body on which both sat."`
}

type AgreementParams struct {
	MemberParams
	IncludeConsent string `query:"include_consent" enum:"true,false" default:"false" doc:"Count votes on the consent calendar too."`
}

var agreementRows = rest.SQL[AgreementParams, Agreement](`
	SELECT t.other_id AS member_id, b.full_name AS member_name, ` + BodyColumns + `, ` + alikeColumns + `
	FROM council.body_pair_tally t` + bodyCells + `
	JOIN council.member b ON b.id = t.other_id
	WHERE t.member_id = @id AND (@include_consent = 'true' OR NOT t.via_consent)
	GROUP BY t.other_id, b.full_name, cell.body_id, body.body_id
	HAVING sum(t.shared) > 0
	ORDER BY sum(t.agreed) / sum(t.shared) DESC, sum(t.shared) DESC, t.other_id, cell.body_id`)

func GetAgreement(ctx context.Context, c *rest.Call, p AgreementParams) (Agreements, error) {
	a := Agreements{MemberID: p.ID, IncludeConsent: p.IncludeConsent == "true"}
	if _, err := memberExists.One(ctx, c, p.IDParams); err != nil {
		return a, Missing(err, "member", p.ID)
	}
	var err error
	a.Data, err = agreementRows.List(ctx, c, p)
	return a, err
}

// A SharedVote is a vote on which both members took aye or nay.
type SharedVote struct {
	Vote
	Position      council.Position `json:"position" doc:"Position of the member with the path's first id."`
	OtherPosition council.Position `json:"other_position" doc:"Position of the member with the path's second id."`
	Agreed        bool             `json:"agreed" doc:"Whether both positions are the same."`
	OfItem
}

// A SharedVotePage is a page of shared votes, with the totals of all pages.
type SharedVotePage struct {
	wire.Page[SharedVote]
	SharedVotes   int64       `json:"shared_votes" doc:"Number of shared votes on all pages; the same as in the list of agreements."`
	Agreements    int64       `json:"agreements" doc:"Shared votes on which both took the same position, on all pages."`
	AgreementRate *float64    `json:"agreement_rate" doc:"agreements / shared_votes, rounded to four decimals. It is null if the two share no vote, or share votes on several bodies: then bodies has the rates."`
	Bodies        []BodyAlike `json:"bodies,omitempty" doc:"The same numbers for each body on which the two share votes; absent while the dataset has only one."`
}

// A BodyAlike counts equal positions of two members on one body.
type BodyAlike struct {
	BodyRef
	Alike
}

type pairParams struct {
	ID    int64 `path:"id" min:"1" doc:"One member."`
	Other int64 `path:"other" min:"1" doc:"The other member."`
}

type pairFilter struct {
	pairParams
	IncludeConsent string `query:"include_consent" enum:"true,false" default:"false" doc:"Show and count votes on the consent calendar too."`
	OfBody
}

type SharedVotesParams struct {
	wire.Keyset
	wire.Links
	pairFilter
	Differ *bool `query:"differ" doc:"true: only votes on which the two took different positions; false: only the others."`
}

var (
	pairExists = rest.SQL[pairParams, int64](`SELECT count(*) FROM council.member WHERE id IN (@id, @other)`)

	// The sums come from the tallies that ingest keeps, like the list of agreements. A test compares
	// them with the votes.
	pairSums = rest.SQL[pairFilter, Alike](`
		SELECT ` + alikeColumns + `
		FROM council.body_pair_tally t
		WHERE t.member_id = @id AND t.other_id = @other
		  AND (@include_consent = 'true' OR NOT t.via_consent)` + InBody("t"))

	pairSumsByBody = rest.SQL[pairFilter, BodyAlike](`
		SELECT ` + BodyColumns + `, ` + alikeColumns + `
		FROM council.body_pair_tally t` + bodyCells + `
		WHERE t.member_id = @id AND t.other_id = @other AND (@include_consent = 'true' OR NOT t.via_consent)
		  AND body.body_id IS NOT NULL
		GROUP BY cell.body_id, body.body_id
		ORDER BY cell.body_id`)

	// The selected votes are the ones that council.pair_share counts.
	sharedVotes = rest.SQL[SharedVotesParams, SharedVote](`
		SELECT` + voteColumns + `, NULL::jsonb AS positions, p.position, o.position AS other_position,
			p.position = o.position AS agreed,
		       i.title AS item_title, i.item_number, v.topic
		FROM council.vote_position p
		JOIN council.vote_position o ON o.vote_id = p.vote_id AND o.member_id = @other
		JOIN council.vote v ON v.id = p.vote_id
		JOIN council.item i ON i.id = v.item_id` + voteSources + `
		WHERE p.member_id = @id AND p.position IN ('aye', 'nay') AND o.position IN ('aye', 'nay')
		  AND (@include_consent = 'true' OR NOT v.via_consent)
		  AND (@differ::boolean IS NULL OR @differ = (p.position <> o.position))` + InBody("p") + AfterCursor("p", "v.ord > "+PlaceOf("vote")) + `
		ORDER BY p.meeting_date DESC, p.starts_at DESC, p.iqm2_id DESC, v.ord
		LIMIT @limit`)
)

var SharedVoteEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listAgreements", Path: "/members/agreement", Tag: "Members",
		Summary: "Agreement of all pairs of members",
		Doc: "The numbers of /members/{id}/agreement for all members at once, each pair once for each body: " +
			"votes of two bodies are never counted together. Votes of joint meetings count for each of the " +
			"bodies.",
		Queries: rest.Queries(memberRows, allPairs)}, ListPairs),
	rest.Func(rest.Spec{ID: "listSharedVotes", Path: "/members/{id}/agreement/{other}", Tag: "Members",
		Summary:  "The votes behind the agreement of two members, newest first",
		Doc:      "The votes on which both took aye or nay. All pages together give the numbers in the list of agreements.",
		NotFound: "unknown member, or the same one twice", Queries: rest.Queries(pairExists, pairSums,
			pairSumsByBody, sharedVotes)},
		ListSharedVotes),
}

func ListSharedVotes(ctx context.Context, c *rest.Call, p SharedVotesParams) (SharedVotePage, error) {
	members, err := pairExists.One(ctx, c, p.pairParams)
	if err != nil {
		return SharedVotePage{}, err
	}
	if members != 2 {
		return SharedVotePage{}, rest.NotFound("there are no two different members with the ids %d and %d", p.ID, p.Other)
	}
	page, err := wire.Walk(ctx, c, sharedVotes, p)
	if err != nil {
		return SharedVotePage{}, err
	}
	sum, err := pairSums.One(ctx, c, p.pairFilter)
	if err != nil {
		return SharedVotePage{}, err
	}
	bodies, err := pairSumsByBody.List(ctx, c, p.pairFilter)
	if len(bodies) > 1 {
		sum.AgreementRate = nil
	}
	return SharedVotePage{Page: page, SharedVotes: sum.SharedVotes, Agreements: sum.Agreements,
		AgreementRate: sum.AgreementRate, Bodies: bodies}, err
}

// A PairAgreement is the agreement of two members.
type PairAgreement struct {
	MemberID int64 `json:"member_id" doc:"One member."`
	OtherID  int64 `json:"other_id" doc:"The other member, whose id is larger."`
	BodyRef
	Alike
}

// minimumShared is the smallest number of shared votes that gives a meaningful rate.
const minimumShared = 10

// PairAgreements are the agreements of all pairs.
type PairAgreements struct {
	IncludeConsent bool            `json:"include_consent" doc:"Whether votes on the consent calendar are counted."`
	MinimumShared  int             `json:"minimum_shared" doc:"With fewer shared votes than this a rate says little; pages do not show one."`
	Members        []Member        `json:"members" doc:"Everyone who voted, moved or seconded, as in /members."`
	Unconfirmed    []int64         `json:"unconfirmed" doc:"Members whose name is in no attendance list, though the meetings of their votes have one: probably misprints."`
	Data           []PairAgreement `json:"data" doc:"Each pair with at least one shared vote, by the ids of the two; with several bodies, once for each body."`
}

type PairsParams struct {
	IncludeConsent string `query:"include_consent" enum:"true,false" default:"false" doc:"Count votes on the consent calendar too."`
	OfBody
}

var allPairs = rest.SQL[PairsParams, PairAgreement](`
	SELECT t.member_id, t.other_id, ` + BodyColumns + `, ` + alikeColumns + `
	FROM council.body_pair_tally t` + bodyCells + `
	WHERE t.member_id < t.other_id AND (@include_consent = 'true' OR NOT t.via_consent)
	GROUP BY t.member_id, t.other_id, cell.body_id, body.body_id
	HAVING sum(t.shared) > 0
	ORDER BY t.member_id, t.other_id, cell.body_id`)

func ListPairs(ctx context.Context, c *rest.Call, p PairsParams) (PairAgreements, error) {
	members, err := memberRows.List(ctx, c, p.OfBody)
	if err != nil {
		return PairAgreements{}, err
	}
	all := PairAgreements{IncludeConsent: p.IncludeConsent == "true", MinimumShared: minimumShared, Members: members,
		Unconfirmed: []int64{}}
	for i := range members {
		if !members[i].Confirmed {
			all.Unconfirmed = append(all.Unconfirmed, members[i].ID)
		}
	}
	all.Data, err = allPairs.List(ctx, c, p)
	return all, err
}

package civic

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
)

// A Body is a council, commission, committee or board.
type Body struct {
	ID           int64      `json:"id" doc:"Stable."`
	Slug         string     `json:"slug" doc:"The name for addresses; stable." example:"planning-commission"`
	Name         string     `json:"name" doc:"As the portal writes it." example:"Planning Commission"`
	Kind         *string    `json:"kind" doc:"The portal's word for what the body is; null if it has none." example:"Committee"`
	Parts        []int64    `json:"parts" doc:"The bodies that meet jointly, for a joint meeting; otherwise empty. Their meetings, votes and counts include those of the joint body."`
	Members      int64      `json:"members" doc:"Members now: those in the roll calls and the attendance list of its newest meeting with a roll call."`
	Meetings     int64      `json:"meetings" doc:"All meetings, future and cancelled ones too."`
	Items        int64      `json:"items" doc:"Agenda items."`
	Votes        int64      `json:"votes" doc:"Votes."`
	FirstMeeting *rest.Date `json:"first_meeting" doc:"Local date."`
	LastMeeting  *rest.Date `json:"last_meeting" doc:"Local date; it may be in the future."`
	Division     *string    `json:"division,omitempty" doc:"The town's Open Civic Data division, if the operator configured it." example:"ocd-division/country:us/state:ky/place:louisville"`
}

// BodyParams has the path parameter of one body.
type BodyParams struct {
	ID string `path:"id" minlen:"1" maxlen:"200" doc:"Slug or id, from the list."`
}

// A BodyRef names the body of a row. Its fields are nil if the dataset has one body.
type BodyRef struct {
	BodyID   *int64  `json:"body_id,omitempty" doc:"The body; absent while the dataset has only one."`
	BodySlug *string `json:"body_slug,omitempty" doc:"Its slug in /bodies." example:"planning-commission"`
	BodyName *string `json:"body_name,omitempty" doc:"Its name." example:"Planning Commission"`
}

const (
	// BodyColumns are the columns of [BodyRef]. They need [JoinBody].
	BodyColumns = `body.body_id, body.slug AS body_slug, body.name AS body_name`

	severalBodies = `(SELECT count(*) > 1 FROM council.body WHERE slug <> '')`
	// chosenBody is the body of the filter. In the array, its joint bodies follow it.
	chosenBody = `coalesce(@body_id::bigint, (@body_ids::bigint[])[1])`
)

// Several reports whether the dataset has several bodies.
var Several = rest.SQL[rest.None, bool](`SELECT ` + severalBodies)

// JoinBody joins the body of a table's rows if the dataset has several bodies.
func JoinBody(table string) string {
	return `
	LEFT JOIN council.body ON body.body_id = ` + table + `.body_id AND ` + severalBodies
}

// OfBody is the filter by body that every list has. Queries with this argument use [InBody].
type OfBody struct {
	Body *string `query:"body" arg:"-" maxlen:"200" null:"true" newer:"true" doc:"Only of this body, by its slug or id in /bodies; its joint meetings with other bodies are included." example:"city-council"`
	// Resolve sets one of these.
	BodyID  *int64  `arg:"body_id"`
	BodyIDs []int64 `arg:"body_ids"` // set if the body has joint meetings: the body and its joint bodies
}

// Of returns the filter of a parameter struct that embeds it.
func (b OfBody) Of() OfBody { return b }

// InBody is an SQL condition for the filter, in a table or alias with a body_id. A single body is
// compared with =, which keeps the order of an index that begins with it.
func InBody(table string) string {
	return `
	  AND (@body_id::bigint IS NULL OR ` + table + `.body_id = @body_id)
	  AND (@body_ids::bigint[] IS NULL OR ` + table + `.body_id = ANY (@body_ids))`
}

// MemberInBody is like InBody, for an expression with the id of a member.
func MemberInBody(id string) string {
	return `
	  AND (@body_id::bigint IS NULL AND @body_ids::bigint[] IS NULL
	       OR ` + id + ` IN (SELECT seat.member_id FROM council.member_body seat WHERE true` + InBody("seat") + `))`
}

type bodyArg struct{ Body string }

type foundBody struct {
	ID    int64
	Joint []int64
}

var findBody = rest.SQL[bodyArg, foundBody](`
	SELECT b.body_id AS id, ARRAY(SELECT p.body_id FROM council.body_part p WHERE p.part_id = b.body_id) AS joint
	FROM council.body b
	WHERE b.slug = @body OR b.body_id::text = @body
	ORDER BY b.slug = @body DESC
	LIMIT 1`)

func (b *OfBody) Resolve(ctx context.Context, db rest.DB) error {
	if b.Body == nil || b.BodyID != nil || b.BodyIDs != nil {
		return nil
	}
	found, err := rest.Recall(db, "body "+*b.Body, func() (foundBody, error) {
		return findBody.One(ctx, db, bodyArg{*b.Body})
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return rest.BadRequest(rest.Fault{Path: "body", Message: "is not the slug or id of a body"})
	case err != nil:
		return err
	case len(found.Joint) == 0:
		b.BodyID = &found.ID
	default:
		b.BodyIDs = append([]int64{found.ID}, found.Joint...)
	}
	return nil
}

func (*OfBody) Resolving() rest.Statement { return findBody }

const (
	// countsFor lists the bodies that a row counts for: its own, and each part of a joint body.
	countsFor = `(SELECT body_id, body_id AS of_id FROM council.body
	      UNION ALL
	      SELECT part_id, body_id FROM council.body_part)`

	// bodyCells joins rows t with the bodies that they count for. A joint body has its own cell only
	// if the request asks for that body.
	bodyCells = `
	JOIN ` + countsFor + ` cell ON cell.of_id = t.body_id
	  AND CASE WHEN ` + chosenBody + ` IS NULL
	      THEN NOT EXISTS (SELECT FROM council.body_part joint WHERE joint.body_id = cell.body_id)
	      ELSE cell.body_id = ` + chosenBody + ` END
	LEFT JOIN council.body ON body.body_id = cell.body_id AND ` + severalBodies
)

var bodyRows = rest.SQL[rest.None, Body](`
	SELECT b.body_id AS id, b.slug, b.name, b.kind, s.division,
	       ARRAY(SELECT p.part_id FROM council.body_part p WHERE p.body_id = b.body_id ORDER BY p.part_id) AS parts,
	       (SELECT count(DISTINCT on_it.member_id)
	        FROM (SELECT v.iqm2_id FROM council.vote v
	              WHERE v.body_id = b.body_id AND EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id)
	              ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC LIMIT 1) newest,
	        LATERAL (SELECT p.member_id FROM council.vote_position p WHERE p.iqm2_id = newest.iqm2_id
	                 UNION ALL
	                 SELECT m.id FROM council.attendance a JOIN council.member m ON m.name_key = a.name_key
	                 WHERE a.iqm2_id = newest.iqm2_id) on_it) AS members,
	       coalesce(n.meetings, 0) AS meetings, coalesce(n.items, 0)::bigint AS items,
	       coalesce(n.votes, 0)::bigint AS votes, n.first_meeting, n.last_meeting
	FROM council.body b
	CROSS JOIN council.dataset s
	LEFT JOIN (SELECT cell.body_id, count(*) AS meetings, sum(m.item_count) AS items, sum(m.vote_count) AS votes,
	                  min(m.meeting_date) AS first_meeting, max(m.meeting_date) AS last_meeting
	           FROM council.meeting m
	           JOIN ` + countsFor + ` cell ON cell.of_id = m.body_id
	           GROUP BY cell.body_id) n USING (body_id)
	WHERE b.slug <> ''
	ORDER BY b.body_id`)

// A MemberBody is a member's time on a body.
type MemberBody struct {
	BodyRef
	FirstSeen rest.Date `json:"first_seen" doc:"First meeting day of the body on which the member is recorded."`
	LastSeen  rest.Date `json:"last_seen" doc:"Last such day."`
	VoteCount int64     `json:"vote_count" doc:"Votes of the body on which the member has a recorded position."`
	Dissents  int64     `json:"dissents" doc:"Of these, votes in the minority."`
}

var bodiesOfMember = rest.SQL[IDParams, MemberBody](`
	SELECT ` + BodyColumns + `, seen.first_seen, seen.last_seen, coalesce(t.votes, 0)::bigint AS vote_count,
	       coalesce(t.dissents, 0)::bigint AS dissents
	FROM (SELECT b.id, b.name_key, seat.body_id
	      FROM council.member b JOIN council.member_body seat ON seat.member_id = b.id
	      WHERE b.id = @id AND ` + severalBodies + `
	      GROUP BY b.id, seat.body_id) b
	JOIN council.body ON body.body_id = b.body_id
	CROSS JOIN LATERAL (SELECT` + seenColumns(func(table string) string {
	return ` AND ` + table + `.body_id = b.body_id`
}) + `) seen
	LEFT JOIN LATERAL (SELECT sum(votes) AS votes, sum(dissents) AS dissents FROM council.body_member_tally t
	                   WHERE t.member_id = b.id AND t.body_id = b.body_id) t ON true
	WHERE seen.first_seen IS NOT NULL
	ORDER BY seen.first_seen, body.body_id`)

// BodyEndpoints lists the bodies.
var BodyEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listBodies", Path: "/bodies", Tag: "Bodies",
		Summary: "The council, and the commissions, committees and boards of the town that the dataset has",
		Doc: "Every list takes one as body=. A joint meeting has a body of its own, with the bodies that meet as " +
			"its parts, and counts for each of them.",
		Queries: rest.Queries(bodyRows)}, ListBodies),
	rest.Func(rest.Spec{ID: "getBody", Path: "/bodies/{id}", Tag: "Bodies", Summary: "One body",
		NotFound: "unknown body", Queries: rest.Queries(findBody, bodyRows)}, GetBody),
}

// ListBodies lists the bodies, lowest id first.
func ListBodies(ctx context.Context, c *rest.Call, _ rest.None) (List[Body], error) {
	rows, err := bodyRows.List(ctx, c, rest.None{})
	return List[Body]{rows}, err
}

// GetBody returns the body with a slug or id.
func GetBody(ctx context.Context, c *rest.Call, p BodyParams) (Body, error) {
	found, err := findBody.One(ctx, c, bodyArg{p.ID})
	if errors.Is(err, pgx.ErrNoRows) {
		return Body{}, rest.NotFound("there is no body %s", p.ID)
	}
	if err != nil {
		return Body{}, err
	}
	all, err := bodyRows.List(ctx, c, rest.None{})
	for _, b := range all {
		if b.ID == found.ID {
			return b, nil
		}
	}
	return Body{}, err
}

package files

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A Place is what feeds and files say about the town.
type Place struct {
	Town  string         // "" if unknown
	Pages string         // address of the pages for people; "" if there are none
	Zone  *time.Location // of the council's meetings; nil means UTC
}

// page returns the address of the page of a vote, or its source if there are no pages.
func (place Place) page(v *civic.FoundVote) string {
	if place.Pages == "" {
		return v.SourceURL
	}
	return place.Pages + "/votes/" + strconv.FormatInt(v.ID, 10)
}

// nameOf returns the name of the body of a list, with the town unless the body's name has it.
func (place Place) nameOf(ctx context.Context, c *rest.Call, of civic.OfBody) (body, title string, err error) {
	body, err = civic.NameOf(ctx, c, of)
	if place.Town == "" || strings.Contains(strings.ToLower(body), strings.ToLower(place.Town)) {
		return body, body, err
	}
	return body, place.Town + ", " + body, err
}

type voteIDs struct{ Ids []int64 }

type correctedVote struct {
	VoteID      int64
	Corrections string
}

var correctionsOf = rest.SQL[voteIDs, correctedVote](`SELECT vote_id, corrections FROM council.vote_correction
	WHERE vote_id = ANY(@ids::bigint[])`)

// listCorrections returns what people corrected, in words, by vote.
func listCorrections(ctx context.Context, c *rest.Call, votes []civic.FoundVote) (map[int64]string, error) {
	if len(votes) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(votes))
	for i := range votes {
		ids[i] = votes[i].ID
	}
	found, err := correctionsOf.List(ctx, c, voteIDs{ids})
	if err != nil {
		return nil, err
	}
	all := make(map[int64]string, len(found))
	for _, one := range found {
		all[one.VoteID] = one.Corrections
	}
	return all, nil
}

package onebusaway

import (
	"context"
	"iter"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Parameters with the id of an entity. Clients also send key, version, app_uid and app_ver.
type (
	feedParams struct {
		FeedAlias string `path:"feed_alias" doc:"Alias of the feed."`
	}
	// idParams has the combined id of an entity of a feed, or the id of an agency.
	idParams struct {
		feedParams
		ID string `path:"id" doc:"The id: AGENCY_ENTITY, of an agency AGENCY."`
	}
	idTimeParams struct {
		idParams
		timeParams
	}
)

func (p feedParams) Alias() string { return p.FeedAlias }

func combine(agency, id string) string { return agency + "_" + id }

// split yields each pair of an agency and an entity that a combined id may mean. Ids of agencies
// may contain underscores; the first underscore is tried first.
func (x *answer) split(id string) iter.Seq2[string, string] {
	return func(yield func(agency, entity string) bool) {
		for i := range len(id) {
			if id[i] != '_' {
				continue
			}
			if x.Agency(id[:i]) != nil && !yield(id[:i], id[i+1:]) {
				return
			}
		}
	}
}

func agencies(f *edition.Feed) (all []*edition.Agency) {
	if f.Edition == nil {
		return nil
	}
	for i := range f.Agencies {
		all = append(all, &f.Agencies[i])
	}
	return all
}

var errNotFound = rest.NotFound("resource not found")

func (x *answer) findAgency(id string) (*edition.Agency, error) {
	if a := x.Agency(id); a != nil {
		return a, nil
	}
	return nil, errNotFound
}

// findStop accepts the stop's id after the id of any agency of the feed.
func (x *answer) findStop(id string) (*edition.Stop, error) {
	for _, entity := range x.split(id) {
		if s := x.Stop(entity); s != nil {
			return s, nil
		}
	}
	return nil, errNotFound
}

func (x *answer) findRoute(id string) (*edition.Route, error) {
	for agency, entity := range x.split(id) {
		if r := x.Route(entity); r != nil && r.AgencyID == agency {
			return r, nil
		}
	}
	return nil, errNotFound
}

func (x *answer) findTrip(id string) (*edition.Trip, error) {
	for agency, entity := range x.split(id) {
		if t := x.Trip(entity); t != nil && t.Route.AgencyID == agency {
			return t, nil
		}
	}
	return nil, errNotFound
}

func one[T, E any](find func(*answer, string) (T, error), convert func(*answer, T) E) finder[idParams, E] {
	return func(_ context.Context, x *answer, p idParams) (made E, err error) {
		found, err := find(x, p.ID)
		if err == nil {
			made = convert(x, found)
		}
		return made, err
	}
}

func oneStop(ctx context.Context, x *answer, p idParams) (made Stop, err error) {
	s, err := x.findStop(p.ID)
	if err != nil {
		return made, err
	}
	all, err := x.stops(ctx, []*edition.Stop{s})
	if err != nil {
		return made, err
	}
	return all[0], nil
}

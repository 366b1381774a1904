package councilapi

import (
	"slices"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/search"
)

// endpoints returns all endpoints of the API in the order of its documentation. store has the
// archived documents that are not in the database.
func endpoints(store *objects.Store, place files.Place) rest.Table {
	return slices.Concat(
		civic.MeetingEndpoints,
		files.MinutesEndpoints(store),
		civic.MinutesPageEndpoints,
		civic.ItemEndpoints,
		civic.VoteEndpoints,
		civic.VoteSearchEndpoints,
		files.SearchFileEndpoints(place),
		civic.FacetEndpoints,
		search.Endpoints,
		review.ProofEndpoints,
		civic.BodyEndpoints,
		civic.MemberEndpoints,
		civic.SharedVoteEndpoints,
		civic.AttendanceEndpoints,
		review.AnomalyEndpoints,
		review.ChangeEndpoints,
		civic.TopicEndpoints,
		civic.StatsEndpoints,
		files.FeedEndpoints(place),
		files.CalendarEndpoints(place),
		files.ExportEndpoints(),
	)
}

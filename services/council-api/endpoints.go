package councilapi

import (
	"slices"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/search"
)

// endpoints returns all endpoints of the API in the order of its documentation. store has the
// archived documents that are not in the database.
func endpoints(store *objects.Store, e *files.Exporter, place files.Place) rest.Table {
	return slices.Concat(
		record.MeetingEndpoints,
		files.MinutesEndpoints(store),
		record.MinutesPageEndpoints,
		record.ItemEndpoints,
		record.VoteEndpoints,
		record.VoteSearchEndpoints,
		files.SearchFileEndpoints(place),
		record.FacetEndpoints,
		search.Endpoints,
		review.ProofEndpoints,
		record.BodyEndpoints,
		record.MemberEndpoints,
		record.SharedVoteEndpoints,
		record.AttendanceEndpoints,
		review.AnomalyEndpoints,
		review.ChangeEndpoints,
		record.TopicEndpoints,
		record.StatsEndpoints,
		files.FeedEndpoints(place),
		files.CalendarEndpoints(place),
		files.ExportEndpoints(e),
	)
}

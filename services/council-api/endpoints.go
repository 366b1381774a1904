package councilapi

import (
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/rest"
)

const description = `Every recorded vote of one city council, read from the approved minutes that the city clerk publishes, with a link to the page that says so.

Votes are read by fixed rules and never by a model. Topics and summaries of agenda items are made by a machine and may be wrong; each says by what. Where the minutes contradict themselves, the vote says what is printed and /anomalies says what is wrong with it. What was corrected after it was published stands in /changes, with the reason.

Lists come newest meeting first and in document order within a meeting. Follow next_cursor, or the Link header, until it is null: nothing is lost or doubled, also while the dataset changes. The data is in the public domain; /export/ has all of it as files.

Local dates are those of the council's time zone; timestamps are UTC. Every answer carries an ETag; ask with If-None-Match and an unchanged dataset costs you nothing.`

// endpoints is the whole API in the order of its documentation. Archived
// documents that are not in the database come from store, exports from e.
func endpoints(store *objects.Store, e *exporter) rest.Table {
	return slices.Concat(meetingEndpoints(), minutesEndpoints(store), itemEndpoints(), voteEndpoints(), proofEndpoints(), memberEndpoints(), sharedVoteEndpoints(),
		anomalyEndpoints(), changeEndpoints(), topicEndpoints(), statsEndpoints(), feedEndpoints(), calendarEndpoints(), exportEndpoints(e))
}

// missing says of a query without a row that there is no such thing.
func missing(err error, what string, id int64) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return rest.NotFound("there is no %s %d", what, id)
	}
	return err
}

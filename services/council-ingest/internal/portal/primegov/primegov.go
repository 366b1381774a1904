// Package primegov reads the portals of councils that use PrimeGov (Granicus OneMeeting): the lists of meetings to come
// and of those of each year, the bodies, and agendas, final actions and minutes that are published as web pages.
//
// Decode functions turn answers into facts and know no network. Every answer is hostile input: it is bounded in bytes,
// rows and length of texts, and what is not an answer of this product is an error, never an empty list. The habits of
// the product are corrected here:
//
//   - A meeting leaves the list of those to come before it enters that of its year: both are read, and a meeting is known by its id.
//   - Only the title says whether a meeting takes place. meetingState does not.
//   - What a document is for is a word of the town: see Reading.Kinds of package portal.
//   - A PDF is behind a redirect to an address that is signed for days: the address that redirects is the one that is kept.
//   - There are no votes as data. Where actions or minutes are a web page, its tables are read, which is surer than from a PDF.
//
// Start with meetings.go; page.go reads the web pages. source.go asks.
package primegov

// Bounds on one answer. The longest pages seen have some hundred items.
const (
	maxDocuments = 200
	maxItems     = 5_000
	maxLines     = 100_000 // of a page
	maxText      = 4_000   // characters of a title
	maxName      = 300     // characters of a name
	maxFiles     = 500     // below one item
)

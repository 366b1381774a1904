package decide

import "github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"

// The words that orders of signals depend on.
var (
	amendment          = words.Plain("amendment label")
	thatMotion         = words.Plain("that motion")
	consentWord        = words.Plain("consent word")
	asConsent          = words.Plain("as consent item")
	withdraws          = words.Plain("withdraws")
	proposes           = words.Plain("proposes")
	saysMotion         = words.Plain("says motion")
	voteOn             = words.Plain("vote on label")
	asAmended          = words.Plain("as amended")
	amend              = words.Plain("amend")
	mainMotion         = words.Plain("main motion")
	procedural         = words.Plain("procedural")
	aboutLabel         = words.Plain("about label")
	secondedOrProposed = words.Plain("seconded or proposed")
	withdrew           = words.Plain("withdrew")
	theVote            = words.Plain("the vote")
	adjournment        = words.Plain("adjournment heading")
	voices             = words.Plain("VOICES")
	unanimously        = words.Plain("misprinted unanimous")
	abs                = words.Plain("begins abstention")
	abstention         = words.Plain("abstention of table")
	abstentionWord     = words.Plain("abstention")
	motionWord         = words.Plain("motion")
)

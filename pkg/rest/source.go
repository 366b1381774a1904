package rest

import (
	"context"
	"time"
)

// A Generation is one state of the data. The same N means the same data on
// every replica: it is a counter in the database, or a hash of such counters.
type Generation struct {
	N    int64
	Time time.Time // when this state was committed; Last-Modified
	Ref  any       // what Source.Now resolved on the way, such as the feed's live version
	// Until is when this state ends by the clock alone, as that of notices with hours does; no
	// cache keeps an answer beyond it. Zero when only new data ends it.
	Until time.Time
}

// A Source tells which generation of the data an answer is made of.
type Source struct {
	// Now resolves the generation of a request. It runs at every request, after
	// validation, and should answer from memory. Its error (NotFound for an
	// unknown feed) is the answer.
	Now func(ctx context.Context, c *Call) (Generation, error)
	// Read reads the generation from the database that it is given, which is one snapshot: the answer is built from the
	// same one and has the generation that it saw, whatever Now told. So rows of two generations never meet, however far
	// the replica that is asked is behind. It needs a Config.DB that can begin transactions. Nil where rows
	// are addressed by the generation itself.
	Read func(ctx context.Context, db DB) (Generation, error)
	// Changed returns a channel that is closed once Now may tell another generation. Endpoints of a
	// source that has it also push: they answer text/event-stream to whoever asks for it. A stream calls it again at each
	// [Heartbeat], so that a source can tell whether anybody still waits.
	Changed func() <-chan struct{}
}

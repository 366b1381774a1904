package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

const (
	// largeFrom is the size in bytes from which an answer counts as large. A smaller answer fits into
	// the buffers of a connection.
	largeFrom = 64 << 10
	// largePage is the number of rows from which an answer counts as large before it is built.
	largePage = 1000
)

// hold takes that many bytes for a large answer, and gives back what the call holds beyond that. So
// large answers have a bound in memory, while they are built and until their clients have read them.
// Before a build it waits for its turn; a built answer that has no share is refused at once, because
// it would wait in memory. Small answers hold nothing.
func (c *Call) hold(ctx context.Context, bytes int, wait bool) error {
	if bytes <= largeFrom {
		bytes = 0
	}
	more := int64(min(bytes, c.s.largest) - c.held)
	switch {
	case more < 0:
		c.s.large.Release(-more)
	case more > 0 && wait:
		if err := c.s.large.Acquire(ctx, more); errors.Is(err, context.Canceled) {
			return err
		} else if err != nil {
			return errBusy
		}
	case more > 0 && !c.s.large.TryAcquire(more):
		return errBusy
	}
	c.held += int(more)
	return nil
}

var errBusy = Unavailable(5*time.Second, "too many large answers are being served; try again soon")

// Reserve counts memory that a handler is about to use for its answer: roughly, the rows that it
// creates. The package itself counts the JSON. Call Reserve before each part that can become large,
// and return its error: the answer would exceed the largest one, the time is over, or every client
// has left.
func (c *Call) Reserve(ctx context.Context, bytes int) error {
	c.reserved += bytes
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.reserved > c.s.largest:
		return c.tooLarge()
	case c.reserved > 2*largeFrom:
		return c.hold(ctx, c.s.largest, true)
	}
	return nil
}

// tooLarge returns the error for an answer that is too large. It names the parameter to narrow.
func (c *Call) tooLarge() error {
	size := strconv.Itoa(c.s.largest>>20) + " MB"
	if rows := c.e.plan.Rows; rows != "" {
		return BadRequest(Fault{Path: rows, Message: "gives an answer of more than " + size + ": request fewer"})
	}
	e := &Error{Status: http.StatusInsufficientStorage, Detail: "the answer would be larger than " + size +
		", the largest answer allowed"}
	for _, p := range c.e.plan.Params {
		if !p.InPath && !p.Paging {
			e.Faults = append(e.Faults, Fault{Path: p.Name, Message: "can narrow the answer, which would be larger than " +
				size})
		}
	}
	if e.Faults != nil {
		return BadRequest(e.Faults...)
	}
	return e
}

var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// build runs the handler and returns its plain file. If there is a Dataset.Read, one snapshot
// answers all queries, and the file has the generation of the snapshot.
func (c *Call) build(ctx context.Context) (f *File, err error) {
	s, e := c.s, c.e
	if !e.Stream {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.cfg.Timeout)
		defer cancel()
		defer func() {
			var answer *Error
			if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && !errors.As(err, &answer) {
				err = fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
			}
		}()
	}
	c.reserved = 0
	if rows := e.plan.Rows; rows != "" {
		if n, _ := strconv.Atoi(c.Param(rows)); n > largePage {
			if err := c.hold(ctx, s.largest, true); err != nil {
				return nil, err
			}
		}
	}
	if e.read != nil {
		tx, err := s.snapshots.BeginTx(ctx, snapshot)
		if err != nil {
			return nil, fmt.Errorf("begin reading: %w", pg.Connecting(err))
		}
		// The content of a file is read after the snapshot ends, but is the same in every generation.
		defer func() {
			c.db = s.cfg.DB
			_ = tx.Rollback(ctx)
		}()
		c.db = tx
		if c.gen, err = e.read(ctx, c); err != nil {
			return nil, err
		}
	}
	answer, err := e.build(ctx, c)
	var made File
	switch answer := answer.(type) {
	case File:
		made = answer
	case HTML:
		made.Body = answer
	default:
		if err == nil {
			made.Body, err = Encode(answer)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case made.Body == nil && made.Content == nil:
		return nil, NotFound("nothing is available here yet")
	case len(made.Body) > s.largest:
		return nil, c.tooLarge()
	}
	if e.page && (e.Kind == Realtime || e.Picture) { // generations change often, but the page rarely does
		made.Hash()
	}
	made.Gen, made.Brief = c.gen.N, e.Kind == Realtime
	made.Tag = cmp.Or(made.Tag, reply.TagOf(s.salt, c.gen.N, []byte(c.key)))
	if made.Modified.IsZero() {
		made.Modified = c.gen.Time
	}
	made.Finish(e.mediaValue)
	if c.link != nil {
		made.Header["Link"] = []string{strings.Join(c.link, ", ")}
	}
	if e.pushes {
		made.Sum = maphash.Bytes(s.seed, made.Body)
	}
	return &made, nil
}

package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

var oneSnapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Recall returns the result of find for a key. It keeps the result in memory as long as the data
// has the same generation. It does not keep results with an error.
func Recall[V any](db DB, key string, find func() (V, error)) (V, error) {
	c, ok := db.(*Call)
	if !ok || !c.e.snapshot {
		return find()
	}
	m := &c.s.recalled
	m.mu.Lock()
	v, known := m.found[key]
	known = known && m.gen == c.gen.N
	m.mu.Unlock()
	if known {
		return v.(V), nil
	}
	found, err := find()
	if err != nil {
		return found, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gen != c.gen.N || m.found == nil {
		m.gen, m.found = c.gen.N, map[string]any{}
	}
	m.found[key] = found
	return found, nil
}

// build runs the handler and returns its plain file. If there is a Dataset.Read, one snapshot
// answers all queries, and the file has the generation of the snapshot.
func (c *Call) build(ctx context.Context) (f *File, err error) {
	s, e := c.s, c.e
	if !e.Stream {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.timeout)
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
	if e.snapshot {
		tx, err := s.snapshots.BeginTx(ctx, oneSnapshot)
		if err != nil {
			return nil, fmt.Errorf("begin reading: %w", pg.Connecting(err))
		}
		// The content of a file is read after the snapshot ends, but is the same in every generation.
		defer func() {
			c.db = s.db
			_ = tx.Rollback(ctx)
		}()
		c.db = tx
		if e.now == nil {
			c.gen, err = s.dataset.Read(ctx, tx)
		} else {
			c.gen, err = e.now(ctx, c)
		}
		if err != nil {
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

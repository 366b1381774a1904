package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

func (s *Server) cached(ctx context.Context, c *Call, key reply.Key) (*reply.Reply, error) {
	if kept, ok := s.bodies.Get(key); ok {
		s.metrics.hits.Inc()
		return kept, nil
	}
	s.metrics.misses.Inc()
	coding := key.Coding
	key.Coding = reply.Identity
	plain, err := s.bodies.Build(ctx, key, s.cfg.Timeout, c.build)
	if err != nil || coding == reply.Identity || len(plain.Body) < reply.CompressFrom {
		return plain, err
	}
	key.Gen, key.Coding = plain.Gen, coding // the generation of the snapshot, not of the request
	return s.bodies.Build(ctx, key, s.cfg.Timeout, func(ctx context.Context) (*reply.Reply, error) {
		if len(plain.Body) > reply.LargeBuild {
			if err := c.startLarge(ctx); err != nil {
				return nil, err
			}
			defer c.endLarge()
		}
		return plain.Coded(coding, s.compressor, c.e.Kind == Immutable), nil
	})
}

var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// build runs the handler and returns its plain reply. If there is a Dataset.Read, one snapshot
// answers all queries, and the reply has the generation of the snapshot.
func (c *Call) build(ctx context.Context) (*reply.Reply, error) {
	s, e := c.s, c.e
	c.reserved = 0
	defer c.endLarge()
	if c.asksForLarge() {
		if err := c.startLarge(ctx); err != nil {
			return nil, err
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
		c.gen, err = e.read(ctx, tx)
		if err != nil {
			return nil, asTimeout(ctx, err)
		}
		c.db = tx
	}
	made, err := e.build(ctx, c)
	if err == nil && made.Body == nil && made.Content == nil {
		err = NotFound("nothing is available here yet")
	}
	if err == nil {
		err = c.checkSize(ctx, len(made.Body))
	}
	if err != nil {
		return nil, asTimeout(ctx, err)
	}
	return s.reply(c, made), nil
}

func asTimeout(ctx context.Context, err error) error {
	var answer *Error
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && !errors.As(err, &answer) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}

func (s *Server) reply(c *Call, f File) *reply.Reply {
	r := &reply.Reply{Gen: c.gen.N, Brief: c.e.Kind == Realtime, Body: f.Body, Content: f.Content, ModTime: c.gen.Time,
		Header: http.Header{"Content-Type": c.e.mediaValue},
		Tag:    cmp.Or(f.Tag, reply.TagOf(s.salt, c.gen.N, c.canonical(nil)))}
	if c.link != nil {
		r.Header["Link"] = []string{strings.Join(c.link, ", ")}
	}
	if c.e.pushes() {
		r.Sum = maphash.Bytes(s.seed, r.Body)
	}
	if f.Media != "" {
		r.Header["Content-Type"] = []string{f.Media}
	}
	if !f.Modified.IsZero() {
		r.ModTime = f.Modified
	}
	if f.Refresh > 0 {
		r.Refresh = []string{strconv.Itoa(int(f.Refresh.Seconds()))}
	}
	if f.Name != "" {
		how := "inline"
		if f.Attachment {
			how = "attachment"
		}
		r.Header["Content-Disposition"] = []string{mime.FormatMediaType(how, map[string]string{"filename": f.Name})}
	}
	r.Finish()
	return r
}

package rest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A reply is an answer ready to be written: bytes and header values, made once.
type reply struct {
	gen      int64
	kind     Kind
	body     []byte
	tag      string // opaque part of the ETag without the coding's suffix; "" when there is none
	modTime  time.Time
	file     *File
	media    []string
	length   []string
	encoding []string // nil for identity
	etag     []string
	modified []string
	link     []string
	shown    []string // Content-Disposition
	sum      uint64   // of the body, of endpoints that push
	holder   *holder
}

// answer is the read path: format, access, parameters, generation, validator, kept body, build.
func (s *Server) answer(c *Call) error {
	e, r := c.e, c.r
	defer c.settle()
	push := e.pushes() && wantsPush(r)
	if !e.AnyFormat && !push {
		var err error
		if c.format, err = s.cfg.Dialect.format(r); err != nil {
			return err
		}
	}
	if s.cfg.Access != nil {
		grant, err := s.cfg.Access(r, &e.Spec)
		maps.Copy(c.w.Header(), grant.Header)
		if err != nil {
			return err
		}
		c.private = grant.Private
	}
	if err := e.plan.read(c, r.URL.RawQuery); err != nil {
		return err
	}
	if e.Source == nil {
		return s.direct(c)
	}
	if push {
		return s.push(c)
	}
	gen, err := e.Source.Now(r.Context(), c)
	if err != nil {
		return err
	}
	c.gen = gen

	var room [128]byte
	request := e.plan.canonical(room[:0], c, true)
	if match := r.Header["If-None-Match"]; match != nil {
		if quoted, ok := matchTag(match, tagOf(s.salt, gen.N, request)); ok {
			s.unchanged(c, []string{quoted})
			return nil
		}
	}
	if e.stream {
		return s.direct(c)
	}
	key := bodyKey{gen.N, string(request), identity}
	if accept := r.Header["Accept-Encoding"]; accept != nil && e.compress && r.Header["Range"] == nil {
		key.coding = negotiate(accept)
	}
	kept, ok := s.bodies.get(key)
	if !ok {
		s.metrics.miss()
		kept, err = s.build(r.Context(), c, key)
		if err != nil {
			return err
		}
	} else {
		s.metrics.hit()
	}
	s.write(c, kept)
	return nil
}

// direct answers what is not kept: streams, and endpoints without a source. A stream has no
// time limit of ours, since it is read with the client's speed.
func (s *Server) direct(c *Call) error {
	ctx := c.r.Context()
	if !c.e.stream {
		limited, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
		defer cancel()
		ctx = limited
	}
	kept, err := guarded(ctx, func(ctx context.Context) (*reply, error) { return s.make(ctx, c) })
	if err != nil {
		return err
	}
	s.write(c, kept)
	return nil
}

// build makes the reply of a key once for all who wait, and keeps it. A coded reply is made of the plain one, which is kept too.
func (s *Server) build(ctx context.Context, c *Call, key bodyKey) (*reply, error) {
	plain, ok := s.bodies.get(bodyKey{key.gen, key.request, identity})
	if !ok {
		var err error
		if plain, err = s.plain(ctx, c, key); err != nil || key.coding == identity {
			return plain, err
		}
	}
	if key.coding == identity || len(plain.body) < compressFrom {
		return plain, nil
	}
	if plain.tag != "" {
		key.gen = plain.gen // that of the snapshot
	}
	if kept, ok := s.bodies.get(key); ok {
		return kept, nil
	}
	return s.bodies.build(ctx, key, s.cfg.Timeout, func(ctx context.Context) (*reply, error) {
		if kept, ok := s.bodies.get(key); ok { // landed between our look and our start
			return kept, nil
		}
		if len(plain.body) > wideFrom {
			if err := c.widen(ctx); err != nil {
				return nil, err
			}
		}
		coded := plain.coded(key.coding, s.press)
		if coded.tag != "" {
			s.bodies.keep(key, coded)
		}
		return coded, nil
	})
}

// plain makes the plain reply of a key.
func (s *Server) plain(ctx context.Context, c *Call, key bodyKey) (*reply, error) {
	key.coding = identity
	return s.bodies.build(ctx, key, s.cfg.Timeout, func(ctx context.Context) (*reply, error) {
		if kept, ok := s.bodies.get(key); ok { // landed between our look and our start
			return kept, nil
		}
		made, err := s.make(ctx, c)
		if err == nil && made.tag != "" {
			s.bodies.keep(bodyKey{made.gen, key.request, identity}, made)
		}
		return made, err
	})
}

// snapshot is how a transaction begins that reads one state of the data.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// make runs the handler and turns what it gave into a plain reply. Where rows are not addressed by their generation, all
// that the handler asks is answered from one snapshot, and the reply is of the generation that stands in it.
func (s *Server) make(ctx context.Context, c *Call) (*reply, error) {
	e := c.e
	c.taken, c.rows = 0, 0
	params := e.fresh()
	e.plan.fill(c, params)
	if e.plan.cursor != nil {
		e.plan.cursorOf(params).OpenCursor(c.Filters) // has no faults: read has checked it
	}
	if e.plan.wide(c) {
		if err := c.widen(ctx); err != nil {
			return nil, err
		}
	}
	if e.Source != nil && e.Source.Read != nil {
		tx, err := s.snapshots.BeginTx(ctx, snapshot)
		if err != nil {
			return nil, fmt.Errorf("begin reading: %w", err)
		}
		// It wrote nothing, so that how it ends does not matter to the answer. A file's content, which is read later, no generation changes.
		defer func() {
			c.db = s.cfg.DB
			_ = tx.Rollback(ctx)
		}()
		if c.gen, err = e.Source.Read(ctx, tx); err != nil {
			return nil, timely(ctx, err)
		}
		c.db = tx
	}
	a, err := e.build(ctx, c, params)
	if err != nil {
		return nil, timely(ctx, err)
	}
	return s.reply(c, a), nil
}

// timely tells of an error after the answer's time was over that this is why.
func timely(ctx context.Context, err error) error {
	var told *Error
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && !errors.As(err, &told) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}

// reply prepares the plain reply of an answer. What has a source carries validators and may be kept.
func (s *Server) reply(c *Call, a *answer) *reply {
	r := &reply{holder: &holder{}, gen: c.gen.N, kind: c.e.Kind, body: a.body, file: a.file, media: c.e.mediaValue, modTime: c.gen.Time}
	r.length = []string{strconv.Itoa(len(a.body))}
	if c.link != nil {
		r.link = []string{strings.Join(c.link, ", ")}
	}
	if c.e.pushes() {
		r.sum = maphash.Bytes(s.seed, r.body)
	}
	if c.e.Source != nil {
		r.tag = tagOf(s.salt, c.gen.N, c.e.plan.canonical(nil, c, true))
	}
	if f := a.file; f != nil {
		if f.Tag != "" {
			r.tag = f.Tag
		}
		if !f.Modified.IsZero() {
			r.modTime = f.Modified
		}
		if f.Name != "" {
			how := "inline"
			if f.Attachment {
				how = "attachment"
			}
			r.shown = []string{mime.FormatMediaType(how, map[string]string{"filename": f.Name})}
		}
	}
	if r.tag != "" {
		r.etag = []string{`"` + r.tag + `"`}
	}
	if !r.modTime.IsZero() {
		r.modTime = r.modTime.UTC().Truncate(time.Second)
		r.modified = []string{r.modTime.Format(http.TimeFormat)}
	}
	return r
}

// unchanged writes a 304 with the validator that the client holds.
func (s *Server) unchanged(c *Call, etag []string) {
	h := c.w.Header()
	h["Etag"] = etag
	h["Cache-Control"] = s.cacheControl(c)
	c.w.WriteHeader(http.StatusNotModified)
}

// write sends a reply, or a 304 or a part of it where the request's preconditions say so.
func (s *Server) write(c *Call, r *reply) {
	h, in := c.w.Header(), c.r.Header
	if match := in["If-None-Match"]; match != nil {
		quoted, ok := "", false
		if r.tag != "" {
			quoted, ok = matchTag(match, r.tag)
		}
		if ok || anyTag(match) {
			if quoted == "" && r.etag != nil {
				quoted = r.etag[0]
			}
			r.file.close()
			s.unchanged(c, []string{quoted})
			return
		}
	} else if since := in["If-Modified-Since"]; since != nil && r.modified != nil {
		if t, err := http.ParseTime(since[0]); err == nil && !r.modTime.After(t) {
			r.file.close()
			s.unchanged(c, r.etag)
			return
		}
	}
	h["Access-Control-Expose-Headers"] = exposedHeaders
	h["Content-Type"] = r.media
	h["Cache-Control"] = s.cacheControl(c)
	if r.etag != nil {
		h["Etag"] = r.etag
	}
	if r.modified != nil {
		h["Last-Modified"] = r.modified
	}
	if r.link != nil {
		h["Link"] = r.link
	}
	if r.shown != nil {
		h["Content-Disposition"] = r.shown
	}
	if r.file != nil {
		h["X-Content-Type-Options"] = nosniff
		h["Accept-Ranges"] = acceptRanges
		if r.file.Content != nil || in["Range"] != nil {
			s.serveFile(c, r)
			return
		}
	}
	if r.encoding != nil {
		h["Content-Encoding"] = r.encoding
	}
	if c.r.Method == http.MethodHead {
		h["Content-Length"] = r.length
		c.w.WriteHeader(http.StatusOK)
		return
	}
	if len(r.body) >= selfCounted {
		h["Content-Length"] = r.length
	}
	s.send(c, r)
}

// selfCounted is the size up to which net/http counts a body by itself. A small JSON answer then has eight headers,
// which a map holds without growing; that is a tenth of what such an answer costs.
const selfCounted = 2048

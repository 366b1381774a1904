package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/townline/internal/session"
)

// oldestPostgres is the oldest major version with which the project is tested.
const oldestPostgres = 15

// With a larger clock difference, times in answers and conditional requests are wrong.
const (
	skewed    = 2 * time.Second
	farSkewed = 30 * time.Second
)

// checkDatabase checks the server, role and schema, and the feeds in the tables.
func (p *report) checkDatabase(ctx context.Context, cfg served) {
	address := p.s.Set.DatabaseURL
	if address == "" {
		found, ok := pgd.Find(ctx, filepath.Join(p.s.Set.Data, "postgres"))
		if !ok {
			p.note("database", "", statusSkipped, "no DATABASE_URL is set and no townline up is running here",
				"start `townline up`, which starts its own, or set DATABASE_URL")
			return
		}
		address = found
	}
	pool, err := pg.Open(ctx, address, pg.Options{Name: "townline-doctor", MaxConns: 2})
	if err != nil {
		p.note("database", "", statusProblem, "DATABASE_URL is not the address of a database",
			"write it as postgres://USER:PASSWORD@HOST:5432/DATABASE")
		return
	}
	defer pool.Close()
	v, err := pg.One[server](ctx, pool, `
		SELECT current_setting('server_version') AS version, current_user::text AS user,
		       current_setting('server_encoding') AS encoding,
		       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super, pg_is_in_recovery() AS recovering`)
	if err != nil {
		found, next := connectTrouble(err)
		p.note("database", "", statusProblem, found, next)
		return
	}
	// An error means that the connection was lost; then the next query fails, too.
	if offset, err := run.ClockOffset(ctx, pool); err == nil {
		p.checkClock(offset.Abs().Round(time.Millisecond))
	}
	p.noteServer(v)
	p.checkSchema(ctx, pool, v.User)
	if cfg.transit != nil && p.half("transit") {
		p.checkFeedTables(ctx, pool, cfg.transit)
		p.checkPauses(ctx, pool, cfg.transit)
		p.checkObserved(ctx, pool, cfg.transit)
	}
	if p.half("council") {
		p.checkCouncilTables(ctx, pool)
	}
}

// A server is a Postgres server, and the role that doctor has on it.
type server struct {
	Version, User, Encoding string
	Super, Recovering       bool
}

func (p *report) noteServer(v server) {
	var major int
	_, _ = fmt.Sscanf(v.Version, "%d", &major) // 0 for very old versions
	about := fmt.Sprintf("PostgreSQL %s as %s", v.Version, v.User)
	switch {
	case major < oldestPostgres:
		p.note("database", "", statusProblem, about, fmt.Sprintf("use PostgreSQL %d or later", oldestPostgres))
	case v.Encoding != "UTF8":
		p.note("database", "", statusProblem, about+", encoding "+v.Encoding,
			"create the database again with ENCODING 'UTF8'")
	case v.Recovering:
		p.note("database", "", statusWarning, about+", a read-only replica",
			"let the writing services and townline use the primary; only the APIs can use replicas")
	case v.Super && p.s.Set.DatabaseURL != "":
		p.note("database", "", statusWarning, about+", a superuser",
			"use a separate role for each service: `townline migrate --help` explains how to grant their rights")
	default:
		p.note("database", "", statusOK, about, "")
	}
}

func (p *report) checkSchema(ctx context.Context, pool *pgxpool.Pool, role string) {
	type state struct {
		have, want int64
		err        error
		rights     *schema.Rights // nil if they were not checked
	}
	states := map[string]state{}
	for _, part := range []schema.Part{schema.Council, schema.Transit} {
		var st state
		st.have, st.want, st.err = schema.Version(ctx, pool, part)
		if st.err == nil && st.have >= st.want {
			// An error means that the connection was lost; then the next query fails, too.
			if rights, err := schema.Look(ctx, pool, part); err == nil {
				st.rights = &rights
			}
		}
		states[string(part)] = st
	}
	// there reports whether a half is migrated and readable for this role.
	there := func(half string) bool {
		st := states[half]
		return st.err == nil && st.have > 0 && (st.rights == nil || len(st.rights.Unreadable) == 0)
	}
	for _, part := range []schema.Part{schema.Council, schema.Transit} {
		half := string(part)
		other := otherHalf(half)
		st := states[half]
		switch {
		case !p.half(half):
		case p.only == "" && !p.hasFile(half) && !there(half) && (p.hasFile(other) || there(other)):
			p.note("schema", half, statusSkipped, "the "+half+" half is not used here", "")
		default:
			p.noteSchema(half, st.have, st.want, st.err)
			if st.rights != nil {
				p.noteRights(half, role, *st.rights)
			}
		}
	}
}

func (p *report) noteSchema(half string, have, want int64, err error) {
	var denied *pgconn.PgError
	switch {
	case errors.As(err, &denied) && denied.Code == "42501":
		p.note("schema", half, statusProblem, "this role may not read it",
			"grant it access: run `townline migrate --reader ROLE` or --writer PROGRAM=ROLE, as the role that migrates")
	case err != nil:
		p.note("schema", half, statusProblem, "its version cannot be read: "+pg.Loggable(err), "run `townline migrate`")
	case have == 0:
		p.note("schema", half, statusProblem, "not there yet", "run `townline migrate`")
	case have < want:
		p.note("schema", half, statusProblem, fmt.Sprintf("at version %d, this program needs %d", have, want),
			"run `townline migrate`")
	case have > want:
		p.note("schema", half, statusWarning, fmt.Sprintf("at version %d, this program knows %d", have, want),
			"a newer program has migrated it: upgrade the services to the same version")
	default:
		p.note("schema", half, statusOK, fmt.Sprintf("at version %d", have), "")
	}
}

// noteRights reports which programs can work with the role of DATABASE_URL.
func (p *report) noteRights(half, role string, rights schema.Rights) {
	switch {
	case len(rights.Unreadable) > 0:
		p.note("rights", half, statusProblem, role+" may not read "+strings.Join(rights.Unreadable, ", "),
			"as the role that migrates: `townline migrate --reader "+role+"`, or --writer PROGRAM="+role)
	case rights.Partly != "":
		p.note("rights", half, statusProblem, role+" may write a part of what "+rights.Partly+" writes, and not "+
			strings.Join(rights.Lacking, ", "), "as the role that migrates: `townline migrate --writer "+rights.Partly+"="+role+
			"`")
	case len(rights.Programs) == 0:
		p.note("rights", half, statusOK, role+" may read and not write, which is right for an API", "")
	default:
		p.note("rights", half, statusOK, role+" may write what "+strings.Join(rights.Programs, ", ")+" writes", "")
	}
}

// checkClock reports the difference between the local clock and the database's clock.
func (p *report) checkClock(off time.Duration) {
	if off <= skewed {
		p.note("clock", "", statusOK, "this machine and the database agree", "")
		return
	}
	status := statusWarning
	if off > farSkewed {
		status = statusProblem
	}
	p.note("clock", "", status, fmt.Sprintf("this machine and the database differ by %s", off),
		"let both machines follow a time server")
}

// connectTrouble describes a failed connection and its solution, without user, password and
// database.
func connectTrouble(err error) (found, next string) {
	const check = "check that the server runs, that host and port in DATABASE_URL are right, and that no network policy " +
		"or firewall blocks this machine"
	var server *pgconn.PgError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case strings.Contains(err.Error(), "server refused TLS connection"): // the driver has no error type for this
		return "the server has no TLS, but DATABASE_URL requires it",
			"enable TLS on the server, or set sslmode=disable if the network between is your own"
	case errors.As(err, &certificate):
		return "the server's certificate is not trusted for this host",
			"name the certificate authority with sslrootcert=FILE, and use the host name of the certificate"
	case errors.As(err, &server) && (server.Code == "28P01" || server.Code == "28000"):
		return "the server refuses the user or the password",
			"correct user and password in DATABASE_URL, or the server's pg_hba.conf"
	case errors.As(err, &server) && server.Code == "3D000":
		return "the server has no database of that name", "create the database, or correct its name in DATABASE_URL"
	case errors.As(err, &server):
		return "the server answers: " + server.Message + " (SQLSTATE " + server.Code + ")", check
	case errors.As(err, &dns):
		return "the host of DATABASE_URL is unknown", check
	case errors.Is(err, context.DeadlineExceeded):
		return "the server does not answer in time", check
	}
	return "no server answers there", check
}

// checkNATS checks servers, JetStream and the work streams.
func (p *report) checkNATS(ctx context.Context) {
	address := p.s.Set.NATSURL
	if address == "" {
		found, ok := natsd.Find(filepath.Join(p.s.Set.Data, "nats"))
		if !ok {
			p.note("nats", "", statusSkipped, "no NATS_URL is set and no townline up is running here",
				"start `townline up`, which starts its own, or set NATS_URL; without NATS the services read the tables every few "+
					"seconds")
			return
		}
		address = found
	}
	opts, err := conf.Load[events.Options](p.s.Env)
	if err != nil {
		return // reported by checkConfiguration
	}
	opts.URL = address
	d, err := events.Diagnose(ctx, opts)
	switch {
	case errors.Is(err, events.ErrNoJetStream):
		p.note("nats", "", statusProblem, "NATS "+d.Server+" offers no JetStream to this account: imports and ingests "+
			"cannot be requested", "start the servers with JetStream (-js), or allow it to the account")
		return
	case err != nil && strings.Contains(strings.ToLower(err.Error()), "authorization"):
		p.note("nats", "", statusProblem, "the servers refuse the credentials", "correct the credentials in NATS_URL")
		return
	case err != nil:
		p.note("nats", "", statusProblem, "no server answers at "+natsHosts(address),
			"check that NATS runs, that NATS_URL is right, and that no network policy or firewall blocks this machine")
		return
	}
	if p.half("transit") {
		p.checkServed(ctx, opts)
	}
	p.note("nats", "", statusOK, fmt.Sprintf("NATS %s with JetStream, %s known", d.Server,
		council.Count(d.Servers, "server")), "")
	for _, s := range d.Streams {
		switch {
		case s.State == events.Stuck:
			p.note("nats", s.Name, statusProblem, "accepts requests but delivers none, although workers wait",
				"restart `townline up`, which replaces a damaged store; in your own cluster delete the stream's consumer "+
					"`workers`: the service creates it again")
		case s.State == events.Deserted:
			p.note("nats", s.Name, statusWarning, fmt.Sprintf("no worker takes requests; %d wait", s.Waiting),
				"check that the service for this work runs: `gtfs-import` or `council-ingest`")
		case s.Replicas < opts.Replicas:
			p.note("nats", s.Name, statusWarning, fmt.Sprintf("%s kept, NATS_REPLICAS is %d",
				council.Count(s.Replicas, "replica"), opts.Replicas),
				"set NATS_REPLICAS to the same number on all services: the next service that connects applies it to the stream")
		case s.Waiting > 100:
			p.note("nats", s.Name, statusWarning, fmt.Sprintf("%d requests wait", s.Waiting),
				"check that the service for this work runs")
		}
	}
	for _, r := range d.Refused {
		p.note("nats", r.Subject, statusWarning, fmt.Sprintf("the request %s was refused %s: %s", r.Request,
			session.Age(&r.At, time.Now()), r.Reason),
			"fix the cause and repeat the request: this line disappears when it succeeds, or after a week")
	}
}

// checkServed asks the running transit APIs whether they serve their feeds.
func (p *report) checkServed(ctx context.Context, opts events.Options) {
	bus, err := events.Open(opts, p.s.Log)
	if err != nil {
		return // cannot happen: Diagnose has used the same address
	}
	defer bus.Close()
	feeds, apis := session.Served(ctx, bus, p.s.Log)
	for alias, f := range feeds {
		switch {
		case f.Problem != "" && !f.Loading:
			p.note("feed", alias+": served", statusProblem, f.Problem,
				"see the log of the transit API; TRANSIT_FEED_BYTES is one of its settings")
		case f.Problem != "":
			p.note("feed", alias+": served", statusWarning, f.Problem, "")
		default:
			p.note("feed", alias+": served", statusOK, "by "+council.Count(apis, "transit API"), "")
		}
	}
}

// natsHosts returns hosts and ports without credentials.
func natsHosts(urls string) string {
	var hosts []string
	for one := range strings.SplitSeq(urls, ",") {
		one = strings.TrimSpace(one)
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		if u, err := url.Parse(one); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return strings.Join(hosts, ", ")
}

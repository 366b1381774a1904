// Package pgtest starts a real, migrated database and a real NATS server for each test.
//
//	pool := pgtest.New(t)
//
// A database is a clone of a migrated template, which takes a few hundredths of a second. It is
// dropped when the test ends. Each test binary runs its own Postgres server, from the first test
// that needs it to the end of the process. The next run reuses the cluster. TEST_DATABASE_URL
// selects another server. Its user must be allowed to create databases. The package changes only
// databases named townline_test_….
package pgtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/schema"
)

const prefix = "townline_test_"

// startTimeout bounds the first use, which fetches Postgres, creates a cluster and migrates the
// template.
const startTimeout = 10 * time.Minute

// New returns a pool on a new, migrated database. Both end with the test.
func New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pg.Open(t.Context(), URL(t), pg.Options{Name: "test"})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// WriterURL returns the address of a pool's database for sessions that have only the rights of a
// program that writes, such as "clerk". The role ends with the test.
func WriterURL(t testing.TB, pool *pgxpool.Pool, program string) string {
	t.Helper()
	role := strings.ReplaceAll(pool.Config().ConnConfig.Database+"_"+program, "-", "_")
	exec := func(sql string) {
		if _, err := pool.Exec(context.Background(), sql); err != nil {
			t.Fatalf("pgtest: %s: %v", sql, err)
		}
	}
	exec("CREATE ROLE " + role)
	t.Cleanup(func() { exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
	if err := schema.GrantWriter(t.Context(), pool, program, role); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return As(t, pool.Config().ConnString(), role)
}

// As returns the address of a database for sessions that have only the rights of a role.
func As(t testing.TB, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	q := u.Query()
	q.Set("role", role)
	u.RawQuery = q.Encode()
	return u.String()
}

// URL returns the address of a new, migrated database. It is dropped when the test ends, even if
// clients are connected. Pools on it panic if code that holds a connection acquires a second one:
// see pg.SingleOption.
func URL(t testing.TB) string {
	t.Helper()
	return create(t, false)
}

// EmptyURL is like URL, but the database is not migrated. It is for tests of migrations.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, true)
}

func NATS(t testing.TB) *natsd.Server {
	t.Helper()
	s, err := natsd.Start(natsd.Options{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return s
}

func create(t testing.TB, empty bool) string {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	from := c.template
	if empty {
		from = "template0"
	}
	name := fmt.Sprintf("%s%d_%d", prefix, os.Getpid(), made.Add(1))
	if _, err := c.admin.Exec(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+from+" STRATEGY FILE_COPY"); err != nil {
		t.Fatalf("pgtest: create database: %v", err)
	}
	t.Cleanup(func() {
		if _, err := c.admin.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("pgtest: drop database: %v", err)
		}
	})
	options := pg.SingleOption
	if _, measures := t.(*testing.B); measures {
		options = "" // a query would cost more than most queries of tests
	}
	return c.url(name, options)
}

var made atomic.Int64

// shared is the server of this process. It ends with the process, because Go does not say which
// test is the last.
var shared = sync.OnceValues(func() (*cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	address := os.Getenv("TEST_DATABASE_URL")
	private := address == ""
	if private {
		s, err := startSlot(ctx)
		if err != nil {
			return nil, err
		}
		address = s.URL()
	}
	return open(ctx, address, private)
})

// A cluster is a Postgres server with a template database.
type cluster struct {
	address  *url.URL
	admin    *pgxpool.Pool
	template string
}

func (c *cluster) url(database, options string) string {
	u := *c.address
	u.Path = "/" + database
	q := u.Query()
	q.Set("options", strings.TrimSpace(q.Get("options")+" "+options))
	u.RawQuery = q.Encode()
	return u.String()
}

// slots bounds the number of concurrent test binaries of one user.
const slots = 64

// settings suit many small databases that live for a short time.
var settings = map[string]string{
	"autovacuum":                "off", // vacuuming would disturb tests
	"max_connections":           "200",
	"min_wal_size":              "32MB",
	"max_wal_size":              "32MB",
	"max_locks_per_transaction": "256", // for the many partitions
}

// startSlot starts the first cluster that no other test binary uses. Clusters remain for later
// runs.
func startSlot(ctx context.Context) (*pgd.Server, error) {
	root, err := firstUsable(scratch()...)
	if err != nil {
		return nil, err
	}
	for i := range slots {
		o := pgd.Options{DataDir: filepath.Join(root, strconv.Itoa(i)), Settings: settings, Disposable: true}
		var s *pgd.Server
		s, err = pgd.Start(ctx, o)
		if err == nil {
			return s, nil
		}
		if !errors.Is(err, pgd.ErrInUse) {
			break
		}
	}
	return nil, err
}

// scratch returns folders for clusters, the best first. It prefers memory: a clone has about 300
// files, which take ten times as long on a busy disk.
func scratch() []string {
	const (
		memory = "/dev/shm" // Linux
		tmpfs  = 0x01021994 // statfs(2)
		plenty = 2 << 30
	)
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) == nil && fs.Type == tmpfs && fs.Bavail*uint64(fs.Bsize) >= plenty {
		return []string{memory, os.TempDir()}
	}
	return []string{os.TempDir()}
}

// firstUsable creates the folder of this user's clusters in the first writable one of folders:
// /dev/shm may be read-only, or belong to another user.
func firstUsable(folders ...string) (string, error) {
	var errs []error
	for _, folder := range folders {
		root := filepath.Join(folder, "townline-pgtest-"+strconv.Itoa(os.Getuid()))
		err := os.MkdirAll(root, 0o755)
		if err == nil {
			var probe *os.File
			probe, err = os.CreateTemp(root, "probe-")
			if err == nil {
				return root, errors.Join(probe.Close(), os.Remove(probe.Name()))
			}
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

func open(ctx context.Context, address string, private bool) (*cluster, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("TEST_DATABASE_URL is not a URL")
	}
	c := &cluster{address: u}
	c.template, err = templateName()
	if err != nil {
		return nil, err
	}
	c.admin, err = pg.Open(ctx, address, pg.Options{Name: "pgtest"})
	if err != nil {
		return nil, err
	}
	if private {
		if err := c.sweep(ctx); err != nil {
			return nil, fmt.Errorf("drop databases of earlier runs: %w", err)
		}
	}
	if err := c.makeTemplate(ctx); err != nil {
		return nil, fmt.Errorf("make template: %w", err)
	}
	return c, nil
}

// templateName is a hash of the migrations, so a changed migration gets a new template.
func templateName() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(schema.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(schema.Files(), name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
		return err
	})
	return fmt.Sprintf("%stemplate_%x", prefix, h.Sum(nil)[:8]), err
}

// sweep drops databases of killed test runs, and the templates of older migrations.
func (c *cluster) sweep(ctx context.Context) error {
	names, err := pg.Column[string](ctx, c.admin, `
		SELECT datname FROM pg_database
		WHERE starts_with(datname, $1) AND datname <> $2`, prefix, c.template)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := c.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

// makeTemplate migrates a database, and renames it to the template when it is complete. Its lock is
// for servers that several test binaries share.
func (c *cluster) makeTemplate(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.address.String()) // closing it releases the lock
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", c.template); err != nil {
		return err
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", c.template).Scan(&exists)
	if err != nil || exists {
		return err
	}
	unfinished := c.template + "_new"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + unfinished + " WITH (FORCE)",
		"CREATE DATABASE " + unfinished + " TEMPLATE template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := schema.Migrate(ctx, c.url(unfinished, pg.SingleOption), schema.Council, schema.Transit); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+unfinished+" RENAME TO "+c.template)
	return err
}

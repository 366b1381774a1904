// Package pgtest gives every test a real, private, migrated database, and a real
// NATS server, with nothing to install or start beforehand.
//
//	pool := pgtest.New(t)
//
// A database is cloned from a template that holds the migrated schema, which takes a few hundredths
// of a second, and is dropped when the test ends. Each test binary runs a server of its own,
// started by the first test that asks and ended with the process; the cluster stays for the next
// run. Set TEST_DATABASE_URL to use a server of yours instead: its user must be allowed to create
// databases, and only databases named townline_test_… are touched.
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

// prefix begins the name of every database made here.
const prefix = "townline_test_"

// startTimeout bounds the first use in a process: making a cluster, perhaps
// fetching Postgres, and migrating the template.
const startTimeout = 10 * time.Minute

// New returns a pool on a fresh, migrated database of the test's own. The pool
// is closed and the database dropped when the test ends.
func New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pg.Open(t.Context(), URL(t), pg.Options{Name: "test"})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL returns the address of a fresh, migrated database of the test's own, which is dropped when
// the test ends, even with clients connected. In tests, not in benchmarks, pools that are opened at
// it panic when somebody who has one of their connections asks for a second one: see
// pg.SingleOption.
func URL(t testing.TB) string {
	t.Helper()
	return create(t, false)
}

// EmptyURL is URL without the migrations, for tests of the migrations.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, true)
}

// NATS starts a NATS server with JetStream, which ends with the test.
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
		options = "" // asking costs more than most queries
	}
	return c.url(name, options)
}

var made atomic.Int64

// shared is the one server of this process. It has no end of its own: it goes
// with the process, because Go does not report a process's last test.
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

// A cluster is a server with a template.
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

// slots bounds how many test binaries of one user run at the same time.
const slots = 64

// settings suit many small databases with short lives.
var settings = map[string]string{
	"autovacuum":                "off", // no surprises between two statements of a test
	"max_connections":           "200",
	"min_wal_size":              "32MB",
	"max_wal_size":              "32MB",
	"max_locks_per_transaction": "256", // partitions
}

// startSlot runs the first cluster that no other test binary is using. Clusters
// are kept between runs, so that only the first run pays for making them.
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

// scratch are the folders that clusters can go to, best first: in memory where there is plenty of
// it, as a clone is some 300 new files and a busy disk takes ten times as long for them.
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

// firstUsable makes the folder of this user's clusters in the first of the folders in which files
// can be made: memory may be mounted read-only, or belong to another user.
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

// templateName follows from the migrations' bytes, so that a template never
// outlives a change to them.
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

// sweep drops what killed test runs and older templates left in a cluster that is ours alone.
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

// makeTemplate migrates a database under another name and gives it the template's name when it is
// whole. The lock is for servers that several test binaries share.
func (c *cluster) makeTemplate(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.address.String()) // its end frees the lock
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

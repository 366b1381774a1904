package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo"
)

// Pages of the documentation whose commands run here.
const (
	backupPage = "deploy/docs/backup.md"
	runPage    = "deploy/docs/run.md"
)

// section returns the shell commands below a heading of a page.
func section(page, heading string) (string, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", fmt.Errorf("%w (run this at the root of the repository)", err)
	}
	_, below, found := strings.Cut(string(text), "\n## "+heading+"\n")
	_, below, open := strings.Cut(below, "\n```sh\n")
	commands, _, closed := strings.Cut(below, "\n```\n")
	if !found || !open || !closed {
		return "", fmt.Errorf("%s has no commands under %q", page, heading)
	}
	return commands, nil
}

// backup dumps the database under load, restores it on an empty server, and compares the answers of
// the APIs before and after.
func (s *scene) backup(ctx context.Context) error {
	if missing := s.tools(ctx); missing != "" {
		s.p.figure("backup and restore", "SKIPPED: %s", missing)
		return nil
	}
	fresh, err := s.p.startDatabase(ctx, "restored", true)
	if err != nil {
		return err
	}
	server, err := url.Parse(fresh.url)
	if err != nil {
		return err
	}
	server.Path = "/postgres"
	// An empty server does not have this database yet.
	if err := (&database{url: server.String()}).exec(ctx, "DROP DATABASE townline"); err != nil {
		return err
	}
	bin, err := filepath.Abs(s.p.bin)
	if err != nil {
		return err
	}
	folder := filepath.Join(s.p.folder, "backup")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "NEW_SERVER=" + server.String(), "NEW_DATABASE_URL=" +
		fresh.url,
		"TOWNLINE_DATA=" + folder, "COUNCIL_CONFIG=" + s.files["COUNCIL_CONFIG"]}
	run := func(heading, database string) error {
		commands, err := section(backupPage, heading)
		if err != nil {
			return err
		}
		began := time.Now()
		_, err = command(ctx, append(env, "DATABASE_URL="+database), "sh", "-euc", "cd '"+folder+"'\n"+commands)
		s.p.figure("“"+heading+"”, as in "+backupPage, "%s", time.Since(began).Round(10*time.Millisecond))
		return err
	}
	before := s.imports.Load()
	if err := run("Back up", s.db.url); err != nil {
		return err
	}
	s.p.figure("imports asked for during the dump", "%d", s.imports.Load()-before)
	if err := run("One half only", s.db.url); err != nil {
		return err
	}
	if err := run("Restore on an empty server", fresh.url); err != nil {
		return err
	}
	if err := run("Check", fresh.url); err != nil {
		return err
	}
	return s.compare(ctx, fresh)
}

// compare checks the answers of APIs on the restored database. Then a rollback tests its archived
// zips, sequences and rights.
func (s *scene) compare(ctx context.Context, fresh *database) error {
	err := s.sameAnswers(ctx, fresh, func(h half) (*target, func(), error) {
		r, err := s.replica(s.p.bin, h.name+"-api", h.name+"_api", 9, fresh)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.startReady(ctx)
		return &r.target, r.stop, err
	})
	if err == nil {
		_, err = s.townline(ctx, s.p.bin, fresh, "feed", "rollback", demo.Alias)
	}
	return err
}

// sameAnswers reads all answers of APIs on the restored database, and compares them with the
// earlier answers.
func (s *scene) sameAnswers(ctx context.Context, fresh *database,
	start func(h half) (at *target, stop func(), err error)) error {
	var partitions, versions, tables int
	if err := fresh.query(ctx, `
		SELECT (SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
		         WHERE c.relkind = 'p' AND c.relnamespace = 'transit'::regnamespace AND c.relname <> 'stop_visit'),
		       (SELECT count(*) FROM transit.feed_version WHERE state IN ('live', 'retired')),
		       (SELECT count(*) FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
		         WHERE c.relnamespace = 'transit'::regnamespace AND c.relname <> 'stop_visit')`, &partitions, &versions,
		&tables); err != nil {
		return err
	}
	if partitions != versions*tables || tables == 0 {
		s.p.violated("restored: %d partitions of %d tables for %d feed versions", partitions, tables, versions)
	}
	s.p.figure("partitions attached after the restore", "%d of %d tables, %d feed versions", partitions, tables, versions)
	same := 0
	for _, h := range halves {
		at, stop, err := start(h)
		if err != nil {
			return err
		}
		restored, err := crawl(ctx, h, at)
		if err != nil {
			return err
		}
		same += s.readers.recognize(h, restored)
		stop()
	}
	s.p.figure("answers of the restored APIs, each byte for byte one of before", "%d", same)
	return nil
}

// recognize counts the known answers in a library, and reports the others.
func (r *readers) recognize(h half, l library) (same int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for path, bodies := range r.known {
		if !strings.HasPrefix(path, h.base+"/") {
			continue
		}
		a, is := l[path]
		body, named := r.named[path+" "+a.tag]
		switch {
		case !is:
			r.p.violated("restored: %s is not there", path)
		case !bodies[a.body] && !ofAnImport(path) && !ofAnObserver(path):
			r.p.violated("restored: %s has another body", path)
		case named && body != a.body:
			r.p.violated("restored: %s has a name that was another body's", path)
		case !named && h.name == "council":
			r.p.violated("restored: %s has the name %s, which it had never before", path, a.tag)
		default:
			same++
		}
	}
	return same
}

var digits = regexp.MustCompile(`\d+`)

// tools returns the folder of pg_dump and similar tools. An installed Postgres has them; a Postgres
// from npm does not.
func (s *scene) tools(ctx context.Context) string {
	var server int
	if err := s.db.query(ctx, "SELECT current_setting('server_version_num')::int / 10000", &server); err != nil {
		return err.Error()
	}
	for _, tool := range []string{"pg_dump", "pg_dumpall", "pg_restore", "psql", "createdb"} {
		out, err := command(ctx, nil, tool, "--version")
		if err != nil {
			return tool + " is not installed"
		}
		if major, _ := strconv.Atoi(digits.FindString(out)); major < server {
			return fmt.Sprintf("%s is of version %d, the server of %d", tool, major, server)
		}
	}
	return ""
}

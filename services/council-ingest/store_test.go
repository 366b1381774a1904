package councilingest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/objects/objectstest"
	"github.com/townline/townline/pkg/pgtest"
)

// With an object store, the database has no bytes of documents, but all rows that are derived from
// them. Lost or damaged objects are reported.
func TestObjectStore(t *testing.T) {
	t.Parallel()
	p, fake := town(t), objectstest.New(t)
	kept := conf.Environ{"ARCHIVE_S3_ENDPOINT": fake.URL, "ARCHIVE_S3_BUCKET": objectstest.Bucket,
		"ARCHIVE_S3_KEY": objectstest.Key, "ARCHIVE_S3_SECRET": objectstest.Secret}
	there, err := ReadSettings("", kept)
	if err != nil {
		t.Fatal(err)
	}
	here := portalSettings(t, p.URL)
	there.Portal = here.Portal
	db := pgtest.New(t)
	deps := testDeps(t, db)
	if sum := mustIngest(t, deps, there, Request{DryRun: true}); sum.Votes != 2 || fake.Puts() != 0 {
		t.Errorf("dry run: %+v, %d objects", sum, fake.Puts())
	}
	mustIngest(t, deps, there, Request{})
	want := "10 regular complete, 11 special minutes_pending, 13 regular cancelled, 14 regular agenda_only, 15 other " +
		"discovered, 16 regular parse_error"
	if got := statuses(t, db); got != want {
		t.Errorf("statuses %s\nwant     %s", got, want)
	}
	var documents, inside int
	if err := db.QueryRow(t.Context(), `SELECT count(*), count(content) FROM council.document`).Scan(&documents,
		&inside); err != nil || documents != 2 || inside != 0 || len(fake.Names()) != 2 {
		t.Errorf("%d documents, %d of them in the database, %d objects, %v", documents, inside, len(fake.Names()), err)
	}
	mustBeProven(t, deps, there)
	if sum, err := Reparse(t.Context(), deps, there, true); err != nil || sum.Changed != 0 {
		t.Errorf("Reparse = %+v, %v", sum, err)
	}

	fake.Spoil()
	var out bytes.Buffer
	if n, err := Verify(t.Context(), deps, there, &out); n != 2 || err != nil ||
		!strings.Contains(out.String(), "another SHA-256") {
		t.Errorf("Verify with damaged objects: %d differences, %v\n%s", n, err, out.String())
	}
	if _, err := Reparse(t.Context(), deps, there, true); err == nil {
		t.Error("votes were derived from damaged bytes")
	}
	out.Reset()
	if n, err := Verify(t.Context(), deps, here, &out); n != 2 || err != nil ||
		!strings.Contains(out.String(), "ARCHIVE_S3_ENDPOINT") {
		t.Errorf("Verify without the store: %d differences, %v\n%s", n, err, out.String())
	}
}

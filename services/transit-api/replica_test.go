package transitapi

import (
	"errors"
	"net/http"
	"testing"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

type versionKey struct{ VersionID replica.Version }

var agencies = rest.SQL[versionKey, string](`SELECT agency_id FROM transit.agency WHERE version_id = @version_id`)

// A query waits for a replica that lacks the version, instead of returning no rows.
func TestQueriesWaitForALaggingReplica(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	// An import announces its version before the replica has it.
	w.exec(t, `
		INSERT INTO transit.feed_version (version_id, feed_id, state, sha256, bytes, source, imported_at, counts)
		OVERRIDING SYSTEM VALUE VALUES (77, 1, 'staging', '\xaa', 1, 'test', now(), '{"agency": 1}')`)
	db := replica.DB{DB: w.db}
	lags := func(err error) bool {
		var refused *rest.Error
		return errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable
	}
	if _, err := agencies.List(t.Context(), db, versionKey{77}); !lags(err) {
		t.Fatalf("query before the replica has the version: %v", err)
	}
	applied := make(chan error, 1)
	go func() {
		_, err := w.db.Exec(t.Context(), `
			BEGIN;
			UPDATE transit.feed_version SET state = 'live' WHERE version_id = 77;
			CREATE TABLE transit.agency_77 PARTITION OF transit.agency FOR VALUES IN (77);
			INSERT INTO transit.agency (version_id, ord, agency_id, agency_name, first_route, route_count)
			  VALUES (77, 0, 'late', 'Late', 0, 0);
			COMMIT`)
		applied <- err
	}()
	for there := false; ; {
		rows, err := agencies.List(t.Context(), db, versionKey{77})
		if lags(err) && !there {
			select {
			case err := <-applied:
				if err != nil {
					t.Fatal(err)
				}
				there = true
				applied <- nil
			default:
			}
			continue
		}
		if err != nil || len(rows) != 1 || rows[0] != "late" {
			t.Errorf("%v %v", rows, err)
		}
		break
	}
	if err := <-applied; err != nil {
		t.Error(err)
	}
}

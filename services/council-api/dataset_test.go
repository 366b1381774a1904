package councilapi

import (
	"log/slog"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
)

// A database that was restored, or that lost commits in a failover, is served after a while. One
// answer of a lagging replica changes nothing.
func TestRestoredDatasetIsServed(t *testing.T) {
	t.Parallel()
	reader, writer := testDB(t)
	data := newDataset(run.Deps{DB: reader, Log: slog.New(slog.DiscardHandler)})
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	data.clock = func() time.Time { return now }
	is := func(generation int, at string) rest.Generation {
		t.Helper()
		execSQL(t, writer, `UPDATE council.dataset SET generation = $1, updated_at = $2::timestamptz`, generation, at)
		if _, err := data.read(t.Context(), reader); err != nil {
			t.Fatal(err)
		}
		served, err := data.source().Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return served
	}
	lost := is(9, "2026-11-27T12:00Z")
	if got := is(7, "2026-11-26T12:00Z"); got != lost {
		t.Error("an earlier generation is believed at once")
	}
	now = now.Add(pg.Patience - time.Second)
	is(9, "2026-11-27T12:00Z")
	if got := is(7, "2026-11-26T12:00Z"); got != lost {
		t.Error("a replica that lagged once is believed later")
	}
	now = now.Add(pg.Patience)
	restored := is(7, "2026-11-26T12:00Z")
	if restored == lost {
		t.Error("the lost state is served after the restore")
	}
	// The counter repeats a number of the lost state.
	is(8, "2026-11-27T13:00Z")
	if got := is(9, "2026-11-27T14:00Z"); got == lost || got.N == lost.N {
		t.Error("a new state has the number of the lost state")
	}
}

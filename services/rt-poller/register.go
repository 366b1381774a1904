package rtpoller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
)

// A row of transit.source belongs to the configuration that created it, while one of its pollers
// renews the lease every renewPeriod. When the lease has expired, or the last poller has released
// the row, the row is deleted, or another configuration gets it. So if two configurations have the
// same source, the first keeps the row until all its pollers have stopped.
const (
	renewPeriod = 10 * time.Second
	lease       = time.Minute
)

// isLeased is the SQL condition that row s has a lease, of duration $1. A time in the future does
// not count: it was written while a clock was wrong.
const isLeased = `(s.named_at BETWEEN now() - $1::interval AND now() + $1::interval)`

// A registry keeps the rows of the configured sources in transit.source.
type registry struct {
	deps    run.Deps
	pollers []*poller // sorted, because replicas must lock rows in the same order
	logged  string    // last logged list of rows that other configurations hold
}

func newRegistry(deps run.Deps, pollers []*poller) *registry {
	return &registry{deps: deps, pollers: slices.SortedFunc(slices.Values(pollers), func(a, b *poller) int {
		return cmp.Or(cmp.Compare(a.alias, b.alias), cmp.Compare(a.source, b.source))
	})}
}

// register renews the rows of the configuration, and deletes expired rows.
func (r *registry) register(ctx context.Context) error {
	var others []string
	err := pg.Tx(ctx, r.deps.DB, func(tx pgx.Tx) error {
		others = nil
		batch := &pgx.Batch{}
		for _, p := range r.pollers {
			// A row with a new address starts without history.
			batch.Queue(`DELETE FROM transit.source s WHERE alias = $2 AND source = $3 AND address <> $4 AND NOT `+isLeased,
				lease, p.alias, p.source, p.address())
			batch.Queue(`
				INSERT INTO transit.source AS s (alias, source, kind, stale_after, min_interval, address)
				VALUES ($2, $3, $5, $6, $7, $4)
				ON CONFLICT (alias, source) DO UPDATE
				SET kind = excluded.kind, stale_after = excluded.stale_after, min_interval = excluded.min_interval,
				  address = excluded.address, named_at = now()
				WHERE coalesce(s.address = excluded.address, true)
				  AND (NOT `+isLeased+
				` OR (s.kind, s.stale_after, s.min_interval) = (excluded.kind, excluded.stale_after, excluded.min_interval))`,
				lease, p.alias, p.source, p.address(), p.Kind, p.StaleAfter, p.MinInterval).Exec(func(tag pgconn.CommandTag) error {
				if tag.RowsAffected() == 0 {
					others = append(others, p.alias+" "+p.source)
				}
				return nil
			})
		}
		batch.Queue(`DELETE FROM transit.source s WHERE NOT `+isLeased, lease)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("register realtime sources: %w", err)
	}
	r.log(strings.Join(others, ", "))
	return nil
}

func (r *registry) log(others string) {
	if others == r.logged {
		return
	}
	r.logged = others
	if others == "" {
		r.deps.Log.Info("all realtime sources are registered as configured")
		return
	}
	r.deps.Log.Warn("sources are leased by a poller with a different configuration; they are polled as configured once "+
		"it stops", "sources", others)
}

// release ends the leases. Replicas that still run renew them.
func (r *registry) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	batch := &pgx.Batch{}
	for _, p := range r.pollers {
		batch.Queue(`
			UPDATE transit.source SET named_at = '-infinity'
			WHERE alias = $1 AND source = $2 AND (address, kind, stale_after, min_interval) = ($3, $4, $5, $6)`,
			p.alias, p.source, p.address(), p.Kind, p.StaleAfter, p.MinInterval)
	}
	if err := r.deps.DB.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("release the realtime sources: %w", err)
	}
	return nil
}

// run registers the sources every renewPeriod until ctx ends. It calls registered after the first
// success.
func (r *registry) run(ctx context.Context, registered func()) error {
	err := run.Every(ctx, run.Loop{Name: "register the realtime sources", Period: renewPeriod, MaxBackoff: renewPeriod,
		Timeout: lease / 2, Log: r.deps.Log},
		func(ctx context.Context) error {
			err := r.register(ctx)
			if err == nil && registered != nil {
				registered()
				registered = nil
			}
			return err
		})
	if err := r.release(ctx); err != nil {
		r.deps.Log.Debug("cannot release the realtime sources; their leases run out", "error", err)
	}
	return err
}

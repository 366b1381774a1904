package classify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
)

// due is every item with the answer that it should show: the asker's, else the one it shows if that is about the item as it reads now. An
// answer that says nothing is not shown: model and time stand wherever something made by a machine is, and nowhere else.
const due = `
	WITH due AS (
		SELECT i.id, i.iqm2_id, a.answer_id, a.topic, a.confidence, a.summary, a.answered_at AS at, a.answered_by AS by,
		       i.answer_id AS old_answer_id, i.topic AS old_topic, i.topic_confidence, i.summary AS old_summary, i.classified_at, i.classifier_model
		FROM council.item i
		LEFT JOIN council.answer fresh ON fresh.question = ` + questionSQL + `
		LEFT JOIN council.answer kept ON kept.answer_id = i.answer_id AND kept.section = coalesce(i.section, '') AND kept.title = i.title
		LEFT JOIN council.answer a ON a.answer_id = coalesce(fresh.answer_id, kept.answer_id) AND (a.topic IS NOT NULL OR a.summary IS NOT NULL)),
	changed AS (
		SELECT id, iqm2_id, answer_id, topic, confidence, summary, at, by, old_topic IS DISTINCT FROM topic AS moved,
		       (old_topic, topic_confidence, old_summary, classified_at, classifier_model) IS DISTINCT FROM (topic, confidence, summary, at, by) AS visible
		FROM due
		WHERE (old_answer_id, old_topic, topic_confidence, old_summary, classified_at, classifier_model) IS DISTINCT FROM (answer_id, topic, confidence, summary, at, by))`

const selectChanged = due + `
	SELECT id, iqm2_id AS meeting, visible, moved FROM changed ORDER BY id`

const updateItems = due + `
	UPDATE council.item i SET answer_id = c.answer_id, topic = c.topic, topic_confidence = c.confidence, summary = c.summary, classified_at = c.at, classifier_model = c.by
	FROM changed c WHERE c.id = i.id`

const updateVotes = `
	UPDATE council.vote v SET topic = i.topic
	FROM council.item i WHERE i.id = v.item_id AND i.iqm2_id = ANY($1) AND v.topic IS DISTINCT FROM i.topic`

type changedItem struct {
	ID, Meeting    int64
	Visible, Moved bool // whether a reader can see it; whether its topic is another
}

// label brings every item to the answer that it should show. It returns how many changed for readers, and the
// dataset's generation, raised by one if any did.
func label(ctx context.Context, db *pgxpool.Pool, by asker, now time.Time) (labelled int, generation int64, err error) {
	// Looking takes no lock, so an idle run never waits for an ingest.
	all, err := readChanged(ctx, db, by)
	if err != nil || len(all) == 0 {
		return 0, 0, err
	}
	err = pg.Tx(ctx, db, func(tx pgx.Tx) error {
		labelled = 0
		if err := archive.Lock(ctx, tx); err != nil {
			return err
		}
		all, err := readChanged(ctx, tx, by)
		if err != nil {
			return err
		}
		var moved []int64
		for _, c := range all {
			if c.Visible {
				labelled++
			}
			if c.Moved {
				moved = append(moved, c.Meeting)
			}
		}
		slices.Sort(moved)
		err = merge.Retopic(ctx, tx, slices.Compact(moved), func(meetings []int64) error {
			if _, err := tx.Exec(ctx, updateItems, by.key()); err != nil {
				return fmt.Errorf("label items: %w", err)
			}
			if _, err := tx.Exec(ctx, updateVotes, meetings); err != nil {
				return fmt.Errorf("label votes: %w", err)
			}
			return nil
		})
		if err != nil || labelled == 0 {
			return err
		}
		generation, err = archive.Raise(ctx, tx, now)
		return err
	})
	return labelled, generation, err
}

func readChanged(ctx context.Context, db pg.Querier, by asker) ([]changedItem, error) {
	all, err := pg.List[changedItem](ctx, db, selectChanged, by.key())
	if err != nil {
		return nil, fmt.Errorf("look for items to label: %w", err)
	}
	return all, nil
}

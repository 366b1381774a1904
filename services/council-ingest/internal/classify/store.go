package classify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
)

type asker struct{ Model, Prompt, Parameters string }

// key is the asker's part of the hash of a question. Its length is fixed, so that the title, which
// follows, cannot imitate it.
func (a asker) key() string {
	text, _ := json.Marshal(a) // strings always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

type answer struct {
	Input
	verdict
	Confidence          *float64
	Judged              string
	Written             *string
	Declined            bool
	AnsweredBy          string
	TokensIn, TokensOut int
	AnsweredAt          time.Time
}

// questionSQL is SQL for the key of asker $1's question about item i. insertAnswer uses the same
// key.
const questionSQL = `sha256(convert_to($1 || coalesce(i.section, '') || E'\n' || i.title, 'UTF8'))`

// selectOpen lists the questions without an answer. Items without a label come first, newest
// meetings first. Then come items with a label of another asker, oldest label first. Equal items
// give one question.
const selectOpen = `
	SELECT o.section, o.title
	FROM (SELECT coalesce(i.section, '') AS section, i.title, max(i.meeting_date) AS newest,
	  min(a.answered_at) AS labelled, ` + questionSQL + ` AS question
	      FROM council.item i
	      LEFT JOIN council.answer a ON a.answer_id = i.answer_id AND a.section = coalesce(i.section, '')
	        AND a.title = i.title
	      GROUP BY coalesce(i.section, ''), i.title, question) o
	WHERE NOT EXISTS (SELECT FROM council.answer a WHERE a.question = o.question)
	ORDER BY o.labelled NULLS FIRST, o.newest DESC, o.section, o.title
	LIMIT $2`

func readOpen(ctx context.Context, db *pgxpool.Pool, by asker, limit int) ([]Input, error) {
	open, err := pg.List[Input](ctx, db, selectOpen, by.key(), limit)
	if err != nil {
		return nil, fmt.Errorf("look for items to classify: %w", err)
	}
	return open, nil
}

// insertAnswer stores an answer unless the question has one already.
const insertAnswer = `
	INSERT INTO council.answer (question, section, title, model, prompt, parameters, written, declined, answered_by,
	  tokens_in, tokens_out, answered_at,
	                            judged, topic, confidence, summary, quote, refused)
	VALUES (sha256(convert_to($1 || $2 || E'\n' || $3, 'UTF8')), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
	        $13, nullif($14, ''), $15, nullif($16, ''), nullif($17, ''), coalesce($18::text[], '{}'))
	ON CONFLICT (question) DO NOTHING`

func putAnswers(ctx context.Context, db *pgxpool.Pool, by asker, answers ...answer) error {
	b := &pgx.Batch{}
	for _, a := range answers {
		b.Queue(insertAnswer, by.key(), a.Section, a.Title, by.Model, by.Prompt, by.Parameters, a.Written, a.Declined,
			a.AnsweredBy, a.TokensIn, a.TokensOut, a.AnsweredAt,
			a.Judged, string(a.Topic), a.Confidence, a.Summary, a.Quote, a.Refused)
	}
	if err := db.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("keep answers of %s: %w", by.Model, err)
	}
	return nil
}

// An oldAnswer is an answer that another version of the guards judged.
type oldAnswer struct {
	AnswerID int64
	Input
	Written  string
	Declined bool
}

const selectOld = `
	SELECT answer_id, section, title, coalesce(written, '') AS written, declined
	FROM council.answer WHERE model = $1 AND prompt = $2 AND parameters = $3 AND judged <> $4
	ORDER BY answer_id LIMIT 1000`

const updateJudged = `
	UPDATE council.answer SET judged = $2, topic = nullif($3, ''), confidence = $4, summary = nullif($5, ''),
	  quote = nullif($6, ''),
	                          refused = coalesce($7::text[], '{}')
	WHERE answer_id = $1`

// rejudge judges stored answers again. It sends no requests to the model.
func (r *runner) rejudge(ctx context.Context, by asker) error {
	for {
		all, err := pg.List[oldAnswer](ctx, r.deps.DB, selectOld, by.Model, by.Prompt, by.Parameters, r.judges())
		if err != nil {
			return fmt.Errorf("read answers of %s: %w", by.Model, err)
		}
		if len(all) == 0 {
			return nil
		}
		b := &pgx.Batch{}
		for _, o := range all {
			a := r.judged(o.Input, o.Written, o.Declined)
			b.Queue(updateJudged, o.AnswerID, a.Judged, string(a.Topic), a.Confidence, a.Summary, a.Quote, a.Refused)
		}
		if err := r.deps.DB.SendBatch(ctx, b).Close(); err != nil {
			return fmt.Errorf("judge answers of %s again: %w", by.Model, err)
		}
	}
}

// due selects the answer to show for every item: the asker's answer, or the current answer if title
// and heading are unchanged. It omits empty answers, because an item has a model and a time only if
// it has generated content.
const due = `
	WITH due AS (
		SELECT i.id, i.iqm2_id, a.answer_id, a.topic, a.confidence, a.summary, a.answered_at AS at, a.answered_by AS by,
		       i.answer_id AS old_answer_id, i.topic AS old_topic, i.topic_confidence, i.summary AS old_summary,
		         i.classified_at, i.classifier_model
		FROM council.item i
		LEFT JOIN council.answer fresh ON fresh.question = ` + questionSQL + `
		LEFT JOIN council.answer kept ON kept.answer_id = i.answer_id AND kept.section = coalesce(i.section, '')
		  AND kept.title = i.title
		LEFT JOIN council.answer a ON a.answer_id = coalesce(fresh.answer_id, kept.answer_id)
		  AND (a.topic IS NOT NULL OR a.summary IS NOT NULL)),
	changed AS (
		SELECT id, iqm2_id, answer_id, topic, confidence, summary, at, by, old_topic IS DISTINCT FROM topic AS moved,
		       (old_topic, topic_confidence, old_summary, classified_at, classifier_model)
		         IS DISTINCT FROM (topic, confidence, summary, at, by) AS visible
		FROM due
		WHERE (old_answer_id, old_topic, topic_confidence, old_summary, classified_at, classifier_model)
		  IS DISTINCT FROM (answer_id, topic, confidence, summary, at, by))`

const selectChanged = due + `
	SELECT id, iqm2_id AS meeting, visible, moved FROM changed ORDER BY id`

const updateItems = due + `
	UPDATE council.item i SET answer_id = c.answer_id, topic = c.topic, topic_confidence = c.confidence,
	  summary = c.summary, classified_at = c.at, classifier_model = c.by
	FROM changed c WHERE c.id = i.id`

const updateVotes = `
	UPDATE council.vote v SET topic = i.topic
	FROM council.item i WHERE i.id = v.item_id AND i.iqm2_id = ANY($1) AND v.topic IS DISTINCT FROM i.topic`

type changedItem struct {
	ID, Meeting    int64
	Visible, Moved bool // the change is visible; the topic changed
}

// label assigns an answer to every item. It returns the number of visible changes, and the new
// generation if there are any.
func label(ctx context.Context, db *pgxpool.Pool, by asker, now time.Time) (labelled int, generation int64, err error) {
	// The first query takes no lock, so that a run without work never waits for an ingest.
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

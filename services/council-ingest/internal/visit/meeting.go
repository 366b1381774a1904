package visit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/recorded"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// visit reads everything that the portal has about a meeting, and stores it in one transaction. It
// also stores an incomplete meeting. Its error lists the missing parts.
func (v *visitor) visit(ctx context.Context, row listed, p *Progress) (err error) {
	defer writer.Recover(&err)
	page, record, missing := v.page(ctx, row)
	if ctx.Err() != nil {
		return missing
	}
	if missing != nil {
		page = portal.Detail{Withdrawn: true} // the calendar has enough data
	}
	row.Fill(page)
	row.Clean()
	if err := v.resolvePage(ctx, row); err != nil {
		return err
	}
	row.Starts = v.set.Start(v.bodyNamed(row), row.Starts)
	if err := v.check(row); err != nil {
		return errors.Join(missing, err)
	}
	if v.isForbidden(missing) {
		missing = nil
	}
	p.Date = row.Starts.Format(time.DateOnly)
	docs := slices.Clone(page.Documents)
	for _, d := range row.Documents { // a page and its row may differ
		if portal.Find(docs, d.Name) == nil {
			docs = append(docs, d)
		}
	}
	minutes, link, err := v.findMinutes(ctx, row, page, docs)
	if ctx.Err() != nil || errors.Is(err, writer.ErrStorage) {
		return err
	}
	missing = errors.Join(missing, err)
	if err := v.StoreBytes(ctx, minutes); err != nil {
		return err
	}
	if record != nil {
		if err := v.StoreBytes(ctx, &record.Document); err != nil {
			return err
		}
	}
	_, err = v.Write(ctx, func(tx pgx.Tx) (bool, error) {
		var err error
		p.Changed, err = v.store(ctx, tx, row, page, v.meeting(row, page, docs, link), record, minutes)
		if err != nil {
			return false, err
		}
		rowHash := row.Hash[:]
		doubtful, err := archive.IsDoubtful(ctx, tx, row.id, minutes != nil)
		if missing != nil || doubtful {
			rowHash = []byte{} // so that the next ingest visits the meeting again
		}
		if err == nil {
			err = archive.SetRowHash(ctx, tx, row.id, rowHash)
		}
		if err == nil {
			err = tx.QueryRow(ctx, selectProgress, row.id).Scan(&p.Status, &p.Votes, &p.Anomalies)
		}
		return p.Changed, err
	})
	if err != nil {
		p.Changed = false
		return writer.MarkStorage(fmt.Errorf("store meeting %d: %w", row.id, err))
	}
	return missing
}

const selectProgress = `
	SELECT status, vote_count, (SELECT count(*) FROM council.anomaly WHERE iqm2_id = $1) FROM council.meeting
	       WHERE iqm2_id = $1`

// check returns an error for a meeting without a date or a body. It returns errNotOurs for a
// meeting that was not requested.
func (v *visitor) check(row listed) error {
	switch {
	case row.Starts.IsZero():
		return fmt.Errorf("neither the calendar nor the page of meeting %d has its start", row.id)
	case row.Body == "":
		return fmt.Errorf("neither the calendar nor the page of meeting %d has its body", row.id)
	case !v.isOurs(nameOf(row.Meeting)):
		v.others[row.id] = other{row.Hash, row.Body}
		return errNotOurs
	case v.req.MeetingID == 0 && !v.within(row.Starts):
		return errNotOurs
	}
	return nil
}

// page fetches and parses the answers about a meeting. The record is nil unless the product has
// records.
func (v *visitor) page(ctx context.Context, row listed) (portal.Detail, *archive.Record, error) {
	var before *portal.Bundle
	archived := v.src.Product.Can.Record
	if archived && !v.req.All && !v.isFresh(row) {
		var err error
		before, err = archive.Bundle(ctx, v.Deps.DB, v.Store, row.id)
		if err != nil {
			return portal.Detail{}, nil, writer.MarkStorage(err)
		}
	}
	answers, err := v.reader.Fetch(ctx, row.Meeting, before)
	if err != nil {
		return portal.Detail{}, nil, err
	}
	page, err := v.src.Product.Read(answers, v.src.ParseOptions)
	if err != nil || !archived {
		return page, nil, err
	}
	earlier, err := archive.ReadDetail(ctx, v.Deps.DB, row.id)
	if err != nil {
		return portal.Detail{}, nil, writer.MarkStorage(err)
	}
	r := &archive.Record{Source: v.src.Name, Document: archive.Document{Bytes: answers.Bytes(),
		MediaType: portal.MediaType, Fetched: v.Now(), Text: doctext.Answers(answers.Product, page)}}
	if earlier != nil && !v.req.Accept && recorded.LossOf(*earlier, page) != "" {
		r.Withheld = true
		page = *earlier
	}
	return page, r, nil
}

// freshFor is the time after a meeting in which a portal's record is read in full at each visit,
// because clerks correct votes in these days, and portals do not always mark the change. Later, one
// day a week is enough.
const freshFor = 8 * 24 * time.Hour

// isFresh reports whether to read the record of a meeting in full, even if the portal marks no
// change. The day of the week depends on the meeting, so that a day has few of them.
func (v *visitor) isFresh(row listed) bool {
	since := v.Now().Sub(row.Starts)
	day := int64(v.Now().In(v.set.Zone()).Weekday())
	return since < freshFor || since < recentFor && row.id%7 == day
}

func (v *visitor) store(ctx context.Context, tx pgx.Tx, row listed, page portal.Detail, m archive.Meeting,
	record *archive.Record, minutes *archive.Document) (changed bool, err error) {
	now := v.Now()
	steps := []func() (bool, error){
		func() (bool, error) { return merge.MoveMeeting(ctx, tx, m.ID, max(m.BodyID, 1)) },
		func() (bool, error) { return archive.PutMeeting(ctx, tx, m, v.Run, now) },
		func() (bool, error) { return false, archive.SetSource(ctx, tx, row.id, v.src.Name) },
	}
	if record != nil {
		steps = append(steps, func() (bool, error) { return archive.PutRecord(ctx, tx, row.id, *record) })
	}
	if !page.Withdrawn && !page.NoItems { // if not, the stored items stay
		steps = append(steps, func() (bool, error) { return archive.PutOutline(ctx, tx, row.id, page.Items, now) })
	}
	if minutes != nil {
		steps = append(steps, func() (bool, error) { return archive.PutMinutes(ctx, tx, row.id, *minutes) })
	}
	steps = append(steps, func() (bool, error) { return v.Publish(ctx, tx, row.id) })
	for _, step := range steps {
		more, err := step()
		if err != nil {
			return false, err
		}
		changed = changed || more
	}
	return changed, nil
}

// meeting merges the data of row and page. link is the link to the minutes, or nil.
func (v *visitor) meeting(row listed, page portal.Detail, docs []portal.Document, link *string) archive.Meeting {
	m := archive.Meeting{
		ID: row.id, Body: row.Body,
		Type: council.MeetingTypeOf(row.Type, v.set.For(v.bodyNamed(row)).MeetingTypes), TypeRaw: row.Type,
		Date: row.Starts.Format(time.DateOnly), StartsAt: row.Starts.UTC(), Title: row.Title,
		Cancelled: row.State.IsCancelled(), MinutesURL: link, Partial: page.Withdrawn,
	}
	if means := v.meanings[nameOf(row.Meeting)]; means.Body != nil {
		m.BodyID = means.BodyID
		m.Body = means.Name
		m.Remark = council.Some(means.Remark)
		if m.Type == council.MeetingOther {
			m.Type = council.MeetingTypeOf(means.Remark, nil)
		}
	}
	m.SourceURL = council.Some(row.URL)
	m.Location = council.Some(cmp.Or(row.Location, page.Location))
	m.VideoURL = council.Some(cmp.Or(page.VideoURL, row.VideoURL))
	if d := portal.Find(docs, string(portal.KindAgenda), string(portal.KindPacket)); d != nil {
		m.AgendaURL = &d.URL
	}
	return m
}

// errNotOurs marks a meeting of another body, or of a day that was not requested.
var errNotOurs = errors.New("not a meeting that was asked for")

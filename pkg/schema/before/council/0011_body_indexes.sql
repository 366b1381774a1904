-- +goose Up
--
-- Indexes for lists of one body. Lists of all bodies use the earlier indexes.
CREATE INDEX meeting_body ON council.meeting (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC);
CREATE INDEX item_body    ON council.item (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX vote_body    ON council.vote (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX anomaly_body ON council.anomaly (body_id, meeting_date DESC, starts_at DESC, iqm2_id DESC, ord);
CREATE INDEX change_body  ON council.change (body_id, change_id DESC);

-- +goose Up
--
-- What the extractor has to say of single pages of a document that it could read: text that a page holds and does not show,
-- pages that are pictures. They become anomalies of the meeting, so that what is derived from the archive needs nothing but the archive.
-- An array of {"page", "code", "message"}; archive.TextNote.
ALTER TABLE council.document_text ADD COLUMN notes jsonb NOT NULL DEFAULT '[]';

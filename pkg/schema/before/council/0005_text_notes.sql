-- +goose Up
--
-- Notes of the extractor about single pages of a readable document: invisible text, and pages that
-- are pictures. Notes become anomalies of the meeting; they are stored so that all derived data
-- follows from the archive alone. The value is an array of {"page", "code", "message"};
-- archive.TextNote.
ALTER TABLE council.document_text ADD COLUMN notes jsonb NOT NULL DEFAULT '[]';

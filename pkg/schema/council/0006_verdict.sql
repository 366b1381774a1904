-- +goose Up
--
-- How much of a document could be read, as a word and not as a sentence: it decides the status of the meeting; error explains it to people.
-- NULL is what a version of the program before this column wrote; council.document_text.error says then whether the text may be parsed.
ALTER TABLE council.document_text ADD COLUMN verdict text
  CHECK (verdict IN ('whole', 'repaired', 'partial', 'no_text', 'encrypted', 'too_large', 'unreadable'));

-- The reasons that versions before wrote are known; this is the only place that reads them.
UPDATE council.document_text SET verdict = CASE
  WHEN error IS NULL THEN 'whole'
  WHEN error LIKE '%no text%' THEN 'no_text'
  WHEN error LIKE '%encrypted%' THEN 'encrypted'
  ELSE 'unreadable' END;

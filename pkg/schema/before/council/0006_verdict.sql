-- +goose Up
--
-- A word for how much of a document could be read. The word decides the status of the meeting; the
-- column error explains the word to people. NULL means that a program version older than this
-- column wrote the row; then council.document_text.error says whether the text may be parsed.
ALTER TABLE council.document_text ADD COLUMN verdict text
  CHECK (verdict IN ('whole', 'repaired', 'partial', 'no_text', 'encrypted', 'too_large', 'unreadable'));

-- Older versions wrote these reasons. Only this migration reads them.
UPDATE council.document_text SET verdict = CASE
  WHEN error IS NULL THEN 'whole'
  WHEN error LIKE '%no text%' THEN 'no_text'
  WHEN error LIKE '%encrypted%' THEN 'encrypted'
  ELSE 'unreadable' END;

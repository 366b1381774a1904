-- +goose Up
--
-- Tables for the search in printed texts: pages of minutes, motions, and the words with which the
-- search compares unknown words.
--
-- Triggers fill page and word, because the previous release writes documents while this one is
-- rolled out, and the search must find these documents too. Both tables are derived from
-- document_text, item and member.

CREATE EXTENSION IF NOT EXISTS pg_trgm; -- part of Postgres, and trusted: the owner of a database may create the extension

-- The pages of the texts of documents. Readers see only pages of the minutes from which the votes
-- of a meeting were read (meeting.minutes_id).
CREATE TABLE council.page (
  document_id bigint NOT NULL REFERENCES council.document ON DELETE CASCADE,
  page        integer NOT NULL CHECK (page > 0),
  text        text NOT NULL,
  search      tsvector NOT NULL,                      -- from the folded text
  PRIMARY KEY (document_id, page)
);
CREATE INDEX page_search ON council.page USING gin (search);

CREATE INDEX vote_search ON council.vote USING gin (to_tsvector('english', council.fold(motion_text)));

-- Every word of at least four letters in a page, a title or a name, without accents and in lower
-- case. A word stays even if its last text is removed; a search for the word then finds nothing.
CREATE TABLE council.word (
  word text COLLATE "C" PRIMARY KEY
);
CREATE INDEX word_similar ON council.word USING gin (word gin_trgm_ops);

-- learn adds the words of folded texts, in sorted order, so that two writers do not deadlock.
-- +goose StatementBegin
CREATE FUNCTION council.learn(texts text[]) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO council.word
  SELECT DISTINCT found.word
  FROM unnest(texts) AS t (text), unnest(tsvector_to_array(to_tsvector('simple', t.text))) AS found (word)
  WHERE found.word ~ '^[[:alpha:]]{4,40}$' AND NOT EXISTS (SELECT FROM council.word w WHERE w.word = found.word)
  ORDER BY 1
  ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd

-- split_pages splits the text of a document into pages. It omits text that is too long for a
-- full-text index: no page of minutes has 100,000 characters, and no document has 20,000 pages.
-- +goose StatementBegin
CREATE FUNCTION council.split_pages() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE nothing text;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.text IS NOT DISTINCT FROM OLD.text THEN
    RETURN NULL;
  END IF;
  DELETE FROM council.page WHERE document_id = NEW.document_id;
  WITH folded AS MATERIALIZED (
    SELECT t.page, t.text, council.fold(left(t.text, 100000)) AS plain
    FROM string_to_table(NEW.text, E'\f') WITH ORDINALITY AS t (text, page)
    WHERE t.page <= 20000
  ), pages AS (
    INSERT INTO council.page (document_id, page, text, search)
    SELECT NEW.document_id, page, left(text, 100000), to_tsvector('english', plain) FROM folded
  )
  SELECT council.learn(array_agg(plain)) INTO STRICT nothing FROM folded;
  RETURN NULL;
END
$$;

CREATE FUNCTION council.learn_titles() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.learn(array_agg(council.fold(title))) FROM new_rows;
  RETURN NULL;
END
$$;

CREATE FUNCTION council.learn_names() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.learn(array_agg(council.fold(full_name))) FROM new_rows;
  RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER split_pages AFTER INSERT OR UPDATE OF text ON council.document_text
  FOR EACH ROW EXECUTE FUNCTION council.split_pages();
CREATE TRIGGER learn_titles AFTER INSERT ON council.item
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION council.learn_titles();
CREATE TRIGGER learn_new_titles AFTER UPDATE ON council.item
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION council.learn_titles();
CREATE TRIGGER learn_names AFTER INSERT ON council.member
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION council.learn_names();

-- The pages of documents that are already stored.
INSERT INTO council.page (document_id, page, text, search)
SELECT d.document_id, t.page, left(t.text, 100000), to_tsvector('english', council.fold(left(t.text, 100000)))
FROM council.document_text d, string_to_table(d.text, E'\f') WITH ORDINALITY AS t (text, page)
WHERE t.page <= 20000;

INSERT INTO council.word
SELECT word
FROM ts_stat($$SELECT to_tsvector('simple', council.fold(text)) FROM (SELECT text FROM council.page UNION ALL SELECT title FROM council.item UNION ALL SELECT full_name FROM council.member) t$$)
WHERE word ~ '^[[:alpha:]]{4,40}$';

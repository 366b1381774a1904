-- +goose Up
--
-- Pages of minutes have the ids of their bodies, so that a search in one body reads only the pages
-- of that body. Triggers fill body_ids, like the rest of the table. The next migration has the
-- indexes, so that no reader waits for them.

-- The ids of the bodies whose meetings have the document as minutes, in ascending order.
ALTER TABLE council.page ADD COLUMN body_ids bigint[] NOT NULL DEFAULT '{1}';

-- +goose StatementBegin
CREATE FUNCTION council.set_page_bodies(documents bigint[]) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
  UPDATE council.page p SET body_ids = d.body_ids
  FROM (SELECT n.document_id, array_agg(DISTINCT m.body_id ORDER BY m.body_id) AS body_ids
        FROM council.minutes n JOIN council.meeting m USING (iqm2_id)
        WHERE n.document_id = ANY (documents) GROUP BY n.document_id) d
  WHERE p.document_id = d.document_id AND p.body_ids <> d.body_ids;
END;

CREATE FUNCTION council.set_document_bodies() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.set_page_bodies(ARRAY[coalesce(NEW.document_id, OLD.document_id)]);
  RETURN NULL;
END
$$;

CREATE FUNCTION council.set_meeting_bodies() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM council.set_page_bodies(ARRAY(SELECT document_id FROM council.minutes WHERE iqm2_id = NEW.iqm2_id));
  RETURN NULL;
END
$$;
-- +goose StatementEnd

-- This trigger must run after split_pages; triggers of a table run in the order of their names.
CREATE TRIGGER split_pages_bodies AFTER INSERT OR UPDATE OF text ON council.document_text
  FOR EACH ROW EXECUTE FUNCTION council.set_document_bodies();
CREATE TRIGGER page_bodies AFTER INSERT OR DELETE ON council.minutes
  FOR EACH ROW EXECUTE FUNCTION council.set_document_bodies();
CREATE TRIGGER page_bodies AFTER UPDATE OF body_id ON council.meeting
  FOR EACH ROW WHEN (OLD.body_id <> NEW.body_id) EXECUTE FUNCTION council.set_meeting_bodies();

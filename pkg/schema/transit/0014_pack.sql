-- +goose Up
--
-- A day of stop_visit is written a few rows at a time, and each row several times. Once it is over,
-- rt-poller packs it, after which it takes half the space. pg_index.indisclustered marks packed days.

-- +goose StatementBegin
CREATE FUNCTION transit.pack_visit_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  name text := 'stop_visit_' || to_char(day, 'YYYYMMDD');
  key text := (SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
               WHERE i.indrelid = to_regclass('transit.' || name) AND i.indisprimary);
BEGIN
  IF key IS NOT NULL THEN
    EXECUTE format('CLUSTER transit.%I USING %I', name, key);
  END IF;
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION transit.pack_visit_day(date) FROM PUBLIC;

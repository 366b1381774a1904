-- +goose Up
--
-- What a feed has beyond the tables of before: files that are kept as they are, and the feed as one zip again.

-- The files of a version, in the order of the zip; after them those that manual rows alone make up.
CREATE TABLE transit.file (
  version_id integer NOT NULL,
  ord        integer NOT NULL,
  file       text NOT NULL,                        -- in lower case, without its folder: transfers.txt
  bytes      bigint NOT NULL,                      -- after expansion; 0: manual rows alone make it up
  columns    text[],                               -- as its header has them, then those of manual rows; NULL: no table of rows
  row_count  integer                               -- in file_row; NULL: its rows are not there
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX file_ord ON transit.file (version_id, ord);
CREATE UNIQUE INDEX file_key ON transit.file (version_id, file);

COMMENT ON TABLE transit.file IS 'The files of each version.';

-- The rows of files that are served as they are: those of the standard that nothing is computed from, and files that the
-- standard does not know. Cells are trimmed and run in step with file.columns; an empty cell is NULL. The features of
-- locations.geojson are rows of one cell.
CREATE TABLE transit.file_row (
  version_id integer NOT NULL,
  file       integer NOT NULL,                     -- file.ord
  ord        integer NOT NULL,                     -- from 0
  cells      text[] NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX file_row_ord ON transit.file_row (version_id, file, ord);

COMMENT ON TABLE transit.file_row IS 'Rows of files that are served as they are.';

-- {"from_stop_id": "A", …}: SELECT cells ->> 'from_stop_id' FROM transit.file_rows WHERE feed = 'metro' AND file = 'transfers.txt'.
CREATE VIEW transit.file_rows AS
SELECT f.alias AS feed, x.file, r.ord, jsonb_object(x.columns, r.cells) AS cells
FROM transit.feed f JOIN transit.file x USING (version_id) JOIN transit.file_row r ON r.version_id = x.version_id AND r.file = x.ord;

-- The feed as it is served, as a zip: its pieces in order. A file that nothing has changed is a span of the kept zip, byte for
-- byte; what the import or manual rows have changed, and the list of entries, is stored here, in pieces of at most 1 MB.
CREATE TABLE transit.export_piece (
  version_id integer NOT NULL,
  at         bigint NOT NULL,                      -- where the piece begins
  bytes      bigint NOT NULL,
  zip_at     bigint,                               -- where it begins in the kept zip (feed_zip); NULL: data has it
  data       bytea
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX export_piece_at ON transit.export_piece (version_id, at);

COMMENT ON TABLE transit.export_piece IS 'The zip of each version as it is served.';

-- Which tables the import filled: a version of a smaller number than that of the program is imported again at the next check.
ALTER TABLE transit.feed_version ADD COLUMN made integer NOT NULL DEFAULT 1;

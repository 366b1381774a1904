-- +goose Up
--
-- Files of a feed without a table of their own, which are stored unchanged, and the whole feed as a
-- zip for download.

-- The files of a version in the order of the zip, followed by the files that have only manual rows.
CREATE TABLE transit.file (
  version_id integer NOT NULL,
  ord        integer NOT NULL,
  file       text NOT NULL,                        -- name in lower case, without its folder: transfers.txt
  bytes      bigint NOT NULL,                      -- uncompressed size; 0 if the file has only manual rows
  columns    text[],                               -- columns of the header, then columns of manual rows; NULL if the file is not a table
  row_count  integer                               -- number of rows in file_row; NULL if the rows are not there
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX file_ord ON transit.file (version_id, ord);
CREATE UNIQUE INDEX file_key ON transit.file (version_id, file);

COMMENT ON TABLE transit.file IS 'The files of each version.';

-- The rows of files that are served unchanged: files of the standard from which nothing is derived,
-- and files that are not in the standard. Cells are trimmed and in the order of file.columns; an
-- empty cell is NULL. Each feature of locations.geojson is a row with one cell.
CREATE TABLE transit.file_row (
  version_id integer NOT NULL,
  file       integer NOT NULL,                     -- file.ord
  ord        integer NOT NULL,                     -- from 0
  cells      text[] NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX file_row_ord ON transit.file_row (version_id, file, ord);

COMMENT ON TABLE transit.file_row IS 'Rows of files that are served as they are.';

-- {"from_stop_id": "A", …}: SELECT cells ->> 'from_stop_id' FROM transit.file_rows WHERE feed =
-- 'metro' AND file = 'transfers.txt'.
CREATE VIEW transit.file_rows AS
SELECT f.alias AS feed, x.file, r.ord, jsonb_object(x.columns, r.cells) AS cells
FROM transit.feed f JOIN transit.file x USING (version_id) JOIN transit.file_row r ON r.version_id = x.version_id AND r.file = x.ord;

-- The pieces of the zip of the served feed, in order. An unchanged file is a range of bytes of the
-- stored zip. Files that the import or manual rows have changed, and the list of entries, are
-- stored here, in pieces of at most 1 MB.
CREATE TABLE transit.export_piece (
  version_id integer NOT NULL,
  at         bigint NOT NULL,                      -- offset of the piece
  bytes      bigint NOT NULL,
  zip_at     bigint,                               -- offset of the bytes in the stored zip (feed_zip); NULL if data has the bytes
  data       bytea
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX export_piece_at ON transit.export_piece (version_id, at);

COMMENT ON TABLE transit.export_piece IS 'The zip of each version as it is served.';

-- A number for the set of tables that the import filled. If the number of a version is smaller than
-- the program's number, the next check imports the feed again.
ALTER TABLE transit.feed_version ADD COLUMN made integer NOT NULL DEFAULT 1;

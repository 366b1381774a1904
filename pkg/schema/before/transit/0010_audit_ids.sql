-- +goose Up
--
-- The row with the finding, so that a report can show the row on a map, and lists of findings can
-- be compared. NULL in versions that are older than this column, and for findings about a whole
-- file.
ALTER TABLE transit.audit_line
  ADD COLUMN row_id   text,                        -- value of the first key column of the file: stop_id, trip_id, ...
  ADD COLUMN shape_id text;                        -- the shape, if a finding about a stop or trip also concerns a shape

-- +goose Up
--
-- Which row a finding is about, so that a report can show it on a map and lists can be compared.
-- NULL in versions imported before, and for findings about a file as a whole.
ALTER TABLE transit.audit_line
  ADD COLUMN row_id   text,                        -- the first column of the file's key: stop_id, trip_id, ...
  ADD COLUMN shape_id text;                        -- the shape that a finding about a stop or trip is about, too

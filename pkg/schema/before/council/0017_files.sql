-- +goose Up
--
-- council-ingest writes all files of the dataset to council.export; before, each replica of the API
-- made the tables and the SQLite database itself. Names are paths below /export/: votes.csv,
-- council.sqlite, tables/votes.csv …

ALTER TABLE council.export
  ADD COLUMN rows  bigint,                            -- rows of the table, or of all tables; NULL if the file is no table
  ADD COLUMN as_of timestamptz;                       -- when the generation in the file was committed; NULL in files of older versions

-- +goose Up
--
-- To count items by topic and quarter (/topics, /topics/timeline, /stats). An index stores equal
-- entries once, so this index is a tenth of the size of the table, and counts read only the index.
-- The index for the order of lists has a separate entry for each item, and is nearly as large as
-- the table.
CREATE INDEX item_day ON council.item (topic, meeting_date);

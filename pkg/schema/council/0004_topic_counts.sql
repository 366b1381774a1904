-- +goose Up
--
-- To count items by topic and quarter (/topics, /topics/timeline, /stats). Equal entries share their place in an index, so that this one is a tenth of
-- the table and is read alone; the index of the list's order holds every item's own place and is nearly as wide as the table.
CREATE INDEX item_day ON council.item (topic, meeting_date);

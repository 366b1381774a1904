-- +goose Up
--
-- Counts and searches in one body cost as much as in a database with only that body.
CREATE INDEX item_body_day   ON council.item (body_id, topic, meeting_date);
CREATE INDEX vote_body_split ON council.vote (body_id, topic) WHERE NOT unanimous;

-- A full-text index cannot begin with the body. Body 1 is nearly always the council, which has most
-- items.
CREATE INDEX item_search_council ON council.item USING gin (search) WHERE body_id = 1;
CREATE INDEX item_search_other   ON council.item USING gin (search) WHERE body_id <> 1;

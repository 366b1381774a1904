-- +goose Up
--
-- What classifiers said about agenda items (services/council-ingest/internal/classify).
--
-- Every answer is kept, with the question as its key: the item's heading and title, the model, the version of the prompt, and the
-- parameters. The same question is never asked twice, an answer stays when its item is removed, and when the model or the prompt changes the old answers stay.
-- Items show one answer: the one by the classifier that is configured now, else the one they have had. answered_at is an item's classified_at, so
-- re-reading unchanged minutes moves nothing.

CREATE TABLE council.answer (
  answer_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  question     bytea NOT NULL UNIQUE CHECK (octet_length(question) = 32), -- hash of who was asked and what: one key, which the planner can count on
  section      text NOT NULL,                                           -- the heading, '' for none
  title        text NOT NULL,
  model        text NOT NULL,                                           -- as configured; townline-keywords-N for the term list
  prompt       text NOT NULL,                                           -- version of the instructions, or of the term list
  parameters   text NOT NULL,                                           -- '' for the term list
  written      text,                                                    -- by the model, letter by letter; NULL for the term list
  declined     boolean NOT NULL DEFAULT false,                          -- the model would not answer
  answered_by  text NOT NULL,                                           -- the model as its server names it; what items show
  tokens_in    integer NOT NULL DEFAULT 0,
  tokens_out   integer NOT NULL DEFAULT 0,
  answered_at  timestamptz NOT NULL,
  -- What the guards leave of it. Made anew from `written` when they change.
  judged       text NOT NULL,                                           -- version of the guards
  topic        text CHECK (topic IN ('housing', 'land-use-zoning', 'public-safety', 'budget-finance', 'utilities', 'transportation',
                                     'parks-recreation', 'economic-development', 'homelessness', 'personnel-labor',
                                     'contracts-procurement', 'governance-procedural', 'other')),
  confidence   double precision CHECK (confidence BETWEEN 0 AND 1),     -- NULL if it was not measured
  summary      text,
  quote        text,                                                    -- words of heading or title that decided
  refused      text[] NOT NULL DEFAULT '{}'                             -- why something is missing; classify.Reason
);

-- The answer that an item shows; NULL when there is none, or it says nothing.
ALTER TABLE council.item ADD COLUMN answer_id bigint REFERENCES council.answer;

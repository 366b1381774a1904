-- +goose Up
--
-- Answers of classifiers about agenda items (services/council-ingest/internal/classify).
--
-- Every answer is kept. Its key is the question: heading and title of the item, the model, the
-- version of the prompt, and the parameters. So the same question is never asked twice. An answer
-- stays when its item is removed, and when the model or the prompt changes. An item shows the
-- answer of the configured classifier, or else the answer that it showed before. classified_at of
-- the item is a copy of answered_at, so unchanged minutes that are read again change nothing.

CREATE TABLE council.answer (
  answer_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  question     bytea NOT NULL UNIQUE CHECK (octet_length(question) = 32), -- hash of the whole question; with one unique key the planner estimates one row
  section      text NOT NULL,                                           -- the heading; '' if there is none
  title        text NOT NULL,
  model        text NOT NULL,                                           -- as configured; townline-keywords-N for the term list
  prompt       text NOT NULL,                                           -- version of the instructions, or of the term list
  parameters   text NOT NULL,                                           -- '' for the term list
  written      text,                                                    -- the unchanged answer of the model; NULL for the term list
  declined     boolean NOT NULL DEFAULT false,                          -- the model refused to answer
  answered_by  text NOT NULL,                                           -- name of the model in the server's answer; items show this name
  tokens_in    integer NOT NULL DEFAULT 0,
  tokens_out   integer NOT NULL DEFAULT 0,
  answered_at  timestamptz NOT NULL,
  -- The part of the answer that the guards accept. It is derived again from `written` when the guards change.
  judged       text NOT NULL,                                           -- version of the guards
  topic        text CHECK (topic IN ('housing', 'land-use-zoning', 'public-safety', 'budget-finance', 'utilities', 'transportation',
                                     'parks-recreation', 'economic-development', 'homelessness', 'personnel-labor',
                                     'contracts-procurement', 'governance-procedural', 'other')),
  confidence   double precision CHECK (confidence BETWEEN 0 AND 1),     -- NULL if it was not measured
  summary      text,
  quote        text,                                                    -- words of the heading or title that decided the topic
  refused      text[] NOT NULL DEFAULT '{}'                             -- why parts of the answer are missing; classify.Reason
);

-- The answer that an item shows; NULL if there is no answer, or only an empty one.
ALTER TABLE council.item ADD COLUMN answer_id bigint REFERENCES council.answer;

-- +goose Up
--
-- What the town says of a member: members in council.yaml. An ingest replaces the rows if they have
-- changed. A name of several bodies has a row for each body.

CREATE TABLE council.member_office (
  body_id  bigint NOT NULL REFERENCES council.body ON DELETE CASCADE,
  name_key text NOT NULL,                             -- as in council.member_body
  office   text,                                      -- such as Mayor
  district text,
  since    integer,                                   -- first year in office
  until    integer,                                   -- last year in office
  PRIMARY KEY (body_id, name_key)
);

COMMENT ON TABLE council.member_office IS 'Office, district and years of members, as the town gives them.';

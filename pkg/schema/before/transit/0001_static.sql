-- +goose Up
--
-- The static half of the transit schema: feeds, their versions, and the GTFS rows of each version.
--
-- Reading: resolve the alias once (`feed.version_id`), then query every table with `WHERE
-- version_id = $1`. A live version never changes, so no answer can mix two imports. Every change
-- that a reader can see raises `feed.generation`, which is part of the keys of caches.
--
-- Writing: services/gtfs-import is the only writer. It copies a new version into separate tables
-- (`trip_42` for version 42), indexes and analyses these tables, and attaches them as partitions.
-- Then one short transaction sets `feed.version_id` and raises `feed.generation`. Retired versions
-- are detached, and dropped after a grace time. The partitioned parents declare the indexes below;
-- the import reads the declarations from the catalogue and builds the same indexes on its tables,
-- so only this file says what is indexed.
--
-- Conventions of the version tables:
--   * Cells are text, as in the feed, but trimmed; an empty cell is NULL. Columns have their GTFS
--     names, tables have singular names.
--   * `ord` is a dense rank from 0 in file order. Rows of a parent (routes of an agency, trips of a
--     route, directions of a route) have contiguous ranks in file order. The parent has the first
--     rank and the count, so page N of a list costs the same as page one:
--       WHERE version_id = $1 AND ord >= first + offset AND ord < first + least(offset + limit, count) ORDER BY ord
--   * Times of day are integers: seconds after noon minus 12 h of the service day. They may exceed
--     86400.
--   * Rows with dangling required references are omitted (the audit lists them), so joins lose no
--     rows.

CREATE SCHEMA IF NOT EXISTS transit;

CREATE TABLE transit.feed (
  feed_id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alias         text NOT NULL UNIQUE CHECK (alias ~ '^[A-Za-z0-9_-]{1,64}$'),
  name          text NOT NULL,
  url           text,                              -- address of the feed; NULL if the feed is only imported by hand
  encoding      text,                              -- encoding of cells that are not UTF-8; NULL means windows-1252
  version_id    integer,                           -- the live version; NULL until the first import is complete
  generation    bigint NOT NULL DEFAULT 0,         -- raised by every transaction that changes something a reader can see
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),  -- when generation was last raised
  removed_at    timestamptz,                       -- set by `feed remove`; the janitor then drops the versions and this row
  -- The result of the last check of the source, for the next conditional GET.
  checked_at    timestamptz,
  check_error   text,                              -- why the last check or import failed; NULL if it succeeded
  etag          text,
  last_modified text,
  seen_sha256   bytea                              -- hash of the bytes last read, imported or refused; equal bytes are not imported again
);

-- One row per import that could open its zip: the new version, or the reason why there is none.
CREATE TABLE transit.feed_version (
  version_id    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  feed_id       integer NOT NULL REFERENCES transit.feed ON DELETE CASCADE,
  state         text NOT NULL CHECK (state IN ('staging', 'live', 'retired', 'dropped', 'refused')),
  sha256        bytea NOT NULL,                    -- hash of the zip
  bytes         bigint NOT NULL,                   -- size of the zip
  source        text NOT NULL,                     -- requested path or URL, without credentials
  started_at    timestamptz NOT NULL DEFAULT now(),
  imported_at   timestamptz,                       -- when the version went live
  retired_at    timestamptz,                       -- when another version replaced this version
  time_zone     text,                              -- agency_timezone of the first agency, the zone of all dates
  first_day     date,                              -- first and last day of service of all services, including exceptions
  last_day      date,
  counts        jsonb NOT NULL DEFAULT '{}',       -- rows by version table: {"agency": 1, "route": 7, … "stop_time": n, "shape_point": n}
  reason        text,                              -- why the version was refused
  report        jsonb                              -- report of the import: numbers of read, added, changed, removed, unchanged and omitted rows per file; totals of the audit
);

CREATE INDEX feed_version_feed ON transit.feed_version (feed_id, version_id);

ALTER TABLE transit.feed ADD FOREIGN KEY (version_id) REFERENCES transit.feed_version;

-- Rows that an import left out, and cells that it emptied or repaired. For each code, only a fixed
-- number of lines is kept; the totals are in feed_version.report.
CREATE TABLE transit.audit_line (
  version_id    integer NOT NULL REFERENCES transit.feed_version ON DELETE CASCADE,
  n             integer NOT NULL,                  -- order of discovery
  code          text NOT NULL,                     -- the kind of finding: lower-case words with hyphens
  effect        text NOT NULL CHECK (effect IN ('row left out', 'cell emptied', 'cell changed', 'file skipped', 'noted')),
  file          text NOT NULL,
  line          integer,                           -- line of the file where the row begins, from 1; NULL means the whole file
  field         text,
  value         text,                              -- the wrong cell, shortened
  reason        text NOT NULL,                     -- a sentence for people
  PRIMARY KEY (version_id, n)
);

-- The stored zips of a feed in pieces of 1 MB; equal zips are stored once. The last two live zips
-- stay, so that a roll-back or a change of manual rows needs no network. Zips are already
-- compressed, so Postgres must not compress them again.
CREATE TABLE transit.feed_zip (
  feed_id       integer NOT NULL REFERENCES transit.feed ON DELETE CASCADE,
  sha256        bytea NOT NULL,
  n             integer NOT NULL,                  -- piece, from 0
  data          bytea NOT NULL,
  PRIMARY KEY (feed_id, sha256, n)
);

ALTER TABLE transit.feed_zip ALTER COLUMN data SET STORAGE EXTERNAL;

-- Rows that an operator adds to a feed, patches in it or hides from it. The import applies them
-- while it reads the rows of the zip, so every check and derivation applies to them too.
CREATE TABLE transit.manual_row (
  manual_id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  feed_id       integer NOT NULL REFERENCES transit.feed ON DELETE CASCADE,
  file          text NOT NULL,                     -- e.g. stops.txt
  key           jsonb NOT NULL,                    -- key columns of the row: {"stop_id": "S1"}
  op            text NOT NULL CHECK (op IN ('add', 'patch', 'hide')),
  cells         jsonb NOT NULL DEFAULT '{}',       -- add: all cells; patch: the replaced cells ("" empties a cell); hide: {}
  note          text,
  author        text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (feed_id, file, key)
);

-- ---------------------------------------------------------------------------------------------------------------
-- The files, one table each.

CREATE TABLE transit.agency (
  version_id      integer NOT NULL,
  ord             integer NOT NULL,
  agency_id       text NOT NULL,                   -- the feed's alias if the feed has no agency_id
  agency_name     text,
  agency_url      text,
  agency_timezone text,
  agency_lang     text,
  agency_phone    text,
  agency_fare_url text,
  agency_email    text,
  first_route     integer NOT NULL,                -- route.ord of its first route
  route_count     integer NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX agency_ord ON transit.agency (version_id, ord);
CREATE UNIQUE INDEX agency_key ON transit.agency (version_id, agency_id);

-- The routes of an agency have contiguous ranks.
CREATE TABLE transit.route (
  version_id          integer NOT NULL,
  ord                 integer NOT NULL,
  route_id            text NOT NULL,
  agency_id           text NOT NULL,               -- for a route without agency_id, the id of the only agency
  route_short_name    text,
  route_long_name     text,
  route_desc          text,
  route_type          text,
  route_url           text,
  route_color         text,                        -- six hexadecimal digits, as in the feed
  route_text_color    text,
  route_sort_order    text,
  continuous_pickup   text,
  continuous_drop_off text,
  network_id          text,
  extra               jsonb,                       -- columns that are not in the standard: {"as_route": "1"}; NULL if there are none
  first_trip          integer NOT NULL,            -- trip.ord of its first trip
  trip_count          integer NOT NULL,
  first_direction     integer NOT NULL,            -- route_direction.ord of its first direction
  direction_count     integer NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX route_ord ON transit.route (version_id, ord);
CREATE UNIQUE INDEX route_key ON transit.route (version_id, route_id);

CREATE TABLE transit.stop (
  version_id          integer NOT NULL,
  ord                 integer NOT NULL,
  stop_id             text NOT NULL,
  stop_code           text,
  stop_name           text,
  stop_desc           text,
  stop_lat            text,
  stop_lon            text,
  zone_id             text,
  stop_url            text,
  location_type       text,
  parent_station      text,
  stop_timezone       text,
  wheelchair_boarding text,
  platform_code       text,
  tts_stop_name       text,
  level_id            text,
  num                 bigint NOT NULL,             -- a whole number for the stop, unique in the version and below 2^53: the id if it is such a number, otherwise made from the id
  lat                 double precision,            -- stop_lat and stop_lon as numbers; either both are NULL or none
  lon                 double precision
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX stop_ord ON transit.stop (version_id, ord);
CREATE UNIQUE INDEX stop_key ON transit.stop (version_id, stop_id);
CREATE INDEX stop_parent ON transit.stop (version_id, parent_station) WHERE parent_station IS NOT NULL;
CREATE INDEX stop_code ON transit.stop (version_id, stop_code) WHERE stop_code IS NOT NULL;

-- The services of calendar.txt, followed by the services that are only in calendar_dates.txt.
CREATE TABLE transit.service (
  version_id  integer NOT NULL,
  ord         integer NOT NULL,
  service_id  text NOT NULL,
  monday      text NOT NULL,                       -- '1' or '0'; '0' for services that are only in calendar_dates.txt
  tuesday     text NOT NULL,
  wednesday   text NOT NULL,
  thursday    text NOT NULL,
  friday      text NOT NULL,
  saturday    text NOT NULL,
  sunday      text NOT NULL,
  start_date  date,                                -- from calendar.txt, otherwise the first date of its exceptions
  end_date    date,
  in_calendar boolean NOT NULL                     -- false if the service is only in calendar_dates.txt
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX service_ord ON transit.service (version_id, ord);
CREATE UNIQUE INDEX service_key ON transit.service (version_id, service_id);

-- calendar_dates.txt.
CREATE TABLE transit.service_date (
  version_id     integer NOT NULL,
  ord            integer NOT NULL,
  service_id     text NOT NULL,
  date           date NOT NULL,
  exception_type text NOT NULL                     -- '1' added, '2' removed
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX service_date_key ON transit.service_date (version_id, service_id, date);

-- The trips of a route have contiguous ranks. The calls of a trip are its pattern (all columns
-- except the times) and its profile (the times, relative to start_time).
CREATE TABLE transit.trip (
  version_id            integer NOT NULL,
  ord                   integer NOT NULL,
  pattern               integer,                   -- NULL if the trip has no stop times
  profile               integer,                   -- NULL if no call has a time
  start_time            integer,                   -- first departure of the trip (or arrival, if the call has no departure); times of the profile are relative to it
  trip_id               text NOT NULL,
  route_id              text NOT NULL,
  service_id            text NOT NULL,
  trip_headsign         text,
  trip_short_name       text,
  direction_id          text,                      -- '0', '1' or NULL; derived tables count NULL as '0'
  block_id              text,
  shape_id              text,
  wheelchair_accessible text,
  bikes_allowed         text
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX trip_ord ON transit.trip (version_id, ord);
CREATE UNIQUE INDEX trip_key ON transit.trip (version_id, trip_id);
CREATE INDEX trip_pattern ON transit.trip (version_id, pattern, ord);  -- finds the trips of a stop by its patterns

-- The calls of one or more trips, in order of stop_sequence, with all columns of stop_times.txt
-- except trip_id and the two times. Element n of each array belongs to call n. A NULL array means
-- that every cell is empty. An array after stop_id with only one element means that all calls have
-- that cell.
CREATE TABLE transit.pattern (
  version_id                   integer NOT NULL,
  pattern                      integer NOT NULL,   -- from 0
  trip_count                   integer NOT NULL,   -- number of trips with the pattern
  stop_sequence                integer[] NOT NULL,
  stop_id                      text[] NOT NULL,    -- an element is NULL for a call at a location group or zone, which has no stop
  stop_headsign                text[],
  pickup_type                  text[],
  drop_off_type                text[],
  continuous_pickup            text[],
  continuous_drop_off          text[],
  shape_dist_traveled          text[],
  timepoint                    text[],
  location_group_id            text[],
  start_pickup_drop_off_window text[],             -- HH:MM:SS
  end_pickup_drop_off_window   text[],             -- HH:MM:SS
  pickup_booking_rule_id       text[],
  drop_off_booking_rule_id     text[],
  digest                       bytea NOT NULL      -- hash of all arrays; equal patterns have equal digests in all versions
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX pattern_key ON transit.pattern (version_id, pattern);

-- Arrival and departure at each call, in seconds after the trip's start_time. An element is NULL if
-- its cell is empty.
CREATE TABLE transit.profile (
  version_id integer NOT NULL,
  profile    integer NOT NULL,                     -- from 0
  departures integer[] NOT NULL,
  arrivals   integer[],                            -- NULL if equal to departures
  digest     bytea NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX profile_key ON transit.profile (version_id, profile);

-- The shapes of shapes.txt, one row per shape. Each column has the unchanged cells of all points in
-- order of shape_pt_sequence, separated by commas.
CREATE TABLE transit.shape (
  version_id          integer NOT NULL,
  ord                 integer NOT NULL,
  shape_id            text NOT NULL,
  point_count         integer NOT NULL,
  shape_pt_lat        text NOT NULL,               -- '54.68,54.69,…'
  shape_pt_lon        text NOT NULL,
  shape_dist_traveled text,                        -- NULL if all cells are empty; a single empty cell has no text between its commas
  first_sequence      integer NOT NULL,            -- shape_pt_sequence of the first point
  sequence_step       integer,                     -- difference of shape_pt_sequence between points; NULL if the differences are not equal
  shape_pt_sequence   integer[],                   -- set only if the differences are not equal
  digest              bytea NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX shape_ord ON transit.shape (version_id, ord);
CREATE UNIQUE INDEX shape_key ON transit.shape (version_id, shape_id);

CREATE TABLE transit.frequency (
  version_id   integer NOT NULL,
  ord          integer NOT NULL,
  trip_id      text NOT NULL,
  start_time   integer NOT NULL,
  end_time     integer NOT NULL,
  headway_secs integer NOT NULL,                   -- greater than 0
  exact_times  text                                -- '0', '1' or NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX frequency_key ON transit.frequency (version_id, trip_id, start_time);

CREATE TABLE transit.feed_info (
  version_id          integer NOT NULL,
  ord                 integer NOT NULL,
  feed_publisher_name text,
  feed_publisher_url  text,
  feed_lang           text,
  default_lang        text,
  feed_start_date     date,
  feed_end_date       date,
  feed_version        text,
  feed_contact_email  text,
  feed_contact_url    text
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX feed_info_ord ON transit.feed_info (version_id, ord);

-- ---------------------------------------------------------------------------------------------------------------
-- Tables that the import derives from the files.

-- A direction of a route with trips: its name and its stops in service order. The directions of a
-- route have contiguous ranks. stop_id merges the orders of all trips: where the trips agree, it
-- has their order. A stop that one trip calls at twice, or that trips pass in contradictory orders,
-- is listed more than once.
CREATE TABLE transit.route_direction (
  version_id   integer NOT NULL,
  ord          integer NOT NULL,
  route_id     text NOT NULL,
  direction_id text NOT NULL,                      -- '0' or '1'
  direction    text NOT NULL,                      -- name of the direction
  trip_count   integer NOT NULL,
  stop_id      text[] NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX route_direction_ord ON transit.route_direction (version_id, ord);
CREATE UNIQUE INDEX route_direction_key ON transit.route_direction (version_id, route_id, direction_id);

-- The patterns of a direction of a route, those with the most trips first, and the position of each
-- call in the service order of the direction.
CREATE TABLE transit.route_pattern (
  version_id   integer NOT NULL,
  route_id     text NOT NULL,
  direction_id text NOT NULL,
  n            integer NOT NULL,                   -- from 0, most trips first
  pattern      integer NOT NULL,
  trip_count   integer NOT NULL,                   -- number of trips of this route and direction with the pattern
  rows         integer[] NOT NULL                  -- for each call, the index of its stop in route_direction.stop_id, from 0, ascending; NULL for a call without a stop
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX route_pattern_key ON transit.route_pattern (version_id, route_id, direction_id, n);

-- The calls at a stop: one row for each stop with calls. The row of a station includes its stops,
-- and the row of a stop includes its boarding areas. Element n of patterns, positions and trips
-- belongs to the same call; the order is by pattern, then by position. A pattern that calls twice
-- is listed twice. To read a page of the stop's trips at constant cost, sum the trips of distinct
-- patterns up to the offset, then read trip by (version_id, pattern, ord).
CREATE TABLE transit.stop_index (
  version_id integer NOT NULL,
  stop_id    text NOT NULL,
  directions integer[] NOT NULL,                   -- route_direction.ord, ascending
  patterns   integer[] NOT NULL,
  positions  integer[] NOT NULL,                   -- index of the call in the pattern's arrays, from 1
  trips      integer[] NOT NULL,                   -- number of trips with the pattern (pattern.trip_count)
  trip_count integer NOT NULL,                     -- number of trips that call here; each trip counts once
  call_count integer NOT NULL                      -- number of calls; a trip that calls twice counts twice
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX stop_index_key ON transit.stop_index (version_id, stop_id);

-- ---------------------------------------------------------------------------------------------------------------
-- Views for people who use psql: the live rows of every feed, with the columns of the GTFS files.
-- The services do not use the views.

-- hms formats seconds as a time: 90000 becomes '25:00:00'.
CREATE FUNCTION transit.hms(seconds integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN lpad((seconds / 3600)::text, greatest(2, length((seconds / 3600)::text)), '0')
      || to_char(seconds / 60 % 60, 'FM":"00') || to_char(seconds % 60, 'FM":"00');

CREATE VIEW transit.agencies AS
SELECT f.alias AS feed, a.agency_id, a.agency_name, a.agency_url, a.agency_timezone, a.agency_lang, a.agency_phone,
       a.agency_fare_url, a.agency_email
FROM transit.feed f JOIN transit.agency a USING (version_id);

CREATE VIEW transit.routes AS
SELECT f.alias AS feed, r.route_id, r.agency_id, r.route_short_name, r.route_long_name, r.route_desc, r.route_type, r.route_url,
       r.route_color, r.route_text_color, r.route_sort_order, r.continuous_pickup, r.continuous_drop_off, r.network_id, r.extra
FROM transit.feed f JOIN transit.route r USING (version_id);

CREATE VIEW transit.stops AS
SELECT f.alias AS feed, s.stop_id, s.stop_code, s.stop_name, s.stop_desc, s.stop_lat, s.stop_lon, s.zone_id, s.stop_url,
       s.location_type, s.parent_station, s.stop_timezone, s.wheelchair_boarding, s.platform_code, s.tts_stop_name, s.level_id
FROM transit.feed f JOIN transit.stop s USING (version_id);

CREATE VIEW transit.trips AS
SELECT f.alias AS feed, t.route_id, t.service_id, t.trip_id, t.trip_headsign, t.trip_short_name, t.direction_id, t.block_id,
       t.shape_id, t.wheelchair_accessible, t.bikes_allowed
FROM transit.feed f JOIN transit.trip t USING (version_id);

CREATE VIEW transit.calendar AS
SELECT f.alias AS feed, s.service_id, s.monday, s.tuesday, s.wednesday, s.thursday, s.friday, s.saturday, s.sunday,
       to_char(s.start_date, 'YYYYMMDD') AS start_date, to_char(s.end_date, 'YYYYMMDD') AS end_date
FROM transit.feed f JOIN transit.service s USING (version_id)
WHERE s.in_calendar;

CREATE VIEW transit.calendar_dates AS
SELECT f.alias AS feed, d.service_id, to_char(d.date, 'YYYYMMDD') AS date, d.exception_type
FROM transit.feed f JOIN transit.service_date d USING (version_id);

CREATE VIEW transit.stop_times AS
SELECT f.alias AS feed, t.trip_id,
       transit.hms(t.start_time + CASE WHEN pr.arrivals IS NULL THEN c.departure ELSE c.arrival END) AS arrival_time,
       transit.hms(t.start_time + c.departure) AS departure_time,
       c.stop_id, c.stop_sequence,
       CASE WHEN cardinality(p.stop_headsign) = 1 THEN p.stop_headsign[1] ELSE c.stop_headsign END AS stop_headsign,
       CASE WHEN cardinality(p.pickup_type) = 1 THEN p.pickup_type[1] ELSE c.pickup_type END AS pickup_type,
       CASE WHEN cardinality(p.drop_off_type) = 1 THEN p.drop_off_type[1] ELSE c.drop_off_type END AS drop_off_type,
       CASE WHEN cardinality(p.continuous_pickup) = 1 THEN p.continuous_pickup[1] ELSE c.continuous_pickup END AS continuous_pickup,
       CASE WHEN cardinality(p.continuous_drop_off) = 1 THEN p.continuous_drop_off[1] ELSE c.continuous_drop_off END AS continuous_drop_off,
       CASE WHEN cardinality(p.shape_dist_traveled) = 1 THEN p.shape_dist_traveled[1] ELSE c.shape_dist_traveled END AS shape_dist_traveled,
       CASE WHEN cardinality(p.timepoint) = 1 THEN p.timepoint[1] ELSE c.timepoint END AS timepoint,
       CASE WHEN cardinality(p.location_group_id) = 1 THEN p.location_group_id[1] ELSE c.location_group_id END AS location_group_id,
       CASE WHEN cardinality(p.start_pickup_drop_off_window) = 1 THEN p.start_pickup_drop_off_window[1] ELSE c.start_pickup_drop_off_window END AS start_pickup_drop_off_window,
       CASE WHEN cardinality(p.end_pickup_drop_off_window) = 1 THEN p.end_pickup_drop_off_window[1] ELSE c.end_pickup_drop_off_window END AS end_pickup_drop_off_window,
       CASE WHEN cardinality(p.pickup_booking_rule_id) = 1 THEN p.pickup_booking_rule_id[1] ELSE c.pickup_booking_rule_id END AS pickup_booking_rule_id,
       CASE WHEN cardinality(p.drop_off_booking_rule_id) = 1 THEN p.drop_off_booking_rule_id[1] ELSE c.drop_off_booking_rule_id END AS drop_off_booking_rule_id
FROM transit.feed f
JOIN transit.trip t USING (version_id)
JOIN transit.pattern p USING (version_id, pattern)
LEFT JOIN transit.profile pr USING (version_id, profile)
CROSS JOIN LATERAL unnest(p.stop_sequence, p.stop_id, pr.departures, pr.arrivals, p.stop_headsign, p.pickup_type, p.drop_off_type,
         p.continuous_pickup, p.continuous_drop_off, p.shape_dist_traveled, p.timepoint, p.location_group_id,
         p.start_pickup_drop_off_window, p.end_pickup_drop_off_window, p.pickup_booking_rule_id, p.drop_off_booking_rule_id)
       AS c (stop_sequence, stop_id, departure, arrival, stop_headsign, pickup_type, drop_off_type,
         continuous_pickup, continuous_drop_off, shape_dist_traveled, timepoint, location_group_id,
         start_pickup_drop_off_window, end_pickup_drop_off_window, pickup_booking_rule_id, drop_off_booking_rule_id);

CREATE VIEW transit.shapes AS
SELECT f.alias AS feed, s.shape_id, c.lat AS shape_pt_lat, c.lon AS shape_pt_lon,
       coalesce(c.sequence, s.first_sequence + (c.n::integer - 1) * s.sequence_step) AS shape_pt_sequence,
       c.dist AS shape_dist_traveled
FROM transit.feed f
JOIN transit.shape s USING (version_id)
CROSS JOIN LATERAL unnest(string_to_array(s.shape_pt_lat, ','), string_to_array(s.shape_pt_lon, ','), s.shape_pt_sequence,
         string_to_array(s.shape_dist_traveled, ',', '')) WITH ORDINALITY AS c (lat, lon, sequence, dist, n);

CREATE VIEW transit.frequencies AS
SELECT f.alias AS feed, q.trip_id, transit.hms(q.start_time) AS start_time, transit.hms(q.end_time) AS end_time,
       q.headway_secs, q.exact_times
FROM transit.feed f JOIN transit.frequency q USING (version_id);

-- The calls of patterns, one row per call.
CREATE VIEW transit.pattern_stops AS
SELECT f.alias AS feed, p.pattern, c.position, c.stop_sequence, c.stop_id, p.trip_count
FROM transit.feed f
JOIN transit.pattern p USING (version_id)
CROSS JOIN LATERAL unnest(p.stop_sequence, p.stop_id) WITH ORDINALITY AS c (stop_sequence, stop_id, position);

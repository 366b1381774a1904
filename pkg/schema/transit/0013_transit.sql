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
  seen_sha256   bytea,                              -- hash of the bytes last read, imported or refused; equal bytes are not imported again
  inner_name      text                             -- which of several feeds in the zip is imported: a zip in the zip, or a folder. NULL if there is one
);

-- One row per import that could open its zip: the new version, or the reason why there is none.
CREATE TABLE transit.feed_version (
  version_id    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  feed_id       integer NOT NULL REFERENCES transit.feed ON DELETE CASCADE,
  state         text NOT NULL CHECK (state IN ('staging', 'live', 'retired', 'dropped', 'refused', 'held')),
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
  report        jsonb,                              -- report of the import: numbers of read, added, changed, removed, unchanged and omitted rows per file; totals of the audit
  -- The days on which at least one trip runs, by the calendars with trips, including exceptions. NULL in
  -- versions that early programs imported. first_day and last_day are the ends of the range.
  runs_on       datemultirange,
  -- A number for the set of tables that the import filled. If the number of a version is smaller than
  -- the program's number, the next check imports the feed again.
  made          integer NOT NULL DEFAULT 1,
  live_from     timestamptz                      -- when a held version becomes live by itself; NULL if an operator must decide. reason says why it is held
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
  PRIMARY KEY (version_id, n),
  row_id     text,                                 -- value of the first key column of the file: stop_id, trip_id, …
  shape_id   text                                  -- the shape, if a finding about a stop or trip also concerns a shape
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
  digest                       bytea NOT NULL,      -- hash of all arrays; equal patterns have equal digests in all versions
  location_id    text[]                            -- a zone of locations.geojson, for calls in zones
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
       CASE WHEN cardinality(p.drop_off_booking_rule_id) = 1 THEN p.drop_off_booking_rule_id[1] ELSE c.drop_off_booking_rule_id END AS drop_off_booking_rule_id,
       CASE WHEN cardinality(p.location_id) = 1 THEN p.location_id[1] ELSE c.location_id END AS location_id
FROM transit.feed f
JOIN transit.trip t USING (version_id)
JOIN transit.pattern p USING (version_id, pattern)
LEFT JOIN transit.profile pr USING (version_id, profile)
CROSS JOIN LATERAL unnest(p.stop_sequence, p.stop_id, pr.departures, pr.arrivals, p.stop_headsign, p.pickup_type, p.drop_off_type,
         p.continuous_pickup, p.continuous_drop_off, p.shape_dist_traveled, p.timepoint, p.location_group_id,
         p.start_pickup_drop_off_window, p.end_pickup_drop_off_window, p.pickup_booking_rule_id, p.drop_off_booking_rule_id, p.location_id)
       AS c (stop_sequence, stop_id, departure, arrival, stop_headsign, pickup_type, drop_off_type,
         continuous_pickup, continuous_drop_off, shape_dist_traveled, timepoint, location_group_id,
         start_pickup_drop_off_window, end_pickup_drop_off_window, pickup_booking_rule_id, drop_off_booking_rule_id, location_id);

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

-- The live half of the transit schema: realtime sources and the snapshots fetched from them.
--
-- services/rt-poller is the only writer. The APIs read `source` to notice a new snapshot, and then
-- read `snapshot`. A broken, empty, older or HTML answer never becomes a snapshot: it is counted in
-- `source`, and the last good snapshot stays.

-- One row per realtime source of transit.yaml: the settings that readers need, and the results of
-- polls. The row is also a lock: of several pollers, only the one that moves next_poll_at from the
-- past into the future polls.
CREATE TABLE transit.source (
  alias            text NOT NULL,                  -- alias of the feed that the source belongs to
  source           text NOT NULL,                  -- kind, and position in the configuration of the feed: 'trip_updates/0'
  kind             text NOT NULL CHECK (kind IN ('trip_updates', 'vehicle_positions', 'alerts', 'mixed')),
  stale_after      interval NOT NULL,              -- age from which a reader requests a refresh
  min_interval     interval NOT NULL,
  next_poll_at     timestamptz NOT NULL DEFAULT '-infinity',  -- earliest time of the next poll, after min_interval, Retry-After or back-off
  polled_at        timestamptz,                    -- time of the last attempt, good or not
  fetched_at       timestamptz,                    -- time of the last good answer, even if unchanged; meta.last_fetched in the API
  snapshot_id      bigint,                         -- the snapshot to serve; NULL if there is none yet
  etag             text,
  last_modified    text,
  polls            bigint NOT NULL DEFAULT 0,      -- number of all attempts, and so the number of the last attempt
  settled          bigint NOT NULL DEFAULT 0,      -- number of the attempt with the current result; a slow attempt never replaces the result of a later attempt
  failures         integer NOT NULL DEFAULT 0,     -- number of failures since the last good answer
  failures_ever    bigint NOT NULL DEFAULT 0,
  error            text,                           -- what was wrong with the last answer; NULL if it was good
  PRIMARY KEY (alias, source),
  address        bytea,                            -- SHA-256 of the URL, because the URL may contain a key; NULL if not known yet
  named_at       timestamptz NOT NULL DEFAULT now() -- when a poller last renewed the row with its current settings; '-infinity' means that no poller needs the row
);

COMMENT ON TABLE transit.source IS 'One row per realtime source: settings, state of polling, and which snapshot to serve.';

-- The last good answers, as fetched.
CREATE TABLE transit.snapshot (
  snapshot_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alias            text NOT NULL,
  source           text NOT NULL,
  fetched_at       timestamptz NOT NULL,
  header_timestamp bigint NOT NULL,                -- FeedHeader.timestamp in Unix seconds; 0 if the feed has none
  trip_updates     integer NOT NULL,
  vehicles         integer NOT NULL,
  alerts           integer NOT NULL,
  sha256           bytea NOT NULL,
  data             bytea NOT NULL,                 -- the protobuf message
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

-- Compressing a message that is replaced in seconds costs more than it saves.
ALTER TABLE transit.snapshot ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE INDEX snapshot_source ON transit.snapshot (alias, source, snapshot_id);

COMMENT ON TABLE transit.snapshot IS 'The last good answers of each realtime source, as fetched.';

-- Data of operators: annotations for riders, and keys for clients.
--
-- The townline command is the only writer. The APIs read both tables completely and keep them in
-- memory; one index look-up of `changed` shows whether the tables have changed. Writers lock the
-- table (SHARE ROW EXCLUSIVE), so that a lower number never becomes visible after a higher number.

CREATE SEQUENCE transit.operator_change;

-- Messages about entities, and redirections of predictions. Entities have the ids of the static
-- feed. There are no foreign keys to the rows of the feed, so annotations survive every import.
CREATE TABLE transit.annotation (
  annotation_id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  annotation_type       text NOT NULL CHECK (annotation_type IN ('comment', 'override')),
  alias                 text,                      -- the feed of the entity; NULL means any feed
  entity_type           text NOT NULL CHECK (entity_type IN ('stops', 'routes', 'trips', 'agency')),
  entity_id             text NOT NULL,
  secondary_entity_type text CHECK (secondary_entity_type IN ('stops', 'routes', 'trips', 'agency')),
  secondary_entity_id   text,                      -- restricts the annotation, such as to one route at one stop
  body                  text NOT NULL DEFAULT '' CHECK (octet_length(body) <= 16384),
  format                text NOT NULL DEFAULT 'markdown' CHECK (format IN ('markdown', 'html')),  -- format of body
  override_entity_id    text,                      -- the entity of the same type that replaces this entity
  time_zone             text NOT NULL,             -- time zone of the times below
  starts_at             timestamp,                 -- NULL means no start
  ends_at               timestamp,                 -- the first moment at which the annotation is no longer shown; NULL means no end
  hours                 int4multirange,            -- minutes of the local week, from Monday 00:00, at which the annotation is shown; NULL means always
  author                text,
  created_at            timestamptz NOT NULL DEFAULT now(),
  changed               bigint NOT NULL DEFAULT nextval('transit.operator_change'),
  CHECK ((annotation_type = 'override') = (override_entity_id IS NOT NULL)),
  CHECK ((secondary_entity_type IS NULL) = (secondary_entity_id IS NULL)),
  CHECK (starts_at < ends_at)
);

CREATE INDEX annotation_changed ON transit.annotation (changed);

COMMENT ON TABLE transit.annotation IS 'Messages about entities for riders, and redirections of predictions.';

-- Credentials of clients. A key is shown only once, when it is made. Only its hash is stored; a
-- plain hash is enough, because a key is a random number too large to guess.
CREATE TABLE transit.api_key (
  key_id        text PRIMARY KEY,                  -- the part of the key that is not secret
  name          text NOT NULL,
  role          text NOT NULL,                     -- name of a role in transit.yaml
  hash          bytea NOT NULL CHECK (length(hash) = 32),  -- SHA-256 of the key
  requests      integer CHECK (requests > 0),      -- largest number of requests in per_seconds; NULL means the number that transit.yaml sets for all keys
  per_seconds   integer CHECK (per_seconds > 0),   -- length of the period for requests
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  changed       bigint NOT NULL DEFAULT nextval('transit.operator_change'),
  CHECK ((requests IS NULL) = (per_seconds IS NULL))
);

CREATE UNIQUE INDEX api_key_name ON transit.api_key (name) WHERE revoked_at IS NULL;
CREATE INDEX api_key_changed ON transit.api_key (changed);

COMMENT ON TABLE transit.api_key IS 'Credentials of API clients, as hashes.';

-- A realtime source is identified by its kind and its position in transit.yaml. If that position
-- gets another address, data from the old address must not be served, or be compared with new data.

COMMENT ON COLUMN transit.source.address IS 'SHA-256 of the URL that the snapshots are of.';

-- The running imports, and the days on which each feed runs.

-- One row per feed on which a process works, with the state of the work. The row is also a claim,
-- so that two replicas do not fetch the same zip. The process renews its row every second. If a row
-- was not renewed for five seconds, its process has died, and another process takes the row over.
-- If the first process was only slow, its import fails in the last transaction, because the feed
-- has changed.
CREATE TABLE transit.feed_work (
  alias     text PRIMARY KEY,                      -- the feed, which may have no row yet
  claim     uuid NOT NULL,                         -- random, new for each import
  state     text NOT NULL CHECK (state IN ('waiting', 'fetching', 'importing')),
  since     timestamptz NOT NULL DEFAULT now(),    -- begin of this state
  seen_at   timestamptz NOT NULL DEFAULT now()     -- when the row was last renewed
);

-- Several pollers share the rows of transit.source; during a roll-out they have two versions of the
-- configuration. Each poller renews the rows of its configuration. A row is dropped, or gets other
-- settings, only if no poller has renewed it for a while. So a row that was deleted by mistake
-- comes back, and two configurations do not keep taking rows from each other.

COMMENT ON COLUMN transit.source.named_at IS 'When a poller last said that its configuration has this source with these settings.';

-- Tables for pages: the feed's texts in other languages, and the screens that are in use.

-- The rows of translations.txt. A translation is for one record (record_id, and record_sub_id for a
-- call), or for all cells with the same text (field_value).
CREATE TABLE transit.translation (
  version_id    integer NOT NULL,
  ord           integer NOT NULL,
  table_name    text NOT NULL,                     -- name of the file without .txt: stops, routes, trips, stop_times …
  field_name    text NOT NULL,
  language      text NOT NULL,                     -- BCP 47
  translation   text NOT NULL,
  record_id     text,
  record_sub_id text,
  field_value   text
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX translation_ord ON transit.translation (version_id, ord);

COMMENT ON TABLE transit.translation IS 'Texts of a feed in other languages.';

CREATE VIEW transit.translations AS
SELECT f.alias AS feed, x.table_name, x.field_name, x.language, x.translation, x.record_id, x.record_sub_id, x.field_value
FROM transit.feed f JOIN transit.translation x USING (version_id);

-- The last request of each named screen of transit.yaml to a transit API. Each API reports the
-- requests about once a minute, and rt-poller writes them. Nothing about the client is stored. A
-- screen without requests keeps its row for 90 days.
CREATE TABLE transit.screen (
  name     text NOT NULL CHECK (name ~ '^[A-Za-z0-9_-]{1,64}$'),
  form     text NOT NULL CHECK (form IN ('page', 'rows', 'picture')),  -- what the screen requested: the whole page, only its rows, or a picture of the page
  seen_at  timestamptz NOT NULL,
  build    text NOT NULL,                          -- version of the program and of the screen in the answer
  PRIMARY KEY (name, form)
);

COMMENT ON TABLE transit.screen IS 'When each named screen last asked for what.';

-- Files of a feed without a table of their own, which are stored unchanged, and the whole feed as a
-- zip for download.

-- The files of a version in the order of the zip, followed by the files that have only manual rows.
CREATE TABLE transit.file (
  version_id integer NOT NULL,
  ord        integer NOT NULL,
  file       text NOT NULL,                        -- name in lower case, without its folder: transfers.txt
  bytes      bigint NOT NULL,                      -- uncompressed size; 0 if the file has only manual rows
  columns    text[],                               -- columns of the header, then columns of manual rows; NULL if the file is not a table
  row_count  integer                               -- number of rows in file_row; NULL if the rows are not there
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX file_ord ON transit.file (version_id, ord);
CREATE UNIQUE INDEX file_key ON transit.file (version_id, file);

COMMENT ON TABLE transit.file IS 'The files of each version.';

-- The rows of files that are served unchanged: files of the standard from which nothing is derived,
-- and files that are not in the standard. Cells are trimmed and in the order of file.columns; an
-- empty cell is NULL. Each feature of locations.geojson is a row with one cell.
CREATE TABLE transit.file_row (
  version_id integer NOT NULL,
  file       integer NOT NULL,                     -- file.ord
  ord        integer NOT NULL,                     -- from 0
  cells      text[] NOT NULL
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX file_row_ord ON transit.file_row (version_id, file, ord);

COMMENT ON TABLE transit.file_row IS 'Rows of files that are served as they are.';

-- {"from_stop_id": "A", …}: SELECT cells ->> 'from_stop_id' FROM transit.file_rows WHERE feed =
-- 'metro' AND file = 'transfers.txt'.
CREATE VIEW transit.file_rows AS
SELECT f.alias AS feed, x.file, r.ord, jsonb_object(x.columns, r.cells) AS cells
FROM transit.feed f JOIN transit.file x USING (version_id) JOIN transit.file_row r ON r.version_id = x.version_id AND r.file = x.ord;

-- The pieces of the zip of the served feed, in order. An unchanged file is a range of bytes of the
-- stored zip. Files that the import or manual rows have changed, and the list of entries, are
-- stored here, in pieces of at most 1 MB.
CREATE TABLE transit.export_piece (
  version_id integer NOT NULL,
  at         bigint NOT NULL,                      -- offset of the piece
  bytes      bigint NOT NULL,
  zip_at     bigint,                               -- offset of the bytes in the stored zip (feed_zip); NULL if data has the bytes
  data       bytea
) PARTITION BY LIST (version_id);
CREATE UNIQUE INDEX export_piece_at ON transit.export_piece (version_id, at);

COMMENT ON TABLE transit.export_piece IS 'The zip of each version as it is served.';

-- Errors in the messages of realtime sources, found by the rules of gtfs-realtime-validator.
-- services/rt-poller is the only writer; the APIs read the tables.

-- The result of the last check of each source.
CREATE TABLE transit.judgement (
  alias     text NOT NULL,
  source    text NOT NULL,
  poll      bigint NOT NULL,                       -- source.polls of the message; the result of a slow check never replaces a later result
  judged_at timestamptz NOT NULL,
  matches   jsonb,                                 -- how many ids of the message the static feed has: {"trips": {"found": 1, "of": 2}, …}; NULL without a static feed
  findings  jsonb NOT NULL,                        -- [{"code": "E003", "count": 1, "since": "…", "examples": [{"entity_id": "…", …}]}, …]
  PRIMARY KEY (alias, source),
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

COMMENT ON TABLE transit.judgement IS 'The last judgement of each realtime source.';

-- The number of messages that broke each rule, by minute. Rows are kept for a day.
CREATE TABLE transit.judgement_count (
  alias    text NOT NULL,
  source   text NOT NULL,
  minute   timestamptz NOT NULL,
  code     text NOT NULL,                          -- '' counts all checked messages
  messages integer NOT NULL,
  findings bigint NOT NULL,                        -- number of findings in these messages
  PRIMARY KEY (alias, source, minute, code),
  FOREIGN KEY (alias, source) REFERENCES transit.source ON DELETE CASCADE
);

COMMENT ON TABLE transit.judgement_count IS 'Messages of realtime sources by broken rule and minute.';

-- Versions that are held: they were read, but are not live. Their zip stays in feed_zip, and they
-- have no tables: when a held version becomes live, it is imported again, with the manual rows of
-- that day.

CREATE UNIQUE INDEX feed_version_held ON transit.feed_version (feed_id) WHERE state = 'held';  -- the latest one replaces an earlier one

-- What really ran: when vehicles were at the stops of their trips, for feeds with `observe: true`.
-- services/rt-poller is the only writer; the APIs read the tables.
--
-- Times of a stop are seconds after noon minus 12 h of the service day, as in the timetable.

-- One row per observed feed: which poller writes, and how far it is. A poller takes the row over if
-- it was not renewed for some seconds.
CREATE TABLE transit.observer (
  alias       text PRIMARY KEY,
  holder      text NOT NULL,                       -- random, new for each process
  since       timestamptz NOT NULL DEFAULT now(),  -- when observing began
  renewed_at  timestamptz NOT NULL DEFAULT now(),
  sources     jsonb NOT NULL DEFAULT '{}',         -- Unix time of the last message of each source: {"vehicle_positions/0": 1764306000}
  message_at  timestamptz,                         -- time of the latest message, by its header
  received_at timestamptz,                         -- when that message was observed
  messages    bigint NOT NULL DEFAULT 0,
  visits      bigint NOT NULL DEFAULT 0,           -- number of visits ever seen
  visit_at    timestamptz,                         -- when a visit was last seen
  vehicles    integer NOT NULL DEFAULT 0,          -- vehicles of the last message with vehicles
  placed      integer NOT NULL DEFAULT 0           -- those that name a stop or a stop_sequence
);

COMMENT ON TABLE transit.observer IS 'One row per observed feed: the poller that writes, and how far it is.';

-- The stops of the trips of a service day: those at which a vehicle was seen, and those of trips that
-- are over at which none was.
CREATE TABLE transit.stop_visit (
  service_date        date NOT NULL,
  start_time          integer NOT NULL,            -- second of the service day at which the run starts, if its trip runs several times a day or was added; otherwise -1
  stop_sequence       integer NOT NULL,            -- as in the timetable; for other trips as published, or counted from 1
  scheduled_arrival   integer,                     -- of the timetable that was live at the time; NULL if it has none
  scheduled_departure integer,
  arrival             integer,                     -- NULL if unknown, and at the first stop
  departure           integer,                     -- NULL if unknown
  arrival_within      smallint,                    -- uncertainty of arrival, in seconds
  departure_within    smallint,
  seen                "char" NOT NULL CHECK (seen IN ('s', 'p', 'e', 'k', 'c', 'u', 'n')),  -- visits: s stopped, p passed, e predicted; no visits: k skipped, c cancelled, u unseen, n no messages
  kind                "char" NOT NULL CHECK (kind IN ('s', 'a', 'x')),   -- s scheduled, a added, x not in the timetable
  place               "char" NOT NULL CHECK (place IN ('f', 'm', 'l')),  -- first, middle or last stop of the trip
  timepoint           boolean NOT NULL,
  counted             boolean NOT NULL,            -- predictions of the stop are counted in performance_day.accuracy
  alias               text NOT NULL,
  trip_id             text NOT NULL,
  route_id            text NOT NULL,               -- '' if unknown
  direction_id        text NOT NULL,               -- '0', '1' or ''
  stop_id             text NOT NULL,               -- '' if unknown
  vehicle_id          text NOT NULL,               -- '' if unknown
  PRIMARY KEY (alias, trip_id, service_date, start_time, stop_sequence)
) PARTITION BY LIST (service_date);

COMMENT ON TABLE transit.stop_visit IS 'Stops of trips of a service day, with what was seen of them.';

-- What a service day adds up to: for each route, and for each stop and hour of a route.
CREATE TABLE transit.performance_day (
  alias             text NOT NULL,
  service_date      date NOT NULL,
  route_id          text NOT NULL,
  stop_id           text NOT NULL,                 -- '' for all stops
  hour              smallint NOT NULL,             -- hour of the service day; -1 for all hours
  trips_scheduled   integer NOT NULL DEFAULT 0,    -- scheduled = ran + cancelled + unseen + unknown
  trips_ran         integer NOT NULL DEFAULT 0,
  trips_cancelled   integer NOT NULL DEFAULT 0,
  trips_unseen      integer NOT NULL DEFAULT 0,
  trips_unknown     integer NOT NULL DEFAULT 0,
  trips_added       integer NOT NULL DEFAULT 0,
  trips_unmatched   integer NOT NULL DEFAULT 0,    -- not in the timetable, and not ADDED
  stops_stopped     integer NOT NULL DEFAULT 0,
  stops_passed      integer NOT NULL DEFAULT 0,
  stops_predicted   integer NOT NULL DEFAULT 0,
  stops_skipped     integer NOT NULL DEFAULT 0,
  stops_cancelled   integer NOT NULL DEFAULT 0,
  stops_unseen      integer NOT NULL DEFAULT 0,
  stops_unknown     integer NOT NULL DEFAULT 0,
  delays            bytea NOT NULL DEFAULT '',     -- number of visits by delay; see pkg/performance
  timepoint_delays  bytea NOT NULL DEFAULT '',
  headways          integer NOT NULL DEFAULT 0,    -- headways of frequent service
  headways_bunched  integer NOT NULL DEFAULT 0,
  headway_seconds   bigint NOT NULL DEFAULT 0,     -- sum
  headway_squares   bigint NOT NULL DEFAULT 0,     -- sum of the squares
  planned_headways  integer NOT NULL DEFAULT 0,
  planned_seconds   bigint NOT NULL DEFAULT 0,
  planned_squares   bigint NOT NULL DEFAULT 0,
  accuracy          bigint[],                      -- for each horizon: predictions, accurate ones, sum of the errors and of their squares; NULL except for whole routes
  updated_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (alias, service_date, route_id, stop_id, hour)
);

CREATE INDEX performance_day_route ON transit.performance_day (alias, service_date) WHERE stop_id = '' AND hour = -1;

COMMENT ON TABLE transit.performance_day IS 'Figures of a service day by route, stop and hour.';

-- The observed service days of a feed.
CREATE TABLE transit.observed_day (
  alias        text NOT NULL,
  service_date date NOT NULL,
  settled_to   integer NOT NULL DEFAULT -86400,    -- trips that end at or before this second of the day have rows in stop_visit
  written_at   timestamptz NOT NULL DEFAULT now(), -- when a row of the day was last written; days are kept from then on
  added_up_at  timestamptz,                        -- when performance_day was last computed
  PRIMARY KEY (alias, service_date)
);

-- Times without messages of a source, from which nothing was inferred.
CREATE TABLE transit.observation_gap (
  alias   text NOT NULL,
  source  text NOT NULL,
  from_at timestamptz NOT NULL,                    -- time of the last message before; '-infinity' before observing began
  to_at   timestamptz NOT NULL,                    -- time of the first message after
  reason  text NOT NULL CHECK (reason IN ('silent', 'lost', 'started')),
  PRIMARY KEY (alias, source, to_at)
);

COMMENT ON TABLE transit.observation_gap IS 'Times without messages of an observed source.';

-- rt-poller may add and drop the days of stop_visit although it does not own the table.

-- +goose StatementBegin
CREATE FUNCTION transit.add_visit_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name text := 'stop_visit_' || to_char(day, 'YYYYMMDD');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('transit.stop_visit'));
  IF to_regclass('transit.' || name) IS NULL THEN
    -- Creating it as a partition would lock out readers of all days.
    EXECUTE format('CREATE TABLE transit.%I (LIKE transit.stop_visit INCLUDING ALL)', name);
    EXECUTE format('ALTER TABLE transit.stop_visit ATTACH PARTITION transit.%I FOR VALUES IN (%L)', name, day);
  END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION transit.drop_visit_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS transit.%I', 'stop_visit_' || to_char(day, 'YYYYMMDD'));
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION transit.add_visit_day(date), transit.drop_visit_day(date) FROM PUBLIC;

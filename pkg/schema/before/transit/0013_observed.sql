-- +goose Up
--
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

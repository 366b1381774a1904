-- A synthetic feed with difficult cases, as an import would store it: version 1 is retired and empty, version 2 is live.
-- Route R/1 goes A, B, C, D with a branch to E; it has trips before and after midnight. The loop calls at A twice.
INSERT INTO transit.feed (alias, name, generation, updated_at)
VALUES ('metro', 'Metro & Co', 7, '2026-03-01T10:00:00Z'), ('soon', 'Not imported yet', 0, '2026-03-01T10:00:00Z'), ('gone', 'Removed', 3, '2026-03-01T10:00:00Z');

INSERT INTO transit.feed_version (feed_id, state, sha256, bytes, source, imported_at, time_zone, first_day, last_day, counts)
VALUES (1, 'retired', '\x01', 10, 'a.zip', '2026-02-01T10:00:00Z', 'UTC', NULL, NULL, '{}'),
       (1, 'live', '\xabcd', 10, 'b.zip', '2026-03-01T10:00:00Z', 'America/New_York', '2026-03-02', '2026-12-25',
        '{"agency": 2, "route": 4, "stop": 9, "service": 3, "service_date": 3, "trip": 9, "stop_time": 27, "shape": 2, "shape_point": 5, "frequency": 1}'),
       (3, 'live', '\x02', 10, 'c.zip', '2026-03-01T10:00:00Z', 'UTC', NULL, NULL, '{}');
UPDATE transit.feed SET version_id = feed_id + 1 - CASE feed_id WHEN 3 THEN 1 ELSE 0 END WHERE alias <> 'soon';
UPDATE transit.feed SET removed_at = now() WHERE alias = 'gone';

-- Version 2 has a partition of every table. Version 1, which some tests make live, has only one of agency, because more
-- partitions would slow every test.
DO $$
DECLARE parent regclass;
BEGIN
  FOR parent IN SELECT partrelid::regclass FROM pg_partitioned_table JOIN pg_class ON pg_class.oid = partrelid
                WHERE relnamespace = 'transit'::regnamespace AND pg_get_partkeydef(partrelid) = 'LIST (version_id)' LOOP
    EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES IN (2)', parent::text || '_2', parent);
  END LOOP;
END $$;
CREATE TABLE transit.agency_1 PARTITION OF transit.agency FOR VALUES IN (1);

UPDATE transit.feed_version SET report = '{"files": [{"file": "stops.txt", "bytes": 90, "read": 10, "used": true, "added": 1, "unchanged": 8, "left_out": 1}, {"file": "notes.txt", "read": 3}],
  "findings": [{"code": "unexpected_enum_value", "effect": "noted", "file": "stops.txt", "count": 1, "reason": "?"},
               {"code": "duplicate_key", "effect": "row left out", "file": "stops.txt", "count": 1, "reason": "?"},
               {"code": "foreign_key_violation", "effect": "row left out", "file": "stop_times.txt", "count": 7, "reason": "?"},
               {"code": "foreign_key_violation", "effect": "cell emptied", "file": "trips.txt", "count": 1, "reason": "?"},
               {"code": "of-old", "effect": "row left out", "file": "trips.txt", "count": 1, "reason": "What an older release said"}]}' WHERE version_id = 2;
INSERT INTO transit.audit_line (version_id, n, code, effect, file, line, field, value, reason)
SELECT 2, n, 'foreign_key_violation', 'row left out', 'stop_times.txt', n + 2, 'trip_id', 'T' || n, '?' FROM generate_series(0, 6) n UNION ALL VALUES
  (2, 7, 'duplicate_key', 'row left out', 'stops.txt', 11, 'stop_id', 'C', '?'), (2, 8, 'foreign_key_violation', 'cell emptied', 'trips.txt', 3, 'shape_id', '<b>"é', '?'),
  (2, 9, 'unexpected_enum_value', 'noted', 'stops.txt', 4, 'location_type', '9', '?'), (2, 10, 'of-old', 'row left out', 'trips.txt', NULL, NULL, NULL, '?');

INSERT INTO transit.feed_info (version_id, ord, feed_publisher_name, feed_publisher_url, feed_lang, feed_start_date, feed_version)
VALUES (2, 0, 'Metro', 'https://metro.example', 'en', '2026-03-02', 'spring');

INSERT INTO transit.agency (version_id, ord, agency_id, agency_name, agency_url, agency_timezone, agency_lang, first_route, route_count)
VALUES (2, 0, 'M T', 'Metro Transit', 'https://metro.example', 'America/New_York', 'en', 0, 3),
       (2, 1, 'ferry', NULL, NULL, NULL, NULL, 3, 1);

INSERT INTO transit.route (version_id, ord, route_id, agency_id, route_short_name, route_long_name, route_type, route_color, extra,
                           first_trip, trip_count, first_direction, direction_count)
VALUES (2, 0, 'R/1', 'M T', '1', 'Harbor <Line>', '3', 'FF0000', '{"as_route": "1", "label": "hidden", "empty": null}', 0, 4, 0, 2),
       (2, 1, 'loop', 'M T', NULL, 'Loop', '3', NULL, NULL, 4, 3, 2, 1),
       (2, 2, 'idle', 'M T', NULL, NULL, NULL, NULL, NULL, 7, 0, 3, 0),
       (2, 3, 'F', 'ferry', 'F', NULL, '4', NULL, NULL, 7, 2, 3, 1);

INSERT INTO transit.stop (version_id, ord, stop_id, stop_code, stop_name, stop_lat, stop_lon, location_type, parent_station, wheelchair_boarding, num, lat, lon)
VALUES (2, 0, '100', 'A', 'Alder', '54.680', '-25.10', NULL, NULL, '1', 100, 54.68, -25.10),
       (2, 1, 'B 50%/x', 'B', 'Birch ü', '54.69', '-25.2', NULL, NULL, NULL, 9007199254740001, 54.69, -25.2),
       (2, 2, 'C', NULL, 'Cedar', '54.70', '-25.30', NULL, NULL, NULL, 11, 54.70, -25.30),
       (2, 3, 'D', NULL, NULL, '54.71', '-25.40', NULL, NULL, NULL, 12, 54.71, -25.40),
       (2, 4, 'E', NULL, 'Elm', '54.72', '-25.50', NULL, NULL, NULL, 13, 54.72, -25.50),
       (2, 5, 'S', NULL, 'Station', '54.73', '-25.60', '1', NULL, NULL, 14, 54.73, -25.60),
       (2, 6, 'S1', NULL, 'Station platform 1', '54.731', '-25.601', '0', 'S', NULL, 15, 54.731, -25.601),
       (2, 7, 'S2', NULL, 'Station platform 2', '54.732', '-25.602', '0', 'S', NULL, 16, 54.732, -25.602),
       (2, 8, 'lost', NULL, 'No coordinates', NULL, NULL, NULL, NULL, NULL, 17, NULL, NULL);

INSERT INTO transit.service (version_id, ord, service_id, monday, tuesday, wednesday, thursday, friday, saturday, sunday, start_date, end_date, in_calendar)
VALUES (2, 0, 'wk', '1', '1', '1', '1', '1', '0', '0', '2026-03-02', '2026-12-18', true),
       (2, 1, 'none/0', '0', '0', '0', '0', '0', '1', '1', '2026-03-02', '2026-12-18', true),
       (2, 2, 'xmas', '0', '0', '0', '0', '0', '0', '0', '2026-12-24', '2026-12-25', false);
INSERT INTO transit.service_date (version_id, ord, service_id, date, exception_type)
VALUES (2, 0, 'wk', '2026-07-03', '2'), (2, 1, 'xmas', '2026-12-25', '1'), (2, 2, 'xmas', '2026-12-24', '1');

INSERT INTO transit.pattern (version_id, pattern, trip_count, stop_sequence, stop_id, stop_headsign, pickup_type, shape_dist_traveled, timepoint,
                             location_group_id, start_pickup_drop_off_window, end_pickup_drop_off_window, digest)
VALUES -- 0: A, B, C, D; B and C have no time in profile 0
       (2, 0, 2, '{1,2,3,4}', '{100,"B 50%/x",C,D}', '{Harbor}', '{0,0,0,1}', '{0,1,9,10}', '{1,0,0,1}', NULL, NULL, NULL, '\x00'),
       -- 1: A, B, E
       (2, 1, 1, '{5,10,15}', '{100,"B 50%/x",E}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x01'),
       -- 2: D, C, B, A
       (2, 2, 1, '{1,2,3,4}', '{D,C,"B 50%/x",100}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x02'),
       -- 3: the loop: A, C, E, A
       (2, 3, 2, '{1,2,3,4}', '{100,C,E,100}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '\x03'),
       -- 4: a ferry from platform to platform, with a zone on the way
       (2, 4, 2, '{0,7,9}', '{S1,NULL,S2}', NULL, '{NULL,2,NULL}', NULL, NULL, '{NULL,zone,NULL}', '{NULL,06:00:00,NULL}', '{NULL,07:00:00,NULL}', '\x04');
UPDATE transit.pattern SET location_id = '{NULL,bay,NULL}' WHERE version_id = 2 AND pattern = 4;
INSERT INTO transit.profile (version_id, profile, departures, arrivals, digest)
VALUES (2, 0, '{0,NULL,NULL,1000}', NULL, '\x00'),
       (2, 1, '{0,60,120}', '{-30,50,120}', '\x01'),
       (2, 2, '{0,100,200,300}', NULL, '\x02'),
       (2, 3, '{0,NULL,1800}', NULL, '\x03');

INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id, trip_headsign, trip_short_name, direction_id, block_id, shape_id)
VALUES (2, 0, 0, 0, 86000, 'late', 'R/1', 'wk', 'Dock', NULL, '0', 'b1', 'sh 1'),      -- over midnight
       (2, 1, 0, 0, 21900, 'early', 'R/1', 'wk', 'Dock', NULL, '0', 'b1', 'sh 1'),     -- 6:05
       (2, 2, 1, 1, 43200, 'branch/é', 'R/1', 'wk', NULL, '77', NULL, NULL, NULL),   -- no direction, no shape
       (2, 3, 2, 2, 30000, 'back', 'R/1', 'wk', NULL, NULL, '1', NULL, 'sh/2'),
       (2, 4, 3, 2, 21600, 'l1', 'loop', 'wk', NULL, NULL, NULL, NULL, NULL),
       (2, 5, 3, 2, 0, 'every', 'loop', 'wk', 'Round', NULL, NULL, NULL, NULL),       -- by frequency
       (2, 6, NULL, NULL, NULL, 'empty', 'loop', 'wk', NULL, NULL, NULL, NULL, NULL), -- no calls
       (2, 7, 4, 3, 21600, 'f1', 'F', 'xmas', 'Over', NULL, '1', NULL, NULL),
       (2, 8, 4, NULL, NULL, 'f2', 'F', 'xmas', 'Over', NULL, '1', NULL, NULL);       -- no times at all
INSERT INTO transit.frequency (version_id, ord, trip_id, start_time, end_time, headway_secs) VALUES (2, 0, 'every', 21000, 22200, 600);

INSERT INTO transit.shape (version_id, ord, shape_id, point_count, shape_pt_lat, shape_pt_lon, shape_dist_traveled, first_sequence, sequence_step, shape_pt_sequence, digest)
VALUES (2, 0, 'sh 1', 3, '54.680,54.69,+54.7', '-25.10,-25.2,-25.30', '0,,2.5', 1, 1, NULL, '\x00'),
       (2, 1, 'sh/2', 2, '54.7,54.8', '-25,-26', NULL, 10, NULL, '{10,35}', '\x01');

INSERT INTO transit.route_direction (version_id, ord, route_id, direction_id, direction, trip_count, stop_id)
VALUES (2, 0, 'R/1', '0', 'Dock', 3, '{100,"B 50%/x",C,D,E}'),
       (2, 1, 'R/1', '1', 'Inbound', 1, '{D,C,"B 50%/x",100}'),
       (2, 2, 'loop', '0', 'Outbound', 3, '{100,C,E,100}'),
       (2, 3, 'F', '1', 'Over', 2, '{S1,S2}');
INSERT INTO transit.route_pattern (version_id, route_id, direction_id, n, pattern, trip_count, rows)
VALUES (2, 'R/1', '0', 0, 0, 2, '{0,1,2,3}'), (2, 'R/1', '0', 1, 1, 1, '{0,1,4}'), (2, 'R/1', '1', 0, 2, 1, '{0,1,2,3}'),
       (2, 'loop', '0', 0, 3, 2, '{0,1,2,3}'), (2, 'F', '1', 0, 4, 2, '{0,NULL,1}');
INSERT INTO transit.stop_index (version_id, stop_id, directions, patterns, positions, trips, trip_count, call_count)
VALUES (2, '100', '{0,1,2}', '{0,1,2,3,3}', '{1,1,4,1,4}', '{2,1,1,2,2}', 6, 8),
       (2, 'B 50%/x', '{0,1}', '{0,1,2}', '{2,2,3}', '{2,1,1}', 4, 4),
       (2, 'C', '{0,1,2}', '{0,2,3}', '{3,2,2}', '{2,1,2}', 5, 5),
       (2, 'D', '{0,1}', '{0,2}', '{4,1}', '{2,1}', 3, 3),
       (2, 'E', '{0,2}', '{1,3}', '{3,3}', '{1,2}', 3, 3),
       (2, 'S', '{3}', '{4,4}', '{1,3}', '{2,2}', 2, 4),
       (2, 'S1', '{3}', '{4}', '{1}', '{2}', 2, 2),
       (2, 'S2', '{3}', '{4}', '{3}', '{2}', 2, 2);

INSERT INTO transit.translation (version_id, ord, table_name, field_name, language, translation, record_id, field_value)
VALUES (2, 0, 'stops', 'stop_name', 'fr', 'Aulne', '100', NULL), (2, 1, 'stops', 'stop_name', 'fr', 'Gare', NULL, 'Station');
INSERT INTO transit.file (version_id, ord, file, bytes, columns, row_count)
VALUES (2, 0, 'stops.txt', 900, '{stop_id,stop_name,shelter}', 1), (2, 1, 'transfers.txt', 100, '{to_stop_id,from_stop_id,transfer_type,walk}', 2),
       (2, 2, 'wagons.txt', 40, '{wagon,label}', 2), (2, 3, 'locations.geojson', 200, '{feature}', 1), (2, 4, 'readme.pdf', 5000, NULL, NULL);
INSERT INTO transit.file_row (version_id, file, ord, cells)
VALUES (2, 0, 0, '{100,NULL,yes}'), (2, 1, 0, '{C,100,0,"5 min"}'), (2, 1, 1, '{E,100,NULL,NULL}'), (2, 2, 0, '{"A \"1\"",x}'), (2, 2, 1, '{B,NULL}'),
       (2, 3, 0, ARRAY['{"id":"z","type":"Feature","properties":{"stop_name":"Zone"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}']);
UPDATE transit.feed_version SET counts = counts || '{"feed_info": 1, "translation": 2}' WHERE version_id = 2;

-- What was observed of feed metro on 3 March 2026: two trips, one of which was not seen.
INSERT INTO transit.observer (alias, holder, since, message_at, received_at, messages, visits, visit_at, vehicles, placed)
VALUES ('metro', 'test', '2026-03-01 12:00Z', '2026-03-03 18:00Z', '2026-03-03 18:00Z', 900, 3, '2026-03-03 17:59Z', 4, 4);
SELECT transit.add_visit_day('2026-03-03');
INSERT INTO transit.observed_day (alias, service_date, settled_to, written_at, added_up_at)
VALUES ('metro', '2026-03-03', 64800, '2026-03-03 18:00Z', '2026-03-03 18:00Z');
INSERT INTO transit.observation_gap (alias, source, from_at, to_at, reason)
VALUES ('metro', 'trip_updates/0', '-infinity', '2026-03-01 12:00Z', 'started'),
       ('metro', 'trip_updates/0', '2026-03-03 10:00Z', '2026-03-03 10:05Z', 'silent');
INSERT INTO transit.stop_visit (service_date, start_time, stop_sequence, scheduled_arrival, scheduled_departure, arrival,
  departure, arrival_within, departure_within, seen, kind, place, timepoint, counted, alias, trip_id, route_id,
  direction_id, stop_id, vehicle_id)
VALUES ('2026-03-03', -1, 1, 21600, 21600, NULL, 21650, NULL, 10, 's', 's', 'f', true, true, 'metro', 'early', 'R/1', '0', '100', 'bus 7'),
       ('2026-03-03', -1, 2, 21960, 21960, 22000, 22000, 15, 15, 'p', 's', 'm', false, true, 'metro', 'early', 'R/1', '0', 'C', 'bus 7'),
       ('2026-03-03', -1, 3, 22500, 22500, 22910, 22910, 20, 20, 'e', 's', 'l', true, false, 'metro', 'early', 'R/1', '0', 'D', ''),
       ('2026-03-03', -1, 1, 23000, 23000, NULL, NULL, NULL, NULL, 'u', 's', 'f', true, false, 'metro', 'late', 'R/1', '0', '100', ''),
       ('2026-03-03', 90000, 1, NULL, NULL, 90100, 90130, 20, 20, 's', 'a', 'm', true, false, 'metro', 'extra', '', '', 'C', 'bus 8');
INSERT INTO transit.performance_day (alias, service_date, route_id, stop_id, hour, trips_scheduled, trips_ran, trips_unseen,
  stops_stopped, stops_passed, stops_predicted, stops_unseen, delays, timepoint_delays, headways, headway_seconds,
  headway_squares, planned_headways, planned_seconds, planned_squares, accuracy)
VALUES ('metro', '2026-03-03', 'R/1', '', -1, 2, 1, 1, 1, 1, 1, 1, '\x50011401d00501'::bytea, '\x6401d00501'::bytea, 12, 7200,
  4680000, 12, 7200, 4320000, '{4,3,100,9000,2,2,10,100,1,0,300,90000,1,1,5,25}');
INSERT INTO transit.performance_day (alias, service_date, route_id, stop_id, hour, trips_scheduled, trips_ran)
VALUES ('metro', '2026-03-03', 'R/1', '100', -1, 2, 1), ('metro', '2026-03-03', 'R/1', '', 6, 2, 1);

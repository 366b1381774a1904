-- +goose Up
--
-- Calls in zones: in GTFS-Flex, a trip can collect riders anywhere in a zone of locations.geojson
-- instead of at a stop.

ALTER TABLE transit.pattern ADD COLUMN location_id text[];   -- like the other arrays: NULL if all cells are empty, one element if all cells are equal

CREATE OR REPLACE VIEW transit.stop_times AS
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

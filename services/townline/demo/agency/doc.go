// Package agency is the transit agency of the demo: Alder Bay Transit, a bus company on a coast that does not exist.
//
// It draws a small map, runs a timetable on it, publishes both as a GTFS zip, and reports its buses in GTFS-Realtime
// from the same timetable and the clock. Everything follows from a seed and the hour, so the same seed and the same
// instant give the same bytes. The feed holds, on purpose, what importers get wrong: a loop that calls at one stop twice, a branch
// with short turns, service after midnight, frequencies, calls without a time, ids that need escaping.
//
// It never reads or imports a feed: the import and the poller reach it over HTTP like any agency.
// Start with New and Handler; city.go is the map, timetable.go the trips, tables.go the CSV files, live.go where each bus is.
package agency

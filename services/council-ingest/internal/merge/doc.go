// Package merge brings what the sources of a meeting say into the tables.
//
// It works in two steps. Compose is a pure function from agenda outline and minutes to the State
// that the tables should hold. Apply compares that state with the stored rows, keeps the ids of
// what package match recognises, and writes the difference; an equal re-parse writes nothing.
// Between the two, people's corrections are applied to what was read (overlay.go, a pure function,
// too); laid.go keeps the reading without them, by which the next one is recognised. Lay applies
// new corrections to the last reading, Preview says what they would do, and Verify says what Apply
// would write.
//
// Rows name people as members are spelled (members.go); ids of members are looked up when a row is
// written. Everything happens inside the caller's transaction, which must hold the lock of the
// dataset. The package fetches nothing, parses nothing and decides no status; it knows the tables
// of pkg/schema/council below a meeting and nothing of portals.
package merge

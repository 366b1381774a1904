// Package merge brings what the sources of a meeting say into the tables.
//
// It works in two steps. Compose is a pure function: agenda outline and minutes
// record in, the State that the tables should hold out. Apply compares that
// state with what is stored, row by row, keeps the ids of what package match recognises,
// and writes the difference; an equal re-parse writes nothing. Between the two the
// corrections of people are laid over what was read (overlay.go, a pure function, too);
// laid.go keeps what was read beside it, by which ids are recognised. Lay lays new
// corrections over the last reading, Preview says what they would do. Verify is
// Apply without the writing: it says what differs.
//
// Everything happens inside the caller's transaction, which must hold the lock
// of the dataset (Lock). The package fetches nothing, parses nothing and
// decides no status; it knows the tables of pkg/schema/council below a meeting
// and nothing of portals.
package merge

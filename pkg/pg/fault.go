package pg

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Fault says how much work a database error must stop.
type Fault string

const (
	// FaultData means that the database rejects a value, for example because it is too long for an
	// index or violates a constraint. Only the work with this value fails. A retry does not help.
	FaultData Fault = "data"
	// FaultDatabase stops all work: the database is unreachable, full or read-only, or lacks tables or
	// rights.
	FaultDatabase Fault = "database"
	// FaultOther is any other error: a conflict, a timeout, a bug. One piece of work fails, and may be
	// retried.
	FaultOther Fault = "other"
)

// FaultOf classifies an error of a statement or transaction by its SQLSTATE. It returns "" for a
// nil error.
//
//   - data: classes 22 (data exception), 23 (integrity constraint), 54 (program limit, such as the
//     length of an index row)
//   - database: as [Unavailable], classes 53 (out of disk or memory) and 58 (files of the
//     server), 25006 (a standby), 42501 (no right), 42P01, 3D000 and 3F000 (not migrated), class 28
//     (password)
func FaultOf(err error) Fault {
	if err == nil {
		return ""
	}
	if Unavailable(err) {
		return FaultDatabase
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) || len(e.Code) != 5 {
		return FaultOther
	}
	switch e.Code {
	case "25006", "42501", "42P01", "3D000", "3F000":
		return FaultDatabase
	}
	switch e.Code[:2] {
	case "22", "23", "54":
		return FaultData
	case "28", "53", "58":
		return FaultDatabase
	}
	return FaultOther
}

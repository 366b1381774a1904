package gtfs

// A Code names a kind of problem. rules.go explains each; those of MobilityData's validator have the
// name of its notice. deploy/docs/report.md compares the two.
type Code string

// A Finding is one problem of a feed, with its location.
type Finding struct {
	Code Code
	// Effect overrides the rule's effect if set.
	Effect Effect
	File   string
	// Line is the first line of the row, from 1. It is 0 for the whole file or an operator's row.
	Line int
	// Field is the column; "" means the whole row.
	Field string
	// Value of the cell, or figures. It is valid only during the call of Note.
	Value []byte
	// RowID is the first key column of the row. ShapeID is the shape_id of a finding about a shape.
	// Both may be nil, and are valid as long as Value.
	RowID, ShapeID []byte
	// Count is the number of affected rows; 0 means 1.
	Count int
}

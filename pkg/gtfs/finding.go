package gtfs

// A Code names a kind of problem. The rules of package check explain each.
type Code string

// Effect is the effect of a finding on the import.
type Effect string

const (
	RowLeftOut  Effect = "row left out"
	CellEmptied Effect = "cell emptied"
	CellChanged Effect = "cell changed"
	FileSkipped Effect = "file skipped"
	Noted       Effect = "noted"
)

// A Finding is one problem of a feed and its location.
type Finding struct {
	Code Code
	// Effect may be "" for the usual effect of findings with this code.
	Effect Effect
	File   string
	// Line is the first line of the row, from 1. It is 0 if the finding is about the whole file or an
	// operator's row.
	Line int
	// Field is the column; "" means the whole row.
	Field string
	// Value is the value of the cell, or figures. It is valid only during the call of Note.
	Value []byte
	// RowID is the first key column of the row. ShapeID is the shape_id of a finding about a shape.
	// Both may be nil, and are valid only during the call of Note.
	RowID, ShapeID []byte
	// Count is the number of affected rows; 0 means 1.
	Count int
}

package gtfs

// A Code names one kind of thing that can be wrong with a feed.
type Code string

// Effect is what was done about a finding.
type Effect string

// The effects.
const (
	RowLeftOut  Effect = "row left out"
	CellEmptied Effect = "cell emptied"
	CellChanged Effect = "cell changed"
	FileSkipped Effect = "file skipped"
	Noted       Effect = "noted"
)

// A Finding is one thing that is wrong with a feed, and where.
type Finding struct {
	Code Code
	// File within the feed, e.g. stop_times.txt.
	File string
	// Line of the file at which the row starts, from 1; 0: the file as a whole,
	// or a row that an operator added.
	Line int
	// Field is the column; empty: the row as a whole.
	Field string
	// Value of the cell as it was found. Valid only during the call that tells it.
	Value []byte
}

// The codes. What each one means and does is said by Explain.
const (
	// The archive.
	FileDuplicate Code = "file-duplicate"
	FileOutside   Code = "file-outside"
	FileElsewhere Code = "file-elsewhere"
	FileMissing   Code = "file-missing"
	FileEmpty     Code = "file-empty"

	// Rows and cells as text.
	ColumnDuplicate   Code = "column-duplicate"
	ColumnMissing     Code = "column-missing"
	RowShort          Code = "row-short"
	RowLong           Code = "row-long"
	RowTooLong        Code = "row-too-long"
	QuoteUnterminated Code = "quote-unterminated"
	CellTooLong       Code = "cell-too-long"
	ControlCharacter  Code = "control-character"
	NotUTF8           Code = "not-utf-8"

	// Cells as values.
	BadValue     Code = "bad-value"
	UnusualValue Code = "unusual-value"
	BadTime      Code = "bad-time"
	BadDate      Code = "bad-date"
	BadColor     Code = "bad-color"
	BadPosition  Code = "bad-position"
	BadTimeZone  Code = "bad-time-zone"
	IDTooLong    Code = "id-too-long"

	// Rows among rows.
	KeyMissing           Code = "key-missing"
	KeyDuplicate         Code = "key-duplicate"
	ReferenceMissing     Code = "reference-missing"
	ReferenceUnknown     Code = "reference-unknown"
	LinkUnknown          Code = "link-unknown"
	AgencyAssumed        Code = "agency-assumed"
	PointWithoutPosition Code = "point-without-position"
	TripTooLong          Code = "trip-too-long"
	ShapeTooLong         Code = "shape-too-long"
	ParentUnusable       Code = "parent-unusable"
	HeadwayTooLong       Code = "headway-too-long"

	// Manual rows.
	ManualOverFeed      Code = "manual-over-feed"
	ManualTargetMissing Code = "manual-target-missing"
)

// Explain returns what is done about a kind of finding and a sentence for people.
func Explain(c Code) (Effect, string) {
	switch c {
	case FileDuplicate:
		return FileSkipped, "the zip holds a file of this name already; the first one counts"
	case FileOutside:
		return FileSkipped, "the entry's name leads out of the feed's folder"
	case FileElsewhere:
		return FileSkipped, "the file is in another folder than the feed"
	case FileMissing:
		return Noted, "a file that GTFS requires is not there"
	case FileEmpty:
		return Noted, "the file has no header"
	case ColumnDuplicate:
		return Noted, "the header names the column twice; the first one counts"
	case ColumnMissing:
		return Noted, "a column that GTFS requires is not there"
	case RowShort:
		return Noted, "the row has fewer cells than the header; the missing ones count as empty"
	case RowLong:
		return Noted, "the row has more cells than the header; the surplus is ignored"
	case RowTooLong:
		return RowLeftOut, "the row is longer than any row can be"
	case QuoteUnterminated:
		return Noted, "a quotation mark is never closed; it was read as an ordinary character"
	case CellTooLong:
		return CellEmptied, "the cell is longer than any cell can be"
	case ControlCharacter:
		return CellChanged, "the cell holds control characters; they were taken out"
	case NotUTF8:
		return CellChanged, "the cell is not UTF-8; it was read in the configured encoding or as Windows-1252"
	case BadValue:
		return CellEmptied, "the cell holds a value that the column does not allow"
	case UnusualValue:
		return Noted, "the cell holds a value that the column does not provide for; it is passed on as it is"
	case BadTime:
		return CellEmptied, "the cell is not a time of the form H:MM:SS"
	case BadDate:
		return CellEmptied, "the cell is not a day of the form YYYYMMDD"
	case BadColor:
		return CellEmptied, "the cell is not a colour of six hexadecimal digits"
	case BadPosition:
		return CellEmptied, "the cell is not a latitude or longitude in degrees"
	case BadTimeZone:
		return Noted, "the time zone is not known; UTC is used where local time is needed"
	case IDTooLong:
		return CellEmptied, "the identifier is longer than any identifier can be"
	case KeyMissing:
		return RowLeftOut, "the row has no usable value in a column that identifies it"
	case KeyDuplicate:
		return RowLeftOut, "another row with the same key came first"
	case ReferenceMissing:
		return RowLeftOut, "the row does not say what it belongs to"
	case ReferenceUnknown:
		return RowLeftOut, "the row refers to something that is not in the feed, or was left out"
	case LinkUnknown:
		return CellEmptied, "the cell refers to something that is not in the feed, or was left out"
	case AgencyAssumed:
		return CellChanged, "the feed does not say which agency; it was filled in"
	case PointWithoutPosition:
		return RowLeftOut, "a point of a shape needs a latitude and a longitude"
	case TripTooLong:
		return RowLeftOut, "the trip has more calls than any trip can have"
	case ShapeTooLong:
		return RowLeftOut, "the shape has more points than any shape can have"
	case ParentUnusable:
		return CellEmptied, "the stop's parent stations lead back to themselves, or are deeper than stations can be"
	case HeadwayTooLong:
		return RowLeftOut, "a headway is longer than a day"
	case ManualOverFeed:
		return CellChanged, "the feed has a row with the key of a manual row; the manual row counts"
	case ManualTargetMissing:
		return Noted, "a manual row refers to a row that the feed does not have"
	}
	return Noted, "unknown finding"
}

package gtfs

// A Code names one kind of problem of a feed.
type Code string

// Effect says what the import did about a finding.
type Effect string

// The effects.
const (
	RowLeftOut  Effect = "row left out"
	CellEmptied Effect = "cell emptied"
	CellChanged Effect = "cell changed"
	FileSkipped Effect = "file skipped"
	Noted       Effect = "noted"
)

// A Finding is one problem of a feed, with its place.
type Finding struct {
	Code Code
	// File within the feed, e.g. stop_times.txt.
	File string
	// Line of the file at which the row starts, from 1; 0: the file as a whole,
	// or a row that an operator added.
	Line int
	// Field is the column; empty: the row as a whole.
	Field string
	// Value of the cell as found. Valid only during the call of Note.
	Value []byte
}

// The codes. Explain describes each.
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

// Explain returns the effect of a kind of finding and a sentence for people.
func Explain(c Code) (Effect, string) {
	switch c {
	case FileDuplicate:
		return FileSkipped, "the zip has two files of this name; the first one is used"
	case FileOutside:
		return FileSkipped, "the entry's name leads out of the feed's folder"
	case FileElsewhere:
		return FileSkipped, "the file is in another folder than the feed"
	case FileMissing:
		return Noted, "a file that GTFS requires is missing"
	case FileEmpty:
		return Noted, "the file has no header"
	case ColumnDuplicate:
		return Noted, "the header names the column twice; the first one is used"
	case ColumnMissing:
		return Noted, "a column that GTFS requires is missing"
	case RowShort:
		return Noted, "the row has fewer cells than the header; the missing ones are treated as empty"
	case RowLong:
		return Noted, "the row has more cells than the header; the surplus is ignored"
	case RowTooLong:
		return RowLeftOut, "the row is too long"
	case QuoteUnterminated:
		return Noted, "a quotation mark is never closed; it was read as an ordinary character"
	case CellTooLong:
		return CellEmptied, "the cell is too long"
	case ControlCharacter:
		return CellChanged, "the cell has control characters; they were removed"
	case NotUTF8:
		return CellChanged, "the cell is not UTF-8; it was read in the configured encoding or as Windows-1252"
	case BadValue:
		return CellEmptied, "the value is not allowed in this column"
	case UnusualValue:
		return Noted, "the value is not defined for this column; it is served unchanged"
	case BadTime:
		return CellEmptied, "the cell is not a time of the form H:MM:SS"
	case BadDate:
		return CellEmptied, "the cell is not a day of the form YYYYMMDD"
	case BadColor:
		return CellEmptied, "the cell is not a colour of six hexadecimal digits"
	case BadPosition:
		return CellEmptied, "the cell is not a latitude or longitude in degrees"
	case BadTimeZone:
		return Noted, "the time zone is unknown; UTC is used for local times"
	case IDTooLong:
		return CellEmptied, "the identifier is too long"
	case KeyMissing:
		return RowLeftOut, "the row has no usable value in a column that identifies it"
	case KeyDuplicate:
		return RowLeftOut, "an earlier row has the same key"
	case ReferenceMissing:
		return RowLeftOut, "the row does not name the row that it belongs to"
	case ReferenceUnknown:
		return RowLeftOut, "the row refers to something that is not in the feed, or was left out"
	case LinkUnknown:
		return CellEmptied, "the cell refers to something that is not in the feed, or was left out"
	case AgencyAssumed:
		return CellChanged, "the feed does not name the agency; it was filled in"
	case PointWithoutPosition:
		return RowLeftOut, "a point of a shape needs a latitude and a longitude"
	case TripTooLong:
		return RowLeftOut, "the trip has too many calls"
	case ShapeTooLong:
		return RowLeftOut, "the shape has too many points"
	case ParentUnusable:
		return CellEmptied, "the stop's parent stations form a circle, or are nested too deep"
	case HeadwayTooLong:
		return RowLeftOut, "a headway is longer than a day"
	case ManualOverFeed:
		return CellChanged, "the feed has a row with the key of a manual row; the manual row replaces it"
	case ManualTargetMissing:
		return Noted, "a manual row refers to a row that the feed does not have"
	}
	return Noted, "unknown finding"
}

package dialect

// Row is the meaning of a label in the table of a vote.
type Row int

// The rows of a table, in the order in which it prints them.
const (
	Unknown Row = iota // a label that no dialect has
	Result
	Next   // the day to which a matter was put off
	Motion // what was moved, in the table's own words
	Mover
	Seconder
	Aye
	Nay
	Abstain
	Present
	Absent
	Away
	Recused
	Remote // who took part from elsewhere; it is no position
	Rows   // how many there are
)

// rowNames are what the rows are called in the data of a dialect.
var rowNames = [Rows]string{"unknown", "result", "next", "motion", "mover", "seconder", "aye", "nay", "abstain", "present", "absent", "away", "recused", "remote"}

func (r Row) String() string { return rowNames[r] }

// IsList reports whether the row holds a list of names.
func (r Row) IsList() bool { return r >= Aye }

package council

// A Verdict says how much of a document could be read, from the file to the status of its meeting.
type Verdict string

// The verdicts.
const (
	VerdictWhole      Verdict = "whole"      // all of it, from an intact file
	VerdictRepaired   Verdict = "repaired"   // all of it, although the file was damaged; a note says how
	VerdictPartial    Verdict = "partial"    // part of it is missing or damaged, or may be
	VerdictNoText     Verdict = "no_text"    // an intact file that shows pictures, or nothing
	VerdictEncrypted  Verdict = "encrypted"  // needs a password
	VerdictTooLarge   Verdict = "too_large"  // needs more time, memory, pages or output than allowed
	VerdictUnreadable Verdict = "unreadable" // not a readable file, or its fonts do not identify its letters
)

// Readable reports whether a document's text may be parsed as minutes. Any other
// verdict is a parse error, never "no votes".
func (v Verdict) Readable() bool { return v == VerdictWhole || v == VerdictRepaired }

// Anomaly returns the anomaly of a verdict; false if the document could be read.
func (v Verdict) Anomaly() (code AnomalyCode, is bool) {
	switch {
	case v.Readable():
		return "", false
	case v == VerdictNoText:
		return CodeNoText, true
	}
	return CodeUnreadable, true
}

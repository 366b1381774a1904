package council

// A Verdict says how much of a document could be read, from the file to the status of its meeting.
type Verdict string

// The verdicts.
const (
	VerdictWhole      Verdict = "whole"      // all of it, as it stands
	VerdictRepaired   Verdict = "repaired"   // all of it, though something about the file was wrong; a note says what
	VerdictPartial    Verdict = "partial"    // part of it is missing or damaged, or may be
	VerdictNoText     Verdict = "no_text"    // it is whole and shows pictures, or nothing
	VerdictEncrypted  Verdict = "encrypted"  // a password is wanted
	VerdictTooLarge   Verdict = "too_large"  // it wants more time, memory, pages or output than is allowed
	VerdictUnreadable Verdict = "unreadable" // it is nothing that can be read, or its fonts do not tell its letters
)

// Verdicts lists every verdict.
func Verdicts() []Verdict {
	return []Verdict{VerdictWhole, VerdictRepaired, VerdictPartial, VerdictNoText, VerdictEncrypted, VerdictTooLarge, VerdictUnreadable}
}

// Readable tells whether a document's text may be parsed as minutes. Any other
// verdict is a parse error, never "no votes".
func (v Verdict) Readable() bool { return v == VerdictWhole || v == VerdictRepaired }

// Anomaly is what a verdict means for readers of the meeting; false where a document could be read.
func (v Verdict) Anomaly() (code AnomalyCode, is bool) {
	switch {
	case v.Readable():
		return "", false
	case v == VerdictNoText:
		return CodeNoText, true
	}
	return CodeUnreadable, true
}

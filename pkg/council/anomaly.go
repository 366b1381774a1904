package council

// An AnomalyKind classifies anomalies (spec: Anomaly.kind).
type AnomalyKind string

const (
	Typo          AnomalyKind = "typo"          // a word is misspelt, the meaning is plain
	Missing       AnomalyKind = "missing"       // a required part is not printed
	Inconsistency AnomalyKind = "inconsistency" // two places of the document disagree
	Error         AnomalyKind = "error"         // a part could not be read or understood
)

// AnomalyKinds lists every anomaly kind in the order of the API description.
func AnomalyKinds() []AnomalyKind { return []AnomalyKind{Typo, Missing, Inconsistency, Error} }

// An AnomalyCode names the rule that a document breaks: lower-case words with hyphens. AnomalyRules
// documents all.
type AnomalyCode string

const (
	CodeTallyMismatch      AnomalyCode = "tally-mismatch"
	CodeTallyMissing       AnomalyCode = "tally-missing"
	CodeTallyNotPrinted    AnomalyCode = "tally-not-printed"
	CodeTallyUnreadable    AnomalyCode = "tally-unreadable"
	CodeResultCounts       AnomalyCode = "result-contradicts-counts"
	CodeUnanimousMismatch  AnomalyCode = "unanimous-mismatch"
	CodeResultWordMissing  AnomalyCode = "result-word-missing"
	CodeResultWordMisspelt AnomalyCode = "result-word-misspelt"
	CodeResultMissing      AnomalyCode = "result-missing"
	CodeMoverMissing       AnomalyCode = "mover-missing"
	CodeSeconderMissing    AnomalyCode = "seconder-missing"
	CodeMoverMultiple      AnomalyCode = "mover-multiple"
	CodeMoverDiffers       AnomalyCode = "mover-differs"
	CodeNamesMissing       AnomalyCode = "names-missing"
	CodeMemberUnknown      AnomalyCode = "member-unknown"
	CodeMemberAmbiguous    AnomalyCode = "member-ambiguous"
	CodeMemberTwice        AnomalyCode = "member-twice"
	CodeMemberUncounted    AnomalyCode = "member-uncounted"
	CodeNameMisspelt       AnomalyCode = "name-misspelt"
	CodeAttendanceMismatch AnomalyCode = "attendance-mismatch"
	CodeAttendanceRow      AnomalyCode = "attendance-row-incomplete"
	CodeStatusMisspelt     AnomalyCode = "attendance-status-misspelt"
	CodeProseMismatch      AnomalyCode = "prose-mismatch"
	CodeBlockRepeated      AnomalyCode = "block-repeated"
	CodeAttachmentDiffers  AnomalyCode = "attachment-differs"
	CodeOutlineDiffers     AnomalyCode = "outline-differs"
	CodeItemMissing        AnomalyCode = "item-missing"
	CodeVoteMissing        AnomalyCode = "vote-missing"
	CodeVotesUnread        AnomalyCode = "votes-unread"
	CodeSourcesDiffer      AnomalyCode = "sources-differ"
	CodeVoteOnlyInRecord   AnomalyCode = "vote-only-in-record"
	CodeVoteOnlyInMinutes  AnomalyCode = "vote-only-in-minutes"
	CodeConsentRange       AnomalyCode = "consent-range"
	CodeLabelUnknown       AnomalyCode = "label-unknown"
	CodeLayoutUnclear      AnomalyCode = "layout-unclear"
	CodeRollWithheld       AnomalyCode = "roll-withheld"
	CodeDateMissing        AnomalyCode = "date-missing"
	CodeDateDiffers        AnomalyCode = "date-differs"
	CodeMinutesShared      AnomalyCode = "minutes-shared"
	CodeNoText             AnomalyCode = "no-text"
	CodeTextCut            AnomalyCode = "text-cut"
	CodeUnreadable         AnomalyCode = "unreadable"
	CodeTextHidden         AnomalyCode = "text-hidden"
	CodeTextUnknown        AnomalyCode = "text-unknown"
	CodePagePicture        AnomalyCode = "page-picture"
	CodePageMachineRead    AnomalyCode = "page-machine-read"
	CodeRepaired           AnomalyCode = "document-repaired"
	CodeCorrectionConflict AnomalyCode = "correction-conflict"
	CodeCorrectionDoubtful AnomalyCode = "correction-contradicts"
	CodeUnknownVoteWord    AnomalyCode = "unknown-vote-word"
	CodeRecordNoPositions  AnomalyCode = "record-without-positions"
	CodeRecordContradicts  AnomalyCode = "record-contradicts-itself"
	CodeRecordShrank       AnomalyCode = "record-shrank"
	CodeSameName           AnomalyCode = "same-name-on-two-bodies"
)

// An AnomalyRule documents one anomaly code.
type AnomalyRule struct {
	Code    AnomalyCode
	Kind    AnomalyKind
	Weight  int // against a vote: most if its text is uncertain, then if its roll contradicts its tally
	Meaning string
}

func AnomalyRules() []AnomalyRule {
	return []AnomalyRule{
		{CodeTallyMismatch, Inconsistency, 6, "the printed tally and the number of names of a roll differ"},
		{CodeTallyMissing, Missing, 2, "the RESULT line has neither a tally nor [UNANIMOUS]"},
		{CodeTallyNotPrinted, Missing, 1, "votes of the document print neither a tally nor names"},
		{CodeTallyUnreadable, Error, 6, "a bracket on the RESULT line is not a tally"},
		{CodeResultCounts, Inconsistency, 3, "the result word contradicts the counts: a majority failed or a minority " +
			"carried"},
		{CodeUnanimousMismatch, Inconsistency, 5, "[UNANIMOUS] is printed, but a member voted nay or abstained"},
		{CodeResultWordMissing, Missing, 1, "the RESULT line has no word for the result"},
		{CodeResultWordMisspelt, Typo, 2, "a word of the RESULT line is misspelt"},
		{CodeResultMissing, Missing, 1, "there is a roll call without a RESULT line; it is not counted as a vote"},
		{CodeMoverMissing, Missing, 1, "the block names a roll but no mover"},
		{CodeSeconderMissing, Missing, 1, "the block names a mover but no seconder"},
		{CodeMoverMultiple, Error, 5, "a MOVER or SECONDER row names several people"},
		{CodeMoverDiffers, Inconsistency, 3, "the block names another mover than the sentence of the motion"},
		{CodeNamesMissing, Missing, 3, "no member is named although the vote was not by voice"},
		{CodeMemberUnknown, Inconsistency, 5, "a name is not on the roster of the day; it stays as printed"},
		{CodeMemberAmbiguous, Inconsistency, 7, "a name fits several members; it stays as printed"},
		{CodeMemberTwice, Inconsistency, 5, "a vote names one member in two rows, or twice in one"},
		{CodeMemberUncounted, Inconsistency, 3, "no row of the vote names a member of the day"},
		{CodeNameMisspelt, Typo, 4, "a name is misspelt; it was read as the one member it resembles"},
		{CodeAttendanceMismatch, Inconsistency, 2, "a member votes who is marked absent for the whole meeting"},
		{CodeAttendanceRow, Missing, 1, "a row of the attendance table lacks its name or status"},
		{CodeStatusMisspelt, Typo, 1, "a status of the attendance table is misspelt"},
		{CodeProseMismatch, Inconsistency, 4, "the sentence about the vote has other numbers than the block"},
		{CodeBlockRepeated, Inconsistency, 2, "the same vote is printed twice, under one item or under " +
			"two items of one file; both are kept"},
		{CodeAttachmentDiffers, Inconsistency, 4, "a resolution attached to the minutes records another vote than the " +
			"minutes"},
		{CodeOutlineDiffers, Inconsistency, 1, "the portal's agenda shows a result that no vote of the item has; the vote " +
			"follows the minutes"},
		{CodeItemMissing, Missing, 6, "a vote is under no item"},
		{CodeVoteMissing, Missing, 1, "an item among voted items has no RESULT line"},
		{CodeVotesUnread, Error, 1, "the document prints what looks like roll calls, results or outcomes that were not " +
			"read as votes; its votes are incomplete or missing"},
		{CodeSourcesDiffer, Inconsistency, 1, "the minutes and the portal's own record of the vote disagree: on the " +
			"outcome, the tally, mover or seconder, or on a member; the vote follows the minutes"},
		{CodeVoteOnlyInRecord, Inconsistency, 1, "the portal records a roll call that the minutes do not have"},
		{CodeVoteOnlyInMinutes, Inconsistency, 1, "the minutes have a roll call that the portal does not record, though it " +
			"records others of the meeting"},
		{CodeConsentRange, Inconsistency, 3, "the consent motion names other items than the list under the consent heading"},
		{CodeLabelUnknown, Error, 8, "a row of a vote has a label that the parser does not know; its value was not used"},
		{CodeLayoutUnclear, Error, 10, "the rows of a vote could not be separated with certainty"},
		{CodeRollWithheld, Error, 1, "the roll as read cannot be true: mover or seconder absent, or a third of those " +
			"present absent from a unanimous vote; only the tally is published, no member's position"},
		{CodeDateMissing, Missing, 1, "the document does not show the date of the meeting"},
		{CodeDateDiffers, Inconsistency, 1, "the minutes show another date than the calendar"},
		{CodeMinutesShared, Inconsistency, 1, "the portal shows the minutes of another meeting here too; the votes are " +
			"listed there"},
		{CodeNoText, Error, 1, "the document has no text: a scan, or an empty file"},
		{CodeTextCut, Error, 1, "the text is too long and was not read to its end; votes may be missing"},
		{CodeUnreadable, Error, 1, "the document could not be read, or not all of it: damaged, cut off, encrypted or not a " +
			"PDF"},
		{CodeTextHidden, Inconsistency, 4, "a page of the PDF contains hidden text; it was left out"},
		{CodeTextUnknown, Error, 6, "a page of the PDF shows characters that its fonts do not identify"},
		{CodePagePicture, Error, 1, "a page of the PDF is a picture; its text was not read"},
		{CodePageMachineRead, Error, 8, "a page of the PDF is a picture with text that a machine read; letters may be wrong"},
		{CodeRepaired, Error, 1, "the PDF was damaged and could be repaired; none of its text is missing"},
		{CodeCorrectionConflict, Inconsistency, 1, "a correction was made when something else was read, or what it is " +
			"about is not read any more; a person has to look"},
		{CodeCorrectionDoubtful, Inconsistency, 1, "a vote contradicts itself as it was corrected, and did not as it was " +
			"read"},
		{CodeUnknownVoteWord, Error, 1, "the portal's record of a vote has a word that nobody has given a meaning; the " +
			"position is not counted, and is no abstention"},
		{CodeRecordNoPositions, Missing, 1, "the portal's record lists members without a position; it is no roll call"},
		{CodeRecordContradicts, Inconsistency, 1, "the portal's record of a vote contradicts itself: a majority failed, or " +
			"a minority carried"},
		{CodeRecordShrank, Inconsistency, 1, "the portal shows fewer recorded votes or positions than before; what was " +
			"recorded before stays"},
		{CodeSameName, Inconsistency, 1, "members of two bodies have one name; whether they are one person is not known, " +
			"and until somebody says so they are two members"},
	}
}

func AnomalyCodes() []AnomalyCode {
	rules := AnomalyRules()
	codes := make([]AnomalyCode, len(rules))
	for i, r := range rules {
		codes[i] = r.Code
	}
	return codes
}

// KindOf returns the kind of a code; an unknown code is an Error.
func KindOf(code AnomalyCode) AnomalyKind {
	for _, r := range AnomalyRules() {
		if r.Code == code {
			return r.Kind
		}
	}
	return Error
}

// A Verdict says how much of a document's text is readable.
type Verdict string

const (
	VerdictWhole      Verdict = "whole"      // all text, from an intact file
	VerdictRepaired   Verdict = "repaired"   // all text, although the file was damaged; a note describes the damage
	VerdictPartial    Verdict = "partial"    // part of the text is missing or damaged, or may be
	VerdictNoText     Verdict = "no_text"    // an intact file with pictures only, or empty
	VerdictEncrypted  Verdict = "encrypted"  // needs a password
	VerdictTooLarge   Verdict = "too_large"  // needs more time, memory, pages or output than allowed
	VerdictUnreadable Verdict = "unreadable" // not a readable file, or its fonts do not identify its letters
)

// Readable reports whether a document's text may be parsed as minutes. Any other verdict is a parse
// error, never "no votes".
func (v Verdict) Readable() bool { return v == VerdictWhole || v == VerdictRepaired }

// Anomaly returns the anomaly code of an unreadable document. is is false for readable documents.
func (v Verdict) Anomaly() (code AnomalyCode, is bool) {
	switch {
	case v.Readable():
		return "", false
	case v == VerdictNoText:
		return CodeNoText, true
	}
	return CodeUnreadable, true
}

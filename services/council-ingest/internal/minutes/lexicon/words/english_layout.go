package words

// englishLayout are the words of the layout of documents: their pages, the columns of their tables, and lines that are
// no sentences.
var englishLayout = []Row{
	{"column of items", `(?:agenda )?(?:items?|topics?|subjects?)(?: (?:no\.?|number))?|agenda|items?/topics?|` +
		`topics?/items?|subject/topic|agenda items?/topics?`,
		"Agenda Item   Comments/Discussion   Approvals/Action", "no document at hand"},
	{"column of discussion", `(?:comments?|discussions?|summary|presentations?|reports?|conclusions?|findings|` +
		`information|presenters?|lead)(?: ?(?:/|&|and) ?(?:comments?|discussions?|summary|conclusions?|findings|recommendations?|` +
		`information|reports?))*(?: of (?:the )?discussion)?`,
		"Agenda Item   Comments/Discussion   Approvals/Action", "no document at hand"},
	{"column of actions", `(?:approvals?|actions?|decisions?|motions?|outcomes?|disposition|resolutions?|votes?|` +
		`recommendations?|follow[- ]?up)(?: taken| items?| required| needed)?(?: ?(?:/|&|and) ?(?:approvals?|actions?|` +
		`decisions?|motions?|votes?|follow[- ]?up|recommendations?|responsib(?:le|ility)(?: party)?|outcomes?)(?: items?| taken)?)*`,
		"Agenda Item   Comments/Discussion   Approvals/Action", "no document at hand"},
	{"detail label", `(?:presenters?|presented by|prepared by|submitted by|staff(?: contact| presenting)?|contacts?|` +
		`applicants?|owners?|property owners?|location|address|attachments?|exhibits?|fiscal impact|requested by|` +
		`sponsors?|zoning|parcel|representatives?|voting requirements?|file (?:ref(?:erence)?|no\.?|number)|(?:report )?author|` +
		`(?:reporting|responsible) officer|disclosure of interest|proponent|date of report)(?:\(s\))?`,
		"Presenter(s): Ann Doe, Harbor Manager", "no document at hand"},
	{"minutes from", `minutes (?:of|from|for)(?: the)?`, "Minutes of March 5 approved 5-0.", "no document at hand"},
	{"approved document", `minutes|agenda|calendar|bills|claims|warrants?`,
		"Agenda approved unanimously.", "no document at hand"},
	{"page", `page`, "Page 3 of 9", "no document at hand"},
	{"watermark", `d ?r ?a ?f ?t|c ?o ?p ?y|unofficial|u n o f f i c i a l`, "DRAFT", "no document at hand"},
	{"packet page", `packet pg`, "Packet Pg. 21", "no document at hand"},
}

// Package portal is the meeting portal of the demo town: it answers the addresses of an IQM2 / MinuteTraq site with pages of the same
// structure, so that whatever reads real portals reads this one.
//
// What a page shows depends on the town and on the clock: agendas and minutes appear when they are posted. The markup keeps the traits that readers
// depend on or trip over: facts in a tooltip with control characters, empty links for missing documents, unescaped ampersands, several
// boards on one calendar, three entries for one joint meeting, a page taken down, a feed that is no XML.
//
// The pages are the project's own, written after the structure only; they carry no script. Documents come from package clerk, meetings
// from package town. Start with New and Handler; view.go is what pages show, documents.go the PDFs, the *.html files the pages.
package portal

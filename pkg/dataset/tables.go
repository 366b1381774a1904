// Package dataset lists the files in which a council's dataset is published, and the tables and
// columns in them. council-ingest writes the files with package publish; council-api serves them.
package dataset

import (
	"cmp"
	"slices"
	"strings"
)

// Names of files, as paths below /export/ of the API. The tables are at [Table.File].
const (
	VotesCSV = "votes.csv"
	SQLite   = "council.sqlite"
	Metadata = "tables/csv-metadata.json"
)

// License is the address of the license, the public domain mark.
const License = "https://creativecommons.org/publicdomain/mark/1.0/"

// CSVNames lists the CSV files of a dataset with several bodies, one for each table.
func CSVNames() []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name + ".csv"
	}
	return names
}

// A Description is what the API says about a file of the dataset.
type Description struct {
	File      string
	MediaType string
	Doc       string
}

// Files describes the files of the whole dataset: the SQLite database, the tables and their
// metadata. A dataset with one body lacks the tables of bodies.
func Files() []Description {
	list := []Description{{File: SQLite, MediaType: "application/vnd.sqlite3",
		Doc: "The whole dataset as one SQLite database, with keys and indexes."}}
	for i := range tables {
		list = append(list, Description{File: tables[i].File(), MediaType: "text/csv", Doc: tables[i].Doc})
	}
	return append(list, Description{File: Metadata, MediaType: "application/csvm+json",
		Doc: "What the columns of the CSV files mean (W3C CSV on the Web)."})
}

// A Kind is the type of a column. Its value is the type's name in XML Schema, as CSVW requires.
type Kind string

// The kinds of columns.
const (
	Integer Kind = "integer"
	Number  Kind = "double"
	Boolean Kind = "boolean"
	Date    Kind = "date"     // as YYYY-MM-DD
	Time    Kind = "dateTime" // as RFC 3339 in UTC with Z and whole seconds
	Text    Kind = "string"
	URL     Kind = "anyURI"
	JSON    Kind = "json"
)

// A Column is a column of a table.
type Column struct {
	Name     string
	Kind     Kind
	Required bool   // never null
	Ref      string // referenced column of another table, such as "meetings.iqm2_id"
	Doc      string
}

// A Table is a table of the dataset. It has the names of the API.
type Table struct {
	Name    string
	Doc     string
	Key     []string
	Columns []Column
	Indexes []string // columns with an index in SQLite
	// Flat says that the table joins others, so it is a CSV file only. In it an empty text is an empty
	// cell, like null.
	Flat bool

	bodies bool              // exists only in a dataset with several bodies
	from   string            // what follows FROM; the alias of the table is t
	order  string            // ORDER BY, so that each publisher writes the same bytes
	sql    map[string]string // expressions of columns other than t.name; $base is the API's public base
}

// File returns the name of the table's CSV file.
func (t *Table) File() string {
	if t.Flat {
		return t.Name + ".csv"
	}
	return "tables/" + t.Name + ".csv"
}

// Query returns the query of the table's rows. base is the public base of the API.
func (t *Table) Query(base string) string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = cmp.Or(t.sql[c.Name], "t."+c.Name)
	}
	query := "SELECT " + strings.Join(list, ", ") + " FROM " + t.from + " ORDER BY " + t.order
	return strings.ReplaceAll(query, "$base", "'"+strings.ReplaceAll(base, "'", "''")+"'")
}

// minutesURL is SQL for the address of a meeting's minutes. It is the same as in the API.
const minutesURL = `coalesce(n.url, $base || '/meetings/' || m.iqm2_id ||
	CASE d.media_type WHEN 'application/pdf' THEN '/minutes.pdf' ELSE '/minutes.txt' END)`

// meetingURL is SQL for the address of a meeting's page on the portal, or of our own page if there
// is none.
const meetingURL = `coalesce(m.source_url, $base || '/meetings/' || m.iqm2_id)`

const minutesOf = `
	LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	LEFT JOIN council.document d ON d.document_id = n.document_id`

const minutesSHA256 = `encode(d.sha256, 'hex')`

// bodyColumn is a column of tables below a meeting. Its value is t.body_id.
var bodyColumn = Column{Name: "body_id", Kind: Integer, Required: true, Ref: "bodies.id", Doc: "The body that met."}

// Votes returns votes.csv: each vote as one row, in the order of the API. If a vote is only in the
// portal's record, it links to the portal's page of the meeting, as in the API.
func Votes(several bool) Table {
	t := Table{Name: "votes", Flat: true,
		from: `council.vote t
			JOIN council.item i ON i.id = t.item_id
			JOIN council.meeting m ON m.iqm2_id = t.iqm2_id
			LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
			LEFT JOIN council.member mover ON mover.id = t.mover_id
			LEFT JOIN council.member seconder ON seconder.id = t.seconder_id
			CROSS JOIN LATERAL (
				SELECT string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'aye') AS ayes,
				       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'nay') AS nays,
				       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'abstain') AS abstentions,
				       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'absent') AS absences,
				       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'recused') AS recusals
				FROM council.vote_position p JOIN council.member b ON b.id = p.member_id
				WHERE p.vote_id = t.id) p`,
		order: "t.meeting_date DESC, t.starts_at DESC, t.iqm2_id DESC, t.ord",
		sql: map[string]string{"vote_id": "t.id", "meeting_id": "t.iqm2_id", "body": "m.body",
			"meeting_type": "m.meeting_type", "item_number": "i.item_number", "section": "i.section",
			"item_title": "i.title", "topic": "i.topic", "topic_confidence": "i.topic_confidence",
			"is_consent": "i.is_consent", "mover": "mover.full_name", "seconder": "seconder.full_name",
			"ayes": "p.ayes", "nays": "p.nays", "abstentions": "p.abstentions", "absences": "p.absences",
			"recusals": "p.recusals", "meeting_source_url": "m.source_url",
			"source_url": `CASE WHEN t.origin = 'record' THEN m.source_url
				ELSE n.url || CASE WHEN t.source_page IS NULL THEN '' ELSE '#page=' || t.source_page END END`},
	}
	add := func(kind Kind, names ...string) {
		for _, name := range names {
			t.Columns = append(t.Columns, Column{Name: name, Kind: kind})
		}
	}
	add(Integer, "vote_id", "meeting_id")
	add(Date, "meeting_date")
	add(Text, "body", "meeting_type")
	add(Integer, "item_id")
	add(Text, "item_number", "section", "item_title", "topic")
	add(Number, "topic_confidence")
	add(Boolean, "is_consent")
	add(Integer, "motion_seq")
	add(Text, "motion_text", "result", "result_raw")
	add(Integer, "ayes_count", "nays_count")
	add(Boolean, "unanimous", "via_consent")
	add(Text, "mover", "seconder", "ayes", "nays", "abstentions", "absences", "recusals", "source_url",
		"meeting_source_url")
	if several {
		t.Columns = append(t.Columns, bodyColumn)
	}
	return t
}

// Tables returns the tables of a dataset. With only one body, the tables of bodies are omitted.
func Tables(several bool) []Table {
	if several {
		return tables
	}
	var list []Table
	for _, t := range tables {
		if t.bodies {
			continue
		}
		t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c == bodyColumn })
		list = append(list, t)
	}
	return list
}

// tables has all tables of the dataset. Each table comes after the tables that it refers to.
var tables = []Table{
	{
		Name: "bodies", Doc: "The council, and the commissions, committees and boards of the town.",
		Key:  []string{"id"},
		from: "council.body t", order: "t.body_id", bodies: true, sql: map[string]string{"id": "t.body_id"},
		Columns: []Column{
			{"id", Integer, true, "", "Stable id of the body."},
			{"slug", Text, true, "", "The name for addresses; stable."},
			{"name", Text, true, "", "As the portal writes it."},
			{"kind", Text, false, "", "The portal's word for what the body is."},
		},
	},
	{
		Name: "body_parts", Doc: "The bodies that meet jointly. A joint meeting is of a body of its own.",
		Key: []string{"body_id", "part_id"}, from: "council.body_part t", order: "t.body_id, t.part_id", bodies: true,
		Columns: []Column{
			{"body_id", Integer, true, "bodies.id", "The joint body."},
			{"part_id", Integer, true, "bodies.id", "A body that meets."},
		},
	},
	{
		Name: "members", Doc: "Everyone who voted, moved or seconded.", Key: []string{"id"},
		from: "council.member t", order: "t.id",
		Columns: []Column{
			{"id", Integer, true, "", "Stable id of the member."},
			{"full_name", Text, true, "", "Name."},
			{"last_name", Text, true, "", "Last word of the name, particles included."},
		},
	},
	{
		Name: "meetings", Doc: "Meetings of the council, future and cancelled ones included.", Key: []string{"iqm2_id"},
		from: `council.meeting t LEFT JOIN council.minutes n ON n.minutes_id = t.minutes_id
			LEFT JOIN council.document d ON d.document_id = n.document_id`, order: "t.iqm2_id",
		sql: map[string]string{"source_url": `coalesce(t.source_url, $base || '/meetings/' || t.iqm2_id)`,
			"minutes_sha256": minutesSHA256},
		Columns: []Column{
			{"iqm2_id", Integer, true, "", "The portal's id of the meeting."},
			{"body", Text, true, "", "The board that sits."},
			{"meeting_type", Text, true, "", "regular, special, closed or other."},
			{"meeting_type_raw", Text, true, "", "The type as the portal writes it."},
			{"meeting_date", Date, true, "", "Local date."},
			{"starts_at", Time, true, "", "Scheduled start, UTC."},
			{"title", Text, true, "", "Title."},
			{"location", Text, false, "", "Room and address."},
			{"status", Text, true, "", "discovered, agenda_only, minutes_pending, complete, cancelled or parse_error."},
			{"source_url", URL, true, "", "The portal's page of the meeting."},
			{"agenda_url", URL, false, "", "The portal's agenda."},
			{"minutes_url", URL, false, "", "The portal's minutes."},
			{"video_url", URL, false, "", "Recording."},
			{"last_fetched", Time, false, "", "When this data was fetched."},
			{"item_count", Integer, true, "", "Agenda items."},
			{"vote_count", Integer, true, "", "Votes."},
			{"minutes_sha256", Text, false, "", "SHA-256 of the minutes that the votes were read from, as archived at " +
				"/meetings/{iqm2_id}/minutes.pdf."},
			bodyColumn,
		},
		Indexes: []string{"meeting_date"},
	},
	{
		Name: "items", Doc: "Agenda items. Topic and summary are made by a machine and may be wrong.", Key: []string{"id"},
		from:  "council.item t JOIN council.meeting m ON m.iqm2_id = t.iqm2_id" + minutesOf,
		order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id", "source_url": `coalesce(t.source_url,
			CASE WHEN n.minutes_id IS NOT NULL THEN ` + minutesURL + ` END, ` + meetingURL + `)`},
		Columns: []Column{
			{"id", Integer, true, "", "Stable id of the item."},
			{"meeting_id", Integer, true, "meetings.iqm2_id", "Its meeting."},
			{"ord", Integer, true, "", "Place in the meeting, from 1."},
			{"legifile_id", Integer, false, "", "The portal's legislative file."},
			{"item_number", Text, false, "", "As printed."},
			{"section", Text, false, "", "The heading above the item."},
			{"title", Text, true, "", "Title."},
			{"is_consent", Boolean, true, "", "Listed on the consent calendar and not pulled from it."},
			{"source_url", URL, true, "", "The portal's page of the item if there is one, else the approved minutes."},
			{"source_page", Integer, false, "", "Page of the minutes PDF, from 1."},
			{"topic", Text, false, "", "Machine-assigned."},
			{"topic_confidence", Number, false, "", "From 0 to 1."},
			{"summary", Text, false, "", "Machine-written."},
			{"classified_at", Time, false, "", "When topic and summary were made."},
			{"classifier_model", Text, false, "", "The model or rules that made them."},
			bodyColumn,
		},
		Indexes: []string{"meeting_id", "topic"},
	},
	{
		Name: "votes", Doc: "Motions that were put to the vote, as the minutes record them, or the portal until there are " +
			"minutes; corrections are laid over both.", Key: []string{"id"},
		from:  "council.vote t JOIN council.meeting m ON m.iqm2_id = t.iqm2_id" + minutesOf,
		order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id", "source_url": `
			CASE WHEN t.origin = 'record' OR n.minutes_id IS NULL THEN ` + meetingURL + ` ELSE ` + minutesURL + `
			|| CASE WHEN t.source_page IS NULL THEN '' ELSE '#page=' || t.source_page END END`},
		Columns: []Column{
			{"id", Integer, true, "", "Stable id of the vote."},
			{"item_id", Integer, true, "items.id", "Its item."},
			{"meeting_id", Integer, true, "meetings.iqm2_id", "Its meeting."},
			{"ord", Integer, true, "", "Place among the votes of the meeting, from 1."},
			{"motion_seq", Integer, true, "", "Order of the motion within its item, from 1."},
			{"motion_text", Text, false, "", "The motion as the minutes word it."},
			{"result", Text, true, "", "adopted, failed, tabled, continued, no_action or other."},
			{"result_raw", Text, false, "", "The result as printed."},
			{"ayes_count", Integer, true, "", "As printed, else the number of ayes named."},
			{"nays_count", Integer, true, "", "As printed, else the number of nays named."},
			{"unanimous", Boolean, true, "", "At least one aye, no nay and no abstention."},
			{"mover_id", Integer, false, "members.id", "Who moved."},
			{"seconder_id", Integer, false, "members.id", "Who seconded."},
			{"via_consent", Boolean, true, "", "Taken by one vote on the whole consent calendar."},
			{"parse_source", Text, true, "", "pdf or html."},
			{"parsed_at", Time, true, "", "When the vote was first read with its present content."},
			{"source_url", URL, false, "", "The approved minutes, at the page of the roll call if known; of a vote that " +
				"only the portal records, the portal's page of the meeting."},
			{"source_page", Integer, false, "", "That page, from 1."},
			{"origin", Text, true, "", "minutes, or record: the portal's own data, until there are minutes."},
			bodyColumn,
		},
		Indexes: []string{"item_id", "meeting_id"},
	},
	{
		Name: "positions", Doc: "The position of each member on each vote: the roll calls.",
		Key:  []string{"vote_id", "member_id"},
		from: "council.vote_position t", order: "t.vote_id, t.member_id",
		Columns: []Column{
			{"vote_id", Integer, true, "votes.id", "The vote."},
			{"member_id", Integer, true, "members.id", "The member."},
			{"ord", Integer, true, "", "Place in the roll as printed, from 1."},
			{"position", Text, true, "", "aye, nay, abstain, absent or recused."},
			bodyColumn,
		},
		Indexes: []string{"member_id"},
	},
	{
		Name: "attendance", Doc: "The attendance lists of the minutes, staff included.", Key: []string{"meeting_id", "ord"},
		from:  "council.attendance t LEFT JOIN council.member b ON b.name_key = t.name_key",
		order: "t.iqm2_id, t.ord",
		sql:   map[string]string{"meeting_id": "t.iqm2_id", "member_id": "b.id"},
		Columns: []Column{
			{"meeting_id", Integer, true, "meetings.iqm2_id", "The meeting."},
			{"ord", Integer, true, "", "Place in the list, from 1."},
			{"name", Text, true, "", "As printed."},
			{"member_id", Integer, false, "members.id", "The member with that name; empty for staff."},
			{"title", Text, false, "", "As printed."},
			{"status", Text, false, "", "As printed: Present, Absent, Late …"},
			bodyColumn,
		},
		Indexes: []string{"member_id"},
	},
	{
		Name: "anomalies", Doc: "What is wrong in the sources, or could not be read from them.", Key: []string{"id"},
		from: "council.anomaly t", order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id"},
		Columns: []Column{
			{"id", Integer, true, "", "Stable id of the anomaly."},
			{"meeting_id", Integer, true, "meetings.iqm2_id", "The meeting."},
			{"ord", Integer, true, "", "Place in the meeting, from 1."},
			{"item_id", Integer, false, "items.id", "The item; empty if the anomaly concerns the whole meeting."},
			{"motion_seq", Integer, false, "", "The motion of the item; empty if the anomaly concerns no single motion."},
			{"kind", Text, true, "", "typo, missing, inconsistency or error."},
			{"code", Text, true, "", "The rule that is broken."},
			{"message", Text, true, "", "In words."},
			{"source_page", Integer, false, "", "Page of the minutes PDF, from 1."},
			bodyColumn,
		},
		Indexes: []string{"meeting_id", "item_id"},
	},
	{
		Name: "corrections", Doc: "What people say against what was read, with author, reason and document. Those in force " +
			"are in the other tables already. The described rows may have been removed, so no key refers to them.",
		Key: []string{"id"},
		// This selects only applied corrections. On every replica, newer ones come with the next
		// generation.
		from: `council.correction t JOIN council.uncorrected l ON l.iqm2_id = t.iqm2_id AND t.correction_id <= l.correction_id
			LEFT JOIN council.correction_state s ON s.correction_id = t.correction_id AND s.published
			LEFT JOIN council.document d ON d.document_id = t.document_id`,
		order: "t.correction_id",
		sql: map[string]string{"id": "t.correction_id", "meeting_id": "t.iqm2_id", "minutes_sha256": minutesSHA256,
			"state": "s.state", "vote": "council.published_missing(t.missing)"},
		Columns: []Column{
			{"id", Integer, true, "", "Rises in the order in which corrections were made."},
			{"kind", Text, true, "", "title, result, mover, seconder, ayes, nays, position, vote_missing, vote_doubled, " +
				"or withdrawn: it takes another back."},
			{"state", Text, false, "", "in_force, superseded by a newer one, or withdrawn; empty for one that takes " +
				"another back."},
			{"meeting_id", Integer, true, "", "The meeting."},
			{"item_id", Integer, false, "", "The item, of a title and of a missing vote."},
			{"vote_id", Integer, false, "", "The vote."},
			{"member", Text, false, "", "Whose position."},
			{"was", Text, false, "", "As read when the correction was made; empty for nobody. Of a missing or doubled " +
				"vote: how many votes of the item were read."},
			{"becomes", Text, false, "", "What is published instead; empty for nobody."},
			{"vote", JSON, false, "", "A missing vote, whole."},
			{"withdraws", Integer, false, "", "The correction that is taken back."},
			{"anomaly_id", Integer, false, "", "The anomaly that it answers."},
			{"author", Text, true, "", "Who says so."},
			{"made_at", Time, true, "", "When, UTC."},
			{"reason", Text, true, "", "Why, in the author's words."},
			{"rests_on", Text, true, "", "The document that shows how it was, in the author's words."},
			{"minutes_sha256", Text, false, "", "SHA-256 of the minutes whose reading is corrected."},
		},
		Indexes: []string{"vote_id", "meeting_id"},
	},
	{
		Name: "reviews", Doc: "What people say of anomalies: each is an act, and an act can be undone. The anomaly may " +
			"have gone since, so it is here in words, and no key refers to it.", Key: []string{"id"},
		from: "council.review t JOIN council.dataset s ON t.review_id <= s.review_id", order: "t.review_id",
		sql: map[string]string{"id": "t.review_id", "meeting_id": "t.iqm2_id"},
		Columns: []Column{
			{"id", Integer, true, "", "Rises in the order of the acts."},
			{"anomaly_id", Integer, true, "", "The anomaly."},
			{"act", Text, true, "", "accepted, rejected, replied, or undone: it takes another act back."},
			{"undoes", Integer, false, "", "The act that is taken back."},
			{"body", Text, true, "", "The reply, or why."},
			{"author", Text, true, "", "Who says so."},
			{"made_at", Time, true, "", "When, UTC."},
			{"meeting_id", Integer, true, "", "The anomaly's meeting, as it was then; likewise the following."},
			{"item_id", Integer, false, "", "Its item."},
			{"motion_seq", Integer, false, "", "Its motion."},
			{"kind", Text, true, "", "Its kind."},
			{"code", Text, true, "", "Its code."},
			{"message", Text, true, "", "It, in words."},
			{"source_page", Integer, false, "", "Its page of the minutes PDF."},
		},
		Indexes: []string{"anomaly_id"},
	},
	{
		Name: "changes", Doc: "Corrections, with time and reason. The described rows may have been removed, so no key " +
			"refers to them.", Key: []string{"id"},
		from: "council.change t LEFT JOIN council.document d ON d.document_id = t.document_id", order: "t.change_id",
		sql: map[string]string{"id": "t.change_id", "meeting_id": "t.iqm2_id", "minutes_sha256": minutesSHA256},
		Columns: []Column{
			{"id", Integer, true, "", "Rises in the order in which changes were published."},
			{"kind", Text, true, "", "meeting_added, meeting_status, vote_added, vote_changed, vote_removed, member_added " +
				"or member_removed."},
			{"changed_at", Time, true, "", "When it was published, UTC."},
			{"reason", Text, true, "", "Why, in words."},
			{"run_id", Text, true, "", "The ingest or re-parse that made it."},
			{"meeting_id", Integer, false, "", "The meeting."},
			{"vote_id", Integer, false, "", "The vote."},
			{"member_id", Integer, false, "", "The member."},
			{"before", JSON, false, "", "The published values before the change."},
			{"after", JSON, false, "", "The published values after the change."},
			{"minutes_sha256", Text, false, "", "SHA-256 of the minutes from which after was read."},
			bodyColumn,
		},
		Indexes: []string{"vote_id"},
	},
}

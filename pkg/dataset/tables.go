// Package dataset lists the files in which a council's dataset is published, and the tables and
// columns in them. council-ingest writes the files with package publish; council-api serves them.
package dataset

import (
	"cmp"
	"slices"
	"strings"
)

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
			{Name: "id", Kind: Integer, Required: true, Doc: "Stable id of the body."},
			{Name: "slug", Kind: Text, Required: true, Doc: "The name for addresses; stable."},
			{Name: "name", Kind: Text, Required: true, Doc: "As the portal writes it."},
			{Name: "kind", Kind: Text, Doc: "The portal's word for what the body is."},
		},
	},
	{
		Name: "body_parts", Doc: "The bodies that meet jointly. A joint meeting is of a body of its own.",
		Key: []string{"body_id", "part_id"}, from: "council.body_part t", order: "t.body_id, t.part_id", bodies: true,
		Columns: []Column{
			{Name: "body_id", Kind: Integer, Required: true, Ref: "bodies.id", Doc: "The joint body."},
			{Name: "part_id", Kind: Integer, Required: true, Ref: "bodies.id", Doc: "A body that meets."},
		},
	},
	{
		Name: "members", Doc: "Everyone who voted, moved or seconded.", Key: []string{"id"},
		from: "council.member t", order: "t.id",
		Columns: []Column{
			{Name: "id", Kind: Integer, Required: true, Doc: "Stable id of the member."},
			{Name: "full_name", Kind: Text, Required: true, Doc: "Name."},
			{Name: "last_name", Kind: Text, Required: true, Doc: "Last word of the name, particles included."},
		},
	},
	{
		Name: "meetings", Doc: "Meetings of the council, future and cancelled ones included.", Key: []string{"iqm2_id"},
		from: `council.meeting t LEFT JOIN council.minutes n ON n.minutes_id = t.minutes_id
			LEFT JOIN council.document d ON d.document_id = n.document_id`, order: "t.iqm2_id",
		sql: map[string]string{"source_url": `coalesce(t.source_url, $base || '/meetings/' || t.iqm2_id)`,
			"minutes_sha256": minutesSHA256},
		Columns: []Column{
			{Name: "iqm2_id", Kind: Integer, Required: true, Doc: "The portal's id of the meeting."},
			{Name: "body", Kind: Text, Required: true, Doc: "The board that sits."},
			{Name: "meeting_type", Kind: Text, Required: true, Doc: "regular, special, closed or other."},
			{Name: "meeting_type_raw", Kind: Text, Required: true, Doc: "The type as the portal writes it."},
			{Name: "meeting_date", Kind: Date, Required: true, Doc: "Local date."},
			{Name: "starts_at", Kind: Time, Required: true, Doc: "Scheduled start, UTC."},
			{Name: "title", Kind: Text, Required: true, Doc: "Title."},
			{Name: "location", Kind: Text, Doc: "Room and address."},
			{Name: "status", Kind: Text, Required: true,
				Doc: "discovered, agenda_only, minutes_pending, complete, cancelled or parse_error."},
			{Name: "source_url", Kind: URL, Required: true, Doc: "The portal's page of the meeting."},
			{Name: "agenda_url", Kind: URL, Doc: "The portal's agenda."},
			{Name: "minutes_url", Kind: URL, Doc: "The portal's minutes."},
			{Name: "video_url", Kind: URL, Doc: "Recording."},
			{Name: "last_fetched", Kind: Time, Doc: "When this data was fetched."},
			{Name: "item_count", Kind: Integer, Required: true, Doc: "Agenda items."},
			{Name: "vote_count", Kind: Integer, Required: true, Doc: "Votes."},
			{Name: "minutes_sha256", Kind: Text,
				Doc: "SHA-256 of the minutes that the votes were read from, as archived at " +
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
			{Name: "id", Kind: Integer, Required: true, Doc: "Stable id of the item."},
			{Name: "meeting_id", Kind: Integer, Required: true, Ref: "meetings.iqm2_id", Doc: "Its meeting."},
			{Name: "ord", Kind: Integer, Required: true, Doc: "Place in the meeting, from 1."},
			{Name: "legifile_id", Kind: Integer, Doc: "The portal's legislative file."},
			{Name: "item_number", Kind: Text, Doc: "As printed."},
			{Name: "section", Kind: Text, Doc: "The heading above the item."},
			{Name: "title", Kind: Text, Required: true, Doc: "Title."},
			{Name: "is_consent", Kind: Boolean, Required: true,
				Doc: "Listed on the consent calendar and not pulled from it."},
			{Name: "source_url", Kind: URL, Required: true,
				Doc: "The portal's page of the item if there is one, else the approved minutes."},
			{Name: "source_page", Kind: Integer, Doc: "Page of the minutes PDF, from 1."},
			{Name: "topic", Kind: Text, Doc: "Machine-assigned."},
			{Name: "topic_confidence", Kind: Number, Doc: "From 0 to 1."},
			{Name: "summary", Kind: Text, Doc: "Machine-written."},
			{Name: "classified_at", Kind: Time, Doc: "When topic and summary were made."},
			{Name: "classifier_model", Kind: Text, Doc: "The model or rules that made them."},
			bodyColumn,
		},
		Indexes: []string{"meeting_id", "topic"},
	},
	{
		Name: "votes",
		Doc: "Motions that were put to the vote, as the minutes record them, or the portal until there are " +
			"minutes; corrections are laid over both.", Key: []string{"id"},
		from:  "council.vote t JOIN council.meeting m ON m.iqm2_id = t.iqm2_id" + minutesOf,
		order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id", "source_url": `
			CASE WHEN t.origin = 'record' OR n.minutes_id IS NULL THEN ` + meetingURL + ` ELSE ` + minutesURL + `
			|| CASE WHEN t.source_page IS NULL THEN '' ELSE '#page=' || t.source_page END END`},
		Columns: []Column{
			{Name: "id", Kind: Integer, Required: true, Doc: "Stable id of the vote."},
			{Name: "item_id", Kind: Integer, Required: true, Ref: "items.id", Doc: "Its item."},
			{Name: "meeting_id", Kind: Integer, Required: true, Ref: "meetings.iqm2_id", Doc: "Its meeting."},
			{Name: "ord", Kind: Integer, Required: true, Doc: "Place among the votes of the meeting, from 1."},
			{Name: "motion_seq", Kind: Integer, Required: true, Doc: "Order of the motion within its item, from 1."},
			{Name: "motion_text", Kind: Text, Doc: "The motion as the minutes word it."},
			{Name: "result", Kind: Text, Required: true, Doc: "adopted, failed, tabled, continued, no_action or other."},
			{Name: "result_raw", Kind: Text, Doc: "The result as printed."},
			{Name: "ayes_count", Kind: Integer, Required: true, Doc: "As printed, else the number of ayes named."},
			{Name: "nays_count", Kind: Integer, Required: true, Doc: "As printed, else the number of nays named."},
			{Name: "unanimous", Kind: Boolean, Required: true, Doc: "At least one aye, no nay and no abstention."},
			{Name: "mover_id", Kind: Integer, Ref: "members.id", Doc: "Who moved."},
			{Name: "seconder_id", Kind: Integer, Ref: "members.id", Doc: "Who seconded."},
			{Name: "via_consent", Kind: Boolean, Required: true, Doc: "Taken by one vote on the whole consent calendar."},
			{Name: "parse_source", Kind: Text, Required: true, Doc: "pdf or html."},
			{Name: "parsed_at", Kind: Time, Required: true, Doc: "When the vote was first read with its present content."},
			{Name: "source_url", Kind: URL,
				Doc: "The approved minutes, at the page of the roll call if known; of a vote that " +
					"only the portal records, the portal's page of the meeting."},
			{Name: "source_page", Kind: Integer, Doc: "That page, from 1."},
			{Name: "origin", Kind: Text, Required: true,
				Doc: "minutes, or record: the portal's own data, until there are minutes."},
			bodyColumn,
		},
		Indexes: []string{"item_id", "meeting_id"},
	},
	{
		Name: "positions", Doc: "The position of each member on each vote: the roll calls.",
		Key:  []string{"vote_id", "member_id"},
		from: "council.vote_position t", order: "t.vote_id, t.member_id",
		Columns: []Column{
			{Name: "vote_id", Kind: Integer, Required: true, Ref: "votes.id", Doc: "The vote."},
			{Name: "member_id", Kind: Integer, Required: true, Ref: "members.id", Doc: "The member."},
			{Name: "ord", Kind: Integer, Required: true, Doc: "Place in the roll as printed, from 1."},
			{Name: "position", Kind: Text, Required: true, Doc: "aye, nay, abstain, absent or recused."},
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
			{Name: "meeting_id", Kind: Integer, Required: true, Ref: "meetings.iqm2_id", Doc: "The meeting."},
			{Name: "ord", Kind: Integer, Required: true, Doc: "Place in the list, from 1."},
			{Name: "name", Kind: Text, Required: true, Doc: "As printed."},
			{Name: "member_id", Kind: Integer, Ref: "members.id", Doc: "The member with that name; empty for staff."},
			{Name: "title", Kind: Text, Doc: "As printed."},
			{Name: "status", Kind: Text, Doc: "As printed: Present, Absent, Late …"},
			bodyColumn,
		},
		Indexes: []string{"member_id"},
	},
	{
		Name: "anomalies", Doc: "What is wrong in the sources, or could not be read from them.", Key: []string{"id"},
		from: "council.anomaly t", order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id"},
		Columns: []Column{
			{Name: "id", Kind: Integer, Required: true, Doc: "Stable id of the anomaly."},
			{Name: "meeting_id", Kind: Integer, Required: true, Ref: "meetings.iqm2_id", Doc: "The meeting."},
			{Name: "ord", Kind: Integer, Required: true, Doc: "Place in the meeting, from 1."},
			{Name: "item_id", Kind: Integer, Ref: "items.id",
				Doc: "The item; empty if the anomaly concerns the whole meeting."},
			{Name: "motion_seq", Kind: Integer,
				Doc: "The motion of the item; empty if the anomaly concerns no single motion."},
			{Name: "kind", Kind: Text, Required: true, Doc: "typo, missing, inconsistency or error."},
			{Name: "code", Kind: Text, Required: true, Doc: "The rule that is broken."},
			{Name: "message", Kind: Text, Required: true, Doc: "In words."},
			{Name: "source_page", Kind: Integer, Doc: "Page of the minutes PDF, from 1."},
			bodyColumn,
		},
		Indexes: []string{"meeting_id", "item_id"},
	},
	{
		Name: "corrections",
		Doc: "What people say against what was read, with author, reason and document. Those in force " +
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
			{Name: "id", Kind: Integer, Required: true, Doc: "Rises in the order in which corrections were made."},
			{Name: "kind", Kind: Text, Required: true,
				Doc: "title, result, mover, seconder, ayes, nays, position, vote_missing, vote_doubled, " +
					"or withdrawn: it takes another back."},
			{Name: "state", Kind: Text, Doc: "in_force, superseded by a newer one, or withdrawn; empty for one that takes " +
				"another back."},
			{Name: "meeting_id", Kind: Integer, Required: true, Doc: "The meeting."},
			{Name: "item_id", Kind: Integer, Doc: "The item, of a title and of a missing vote."},
			{Name: "vote_id", Kind: Integer, Doc: "The vote."},
			{Name: "member", Kind: Text, Doc: "Whose position."},
			{Name: "was", Kind: Text,
				Doc: "As read when the correction was made; empty for nobody. Of a missing or doubled " +
					"vote: how many votes of the item were read."},
			{Name: "becomes", Kind: Text, Doc: "What is published instead; empty for nobody."},
			{Name: "vote", Kind: JSON, Doc: "A missing vote, whole."},
			{Name: "withdraws", Kind: Integer, Doc: "The correction that is taken back."},
			{Name: "anomaly_id", Kind: Integer, Doc: "The anomaly that it answers."},
			{Name: "author", Kind: Text, Required: true, Doc: "Who says so."},
			{Name: "made_at", Kind: Time, Required: true, Doc: "When, UTC."},
			{Name: "reason", Kind: Text, Required: true, Doc: "Why, in the author's words."},
			{Name: "rests_on", Kind: Text, Required: true, Doc: "The document that shows how it was, in the author's words."},
			{Name: "minutes_sha256", Kind: Text, Doc: "SHA-256 of the minutes whose reading is corrected."},
		},
		Indexes: []string{"vote_id", "meeting_id"},
	},
	{
		Name: "reviews", Doc: "What people say of anomalies: each is an act, and an act can be undone. The anomaly may " +
			"have gone since, so it is here in words, and no key refers to it.", Key: []string{"id"},
		from: "council.review t JOIN council.dataset s ON t.review_id <= s.review_id", order: "t.review_id",
		sql: map[string]string{"id": "t.review_id", "meeting_id": "t.iqm2_id"},
		Columns: []Column{
			{Name: "id", Kind: Integer, Required: true, Doc: "Rises in the order of the acts."},
			{Name: "anomaly_id", Kind: Integer, Required: true, Doc: "The anomaly."},
			{Name: "act", Kind: Text, Required: true,
				Doc: "accepted, rejected, replied, or undone: it takes another act back."},
			{Name: "undoes", Kind: Integer, Doc: "The act that is taken back."},
			{Name: "body", Kind: Text, Required: true, Doc: "The reply, or why."},
			{Name: "author", Kind: Text, Required: true, Doc: "Who says so."},
			{Name: "made_at", Kind: Time, Required: true, Doc: "When, UTC."},
			{Name: "meeting_id", Kind: Integer, Required: true,
				Doc: "The anomaly's meeting, as it was then; likewise the following."},
			{Name: "item_id", Kind: Integer, Doc: "Its item."},
			{Name: "motion_seq", Kind: Integer, Doc: "Its motion."},
			{Name: "kind", Kind: Text, Required: true, Doc: "Its kind."},
			{Name: "code", Kind: Text, Required: true, Doc: "Its code."},
			{Name: "message", Kind: Text, Required: true, Doc: "It, in words."},
			{Name: "source_page", Kind: Integer, Doc: "Its page of the minutes PDF."},
		},
		Indexes: []string{"anomaly_id"},
	},
	{
		Name: "changes", Doc: "Corrections, with time and reason. The described rows may have been removed, so no key " +
			"refers to them.", Key: []string{"id"},
		from: "council.change t LEFT JOIN council.document d ON d.document_id = t.document_id", order: "t.change_id",
		sql: map[string]string{"id": "t.change_id", "meeting_id": "t.iqm2_id", "minutes_sha256": minutesSHA256},
		Columns: []Column{
			{Name: "id", Kind: Integer, Required: true, Doc: "Rises in the order in which changes were published."},
			{Name: "kind", Kind: Text, Required: true,
				Doc: "meeting_added, meeting_status, vote_added, vote_changed, vote_removed, member_added " +
					"or member_removed."},
			{Name: "changed_at", Kind: Time, Required: true, Doc: "When it was published, UTC."},
			{Name: "reason", Kind: Text, Required: true, Doc: "Why, in words."},
			{Name: "run_id", Kind: Text, Required: true, Doc: "The ingest or re-parse that made it."},
			{Name: "meeting_id", Kind: Integer, Doc: "The meeting."},
			{Name: "vote_id", Kind: Integer, Doc: "The vote."},
			{Name: "member_id", Kind: Integer, Doc: "The member."},
			{Name: "before", Kind: JSON, Doc: "The published values before the change."},
			{Name: "after", Kind: JSON, Doc: "The published values after the change."},
			{Name: "minutes_sha256", Kind: Text, Doc: "SHA-256 of the minutes from which after was read."},
			bodyColumn,
		},
		Indexes: []string{"vote_id"},
	},
}

package dump

import (
	"cmp"
	"slices"
	"strings"
)

// A kind is the type of a column. Its value is the type's name in XML Schema, as CSVW requires.
type kind string

const (
	kindInteger kind = "integer"
	kindNumber  kind = "double"
	kindBoolean kind = "boolean"
	kindDate    kind = "date"     // as YYYY-MM-DD
	kindTime    kind = "dateTime" // as RFC 3339 in UTC with Z and whole seconds
	kindText    kind = "string"
	kindURL     kind = "anyURI"
	kindJSON    kind = "json"
)

// sqlite returns the type of the column in SQLite, which has neither booleans nor times.
func (k kind) sqlite() string {
	switch k {
	case kindInteger, kindBoolean:
		return "INTEGER"
	case kindNumber:
		return "REAL"
	}
	return "TEXT"
}

type column struct {
	name     string
	kind     kind
	required bool   // never null
	ref      string // referenced column of another table, such as "meetings.iqm2_id"
	doc      string
}

// A table is a table of the dataset. It has the names of the API.
type table struct {
	name    string
	doc     string
	key     []string
	columns []column
	indexes []string // columns with an index in SQLite
	bodies  bool     // exists only in a dataset with several bodies

	from  string            // what follows FROM; the alias of the table is t
	order string            // ORDER BY, so that every replica writes the same bytes
	sql   map[string]string // expressions of columns other than t.name; $1 is the API's public base
}

func (t *table) query() string {
	list := make([]string, len(t.columns))
	for i, c := range t.columns {
		list[i] = cmp.Or(t.sql[c.name], "t."+c.name)
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + t.from +
		" WHERE $1::text IS NOT NULL ORDER BY " + t.order
}

// minutesURL is SQL for the address of a meeting's minutes. It is the same as in the API.
const minutesURL = `coalesce(n.url, $1 || '/meetings/' || m.iqm2_id ||
	CASE d.media_type WHEN 'application/pdf' THEN '/minutes.pdf' ELSE '/minutes.txt' END)`

// meetingURL is SQL for the address of a meeting's page on the portal, or of our own page if there
// is none.
const meetingURL = `coalesce(m.source_url, $1 || '/meetings/' || m.iqm2_id)`

const minutesOf = `
	LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	LEFT JOIN council.document d ON d.document_id = n.document_id`

const minutesSHA256 = `encode(d.sha256, 'hex')`

// bodyColumn is a column of tables below a meeting. Its value is t.body_id.
var bodyColumn = column{"body_id", kindInteger, true, "bodies.id", "The body that met."}

// tablesOf returns the tables of a dataset. With only one body, the tables of bodies are omitted.
func tablesOf(several bool) []table {
	if several {
		return tables
	}
	var list []table
	for _, t := range tables {
		if t.bodies {
			continue
		}
		t.columns = slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return c == bodyColumn })
		list = append(list, t)
	}
	return list
}

// tables has all tables of the dataset. Each table comes after the tables that it refers to.
var tables = []table{
	{
		name: "bodies", doc: "The council, and the commissions, committees and boards of the town.",
		key:  []string{"id"},
		from: "council.body t", order: "t.body_id", bodies: true, sql: map[string]string{"id": "t.body_id"},
		columns: []column{
			{"id", kindInteger, true, "", "Stable id of the body."},
			{"slug", kindText, true, "", "The name for addresses; stable."},
			{"name", kindText, true, "", "As the portal writes it."},
			{"kind", kindText, false, "", "The portal's word for what the body is."},
		},
	},
	{
		name: "body_parts", doc: "The bodies that meet jointly. A joint meeting is of a body of its own.",
		key: []string{"body_id", "part_id"}, from: "council.body_part t", order: "t.body_id, t.part_id", bodies: true,
		columns: []column{
			{"body_id", kindInteger, true, "bodies.id", "The joint body."},
			{"part_id", kindInteger, true, "bodies.id", "A body that meets."},
		},
	},
	{
		name: "members", doc: "Everyone who voted, moved or seconded.", key: []string{"id"},
		from: "council.member t", order: "t.id",
		columns: []column{
			{"id", kindInteger, true, "", "Stable id of the member."},
			{"full_name", kindText, true, "", "Name."},
			{"last_name", kindText, true, "", "Last word of the name, particles included."},
		},
	},
	{
		name: "meetings", doc: "Meetings of the council, future and cancelled ones included.", key: []string{"iqm2_id"},
		from: `council.meeting t LEFT JOIN council.minutes n ON n.minutes_id = t.minutes_id
			LEFT JOIN council.document d ON d.document_id = n.document_id`, order: "t.iqm2_id",
		sql: map[string]string{"source_url": `coalesce(t.source_url, $1 || '/meetings/' || t.iqm2_id)`,
			"minutes_sha256": minutesSHA256},
		columns: []column{
			{"iqm2_id", kindInteger, true, "", "The portal's id of the meeting."},
			{"body", kindText, true, "", "The board that sits."},
			{"meeting_type", kindText, true, "", "regular, special, closed or other."},
			{"meeting_type_raw", kindText, true, "", "The type as the portal writes it."},
			{"meeting_date", kindDate, true, "", "Local date."},
			{"starts_at", kindTime, true, "", "Scheduled start, UTC."},
			{"title", kindText, true, "", "Title."},
			{"location", kindText, false, "", "Room and address."},
			{"status", kindText, true, "", "discovered, agenda_only, minutes_pending, complete, cancelled or parse_error."},
			{"source_url", kindURL, true, "", "The portal's page of the meeting."},
			{"agenda_url", kindURL, false, "", "The portal's agenda."},
			{"minutes_url", kindURL, false, "", "The portal's minutes."},
			{"video_url", kindURL, false, "", "Recording."},
			{"last_fetched", kindTime, false, "", "When this data was fetched."},
			{"item_count", kindInteger, true, "", "Agenda items."},
			{"vote_count", kindInteger, true, "", "Votes."},
			{"minutes_sha256", kindText, false, "", "SHA-256 of the minutes that the votes were read from, as archived at " +
				"/meetings/{iqm2_id}/minutes.pdf."},
			bodyColumn,
		},
		indexes: []string{"meeting_date"},
	},
	{
		name: "items", doc: "Agenda items. Topic and summary are made by a machine and may be wrong.", key: []string{"id"},
		from:  "council.item t JOIN council.meeting m ON m.iqm2_id = t.iqm2_id" + minutesOf,
		order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id", "source_url": `coalesce(t.source_url,
			CASE WHEN n.minutes_id IS NOT NULL THEN ` + minutesURL + ` END, ` + meetingURL + `)`},
		columns: []column{
			{"id", kindInteger, true, "", "Stable id of the item."},
			{"meeting_id", kindInteger, true, "meetings.iqm2_id", "Its meeting."},
			{"ord", kindInteger, true, "", "Place in the meeting, from 1."},
			{"legifile_id", kindInteger, false, "", "The portal's legislative file."},
			{"item_number", kindText, false, "", "As printed."},
			{"section", kindText, false, "", "The heading above the item."},
			{"title", kindText, true, "", "Title."},
			{"is_consent", kindBoolean, true, "", "Listed on the consent calendar and not pulled from it."},
			{"source_url", kindURL, true, "", "The portal's page of the item if there is one, else the approved minutes."},
			{"source_page", kindInteger, false, "", "Page of the minutes PDF, from 1."},
			{"topic", kindText, false, "", "Machine-assigned."},
			{"topic_confidence", kindNumber, false, "", "From 0 to 1."},
			{"summary", kindText, false, "", "Machine-written."},
			{"classified_at", kindTime, false, "", "When topic and summary were made."},
			{"classifier_model", kindText, false, "", "The model or rules that made them."},
			bodyColumn,
		},
		indexes: []string{"meeting_id", "topic"},
	},
	{
		name: "votes", doc: "Motions that were put to the vote, as the minutes record them, or the portal until there are " +
			"minutes; corrections are laid over both.", key: []string{"id"},
		from:  "council.vote t JOIN council.meeting m ON m.iqm2_id = t.iqm2_id" + minutesOf,
		order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id", "source_url": `
			CASE WHEN t.origin = 'record' OR n.minutes_id IS NULL THEN ` + meetingURL + ` ELSE ` + minutesURL + `
			|| CASE WHEN t.source_page IS NULL THEN '' ELSE '#page=' || t.source_page END END`},
		columns: []column{
			{"id", kindInteger, true, "", "Stable id of the vote."},
			{"item_id", kindInteger, true, "items.id", "Its item."},
			{"meeting_id", kindInteger, true, "meetings.iqm2_id", "Its meeting."},
			{"ord", kindInteger, true, "", "Place among the votes of the meeting, from 1."},
			{"motion_seq", kindInteger, true, "", "Order of the motion within its item, from 1."},
			{"motion_text", kindText, false, "", "The motion as the minutes word it."},
			{"result", kindText, true, "", "adopted, failed, tabled, continued, no_action or other."},
			{"result_raw", kindText, false, "", "The result as printed."},
			{"ayes_count", kindInteger, true, "", "As printed, else the number of ayes named."},
			{"nays_count", kindInteger, true, "", "As printed, else the number of nays named."},
			{"unanimous", kindBoolean, true, "", "At least one aye, no nay and no abstention."},
			{"mover_id", kindInteger, false, "members.id", "Who moved."},
			{"seconder_id", kindInteger, false, "members.id", "Who seconded."},
			{"via_consent", kindBoolean, true, "", "Taken by one vote on the whole consent calendar."},
			{"parse_source", kindText, true, "", "pdf or html."},
			{"parsed_at", kindTime, true, "", "When the vote was first read with its present content."},
			{"source_url", kindURL, false, "", "The approved minutes, at the page of the roll call if known; of a vote that " +
				"only the portal records, the portal's page of the meeting."},
			{"source_page", kindInteger, false, "", "That page, from 1."},
			{"origin", kindText, true, "", "minutes, or record: the portal's own data, until there are minutes."},
			bodyColumn,
		},
		indexes: []string{"item_id", "meeting_id"},
	},
	{
		name: "positions", doc: "The position of each member on each vote: the roll calls.",
		key:  []string{"vote_id", "member_id"},
		from: "council.vote_position t", order: "t.vote_id, t.member_id",
		columns: []column{
			{"vote_id", kindInteger, true, "votes.id", "The vote."},
			{"member_id", kindInteger, true, "members.id", "The member."},
			{"ord", kindInteger, true, "", "Place in the roll as printed, from 1."},
			{"position", kindText, true, "", "aye, nay, abstain, absent or recused."},
			bodyColumn,
		},
		indexes: []string{"member_id"},
	},
	{
		name: "attendance", doc: "The attendance lists of the minutes, staff included.", key: []string{"meeting_id", "ord"},
		from:  "council.attendance t LEFT JOIN council.member b ON b.name_key = t.name_key",
		order: "t.iqm2_id, t.ord",
		sql:   map[string]string{"meeting_id": "t.iqm2_id", "member_id": "b.id"},
		columns: []column{
			{"meeting_id", kindInteger, true, "meetings.iqm2_id", "The meeting."},
			{"ord", kindInteger, true, "", "Place in the list, from 1."},
			{"name", kindText, true, "", "As printed."},
			{"member_id", kindInteger, false, "members.id", "The member with that name; empty for staff."},
			{"title", kindText, false, "", "As printed."},
			{"status", kindText, false, "", "As printed: Present, Absent, Late …"},
			bodyColumn,
		},
		indexes: []string{"member_id"},
	},
	{
		name: "anomalies", doc: "What is wrong in the sources, or could not be read from them.", key: []string{"id"},
		from: "council.anomaly t", order: "t.meeting_date, t.starts_at, t.iqm2_id, t.ord",
		sql: map[string]string{"meeting_id": "t.iqm2_id"},
		columns: []column{
			{"id", kindInteger, true, "", "Stable id of the anomaly."},
			{"meeting_id", kindInteger, true, "meetings.iqm2_id", "The meeting."},
			{"ord", kindInteger, true, "", "Place in the meeting, from 1."},
			{"item_id", kindInteger, false, "items.id", "The item; empty if the anomaly concerns the whole meeting."},
			{"motion_seq", kindInteger, false, "", "The motion of the item; empty if the anomaly concerns no single motion."},
			{"kind", kindText, true, "", "typo, missing, inconsistency or error."},
			{"code", kindText, true, "", "The rule that is broken."},
			{"message", kindText, true, "", "In words."},
			{"source_page", kindInteger, false, "", "Page of the minutes PDF, from 1."},
			bodyColumn,
		},
		indexes: []string{"meeting_id", "item_id"},
	},
	{
		name: "corrections", doc: "What people say against what was read, with author, reason and document. Those in force " +
			"are in the other tables already. The described rows may have been removed, so no key refers to them.",
		key: []string{"id"},
		// This selects only applied corrections. On every replica, newer ones come with the next
		// generation.
		from: `council.correction t JOIN council.laid l ON l.iqm2_id = t.iqm2_id AND t.correction_id <= l.correction_id
			LEFT JOIN council.correction_state s ON s.correction_id = t.correction_id AND s.published
			LEFT JOIN council.document d ON d.document_id = t.document_id`,
		order: "t.correction_id",
		sql: map[string]string{"id": "t.correction_id", "meeting_id": "t.iqm2_id", "minutes_sha256": minutesSHA256,
			"state": "s.state"},
		columns: []column{
			{"id", kindInteger, true, "", "Rises in the order in which corrections were made."},
			{"kind", kindText, true, "", "title, result, mover, seconder, ayes, nays, position, vote_missing, vote_doubled, " +
				"or withdrawn: it takes another back."},
			{"state", kindText, false, "", "in_force, superseded by a newer one, or withdrawn; empty for one that takes " +
				"another back."},
			{"meeting_id", kindInteger, true, "", "The meeting."},
			{"item_id", kindInteger, false, "", "The item, of a title and of a missing vote."},
			{"vote_id", kindInteger, false, "", "The vote."},
			{"member", kindText, false, "", "Whose position."},
			{"was", kindText, false, "", "As read when the correction was made; empty for nobody. Of a missing or doubled " +
				"vote: how many votes of the item were read."},
			{"becomes", kindText, false, "", "What is published instead; empty for nobody."},
			{"vote", kindJSON, false, "", "A missing vote, whole."},
			{"withdraws", kindInteger, false, "", "The correction that is taken back."},
			{"anomaly_id", kindInteger, false, "", "The anomaly that it answers."},
			{"author", kindText, true, "", "Who says so."},
			{"made_at", kindTime, true, "", "When, UTC."},
			{"reason", kindText, true, "", "Why, in the author's words."},
			{"rests_on", kindText, true, "", "The document that shows how it was, in the author's words."},
			{"minutes_sha256", kindText, false, "", "SHA-256 of the minutes whose reading is corrected."},
		},
		indexes: []string{"vote_id", "meeting_id"},
	},
	{
		name: "reviews", doc: "What people say of anomalies: each is an act, and an act can be undone. The anomaly may " +
			"have gone since, so it is here in words, and no key refers to it.", key: []string{"id"},
		from: "council.review t JOIN council.dataset s ON t.review_id <= s.review_id", order: "t.review_id",
		sql: map[string]string{"id": "t.review_id", "meeting_id": "t.iqm2_id"},
		columns: []column{
			{"id", kindInteger, true, "", "Rises in the order of the acts."},
			{"anomaly_id", kindInteger, true, "", "The anomaly."},
			{"act", kindText, true, "", "accepted, rejected, replied, or undone: it takes another act back."},
			{"undoes", kindInteger, false, "", "The act that is taken back."},
			{"body", kindText, true, "", "The reply, or why."},
			{"author", kindText, true, "", "Who says so."},
			{"made_at", kindTime, true, "", "When, UTC."},
			{"meeting_id", kindInteger, true, "", "The anomaly's meeting, as it was then; likewise the following."},
			{"item_id", kindInteger, false, "", "Its item."},
			{"motion_seq", kindInteger, false, "", "Its motion."},
			{"kind", kindText, true, "", "Its kind."},
			{"code", kindText, true, "", "Its code."},
			{"message", kindText, true, "", "It, in words."},
			{"source_page", kindInteger, false, "", "Its page of the minutes PDF."},
		},
		indexes: []string{"anomaly_id"},
	},
	{
		name: "changes", doc: "Corrections, with time and reason. The described rows may have been removed, so no key " +
			"refers to them.", key: []string{"id"},
		from: "council.change t LEFT JOIN council.document d ON d.document_id = t.document_id", order: "t.change_id",
		sql: map[string]string{"id": "t.change_id", "meeting_id": "t.iqm2_id", "minutes_sha256": minutesSHA256},
		columns: []column{
			{"id", kindInteger, true, "", "Rises in the order in which changes were published."},
			{"kind", kindText, true, "", "meeting_added, meeting_status, vote_added, vote_changed, vote_removed, member_added " +
				"or member_removed."},
			{"changed_at", kindTime, true, "", "When it was published, UTC."},
			{"reason", kindText, true, "", "Why, in words."},
			{"run_id", kindText, true, "", "The ingest or re-parse that made it."},
			{"meeting_id", kindInteger, false, "", "The meeting."},
			{"vote_id", kindInteger, false, "", "The vote."},
			{"member_id", kindInteger, false, "", "The member."},
			{"before", kindJSON, false, "", "The published values before the change."},
			{"after", kindJSON, false, "", "The published values after the change."},
			{"minutes_sha256", kindText, false, "", "SHA-256 of the minutes from which after was read."},
			bodyColumn,
		},
		indexes: []string{"vote_id"},
	},
}

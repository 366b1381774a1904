CREATE TABLE about ( -- Where this file comes from.
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE anomalies ( -- What is wrong in the sources, or could not be read from them.
  id INTEGER NOT NULL PRIMARY KEY, -- Stable id of the anomaly.
  meeting_id INTEGER NOT NULL REFERENCES meetings (iqm2_id), -- The meeting.
  ord INTEGER NOT NULL, -- Place in the meeting, from 1.
  item_id INTEGER REFERENCES items (id), -- The item; empty if the anomaly concerns the whole meeting.
  motion_seq INTEGER, -- The motion of the item; empty if the anomaly concerns no single motion.
  kind TEXT NOT NULL, -- typo, missing, inconsistency or error.
  code TEXT NOT NULL, -- The rule that is broken.
  message TEXT NOT NULL, -- In words.
  source_page INTEGER -- Page of the minutes PDF, from 1.
);
CREATE TABLE attendance ( -- The attendance lists of the minutes, staff included.
  meeting_id INTEGER NOT NULL REFERENCES meetings (iqm2_id), -- The meeting.
  ord INTEGER NOT NULL, -- Place in the list, from 1.
  name TEXT NOT NULL, -- As printed.
  member_id INTEGER REFERENCES members (id), -- The member with that name; empty for staff.
  title TEXT, -- As printed.
  status TEXT, -- As printed: Present, Absent, Late …
  PRIMARY KEY (meeting_id, ord)
) WITHOUT ROWID;
CREATE TABLE changes ( -- Corrections, with time and reason. The described rows may have been removed, so no key refers to them.
  id INTEGER NOT NULL PRIMARY KEY, -- Rises in the order in which changes were published.
  kind TEXT NOT NULL, -- meeting_added, meeting_status, vote_added, vote_changed, vote_removed, member_added or member_removed.
  changed_at TEXT NOT NULL, -- When it was published, UTC.
  reason TEXT NOT NULL, -- Why, in words.
  run_id TEXT NOT NULL, -- The ingest or re-parse that made it.
  meeting_id INTEGER, -- The meeting.
  vote_id INTEGER, -- The vote.
  member_id INTEGER, -- The member.
  before TEXT, -- The published values before the change.
  after TEXT, -- The published values after the change.
  minutes_sha256 TEXT -- SHA-256 of the minutes from which after was read.
);
CREATE TABLE corrections ( -- What people say against what was read, with author, reason and document. Those in force are in the other tables already. The described rows may have been removed, so no key refers to them.
  id INTEGER NOT NULL PRIMARY KEY, -- Rises in the order in which corrections were made.
  kind TEXT NOT NULL, -- title, result, mover, seconder, ayes, nays, position, vote_missing, vote_doubled, or withdrawn: it takes another back.
  state TEXT, -- in_force, superseded by a newer one, or withdrawn; empty for one that takes another back.
  meeting_id INTEGER NOT NULL, -- The meeting.
  item_id INTEGER, -- The item, of a title and of a missing vote.
  vote_id INTEGER, -- The vote.
  member TEXT, -- Whose position.
  was TEXT, -- As read when the correction was made; empty for nobody. Of a missing or doubled vote: how many votes of the item were read.
  becomes TEXT, -- What is published instead; empty for nobody.
  vote TEXT, -- A missing vote, whole.
  withdraws INTEGER, -- The correction that is taken back.
  anomaly_id INTEGER, -- The anomaly that it answers.
  author TEXT NOT NULL, -- Who says so.
  made_at TEXT NOT NULL, -- When, UTC.
  reason TEXT NOT NULL, -- Why, in the author's words.
  rests_on TEXT NOT NULL, -- The document that shows how it was, in the author's words.
  minutes_sha256 TEXT -- SHA-256 of the minutes whose reading is corrected.
);
CREATE TABLE items ( -- Agenda items. Topic and summary are made by a machine and may be wrong.
  id INTEGER NOT NULL PRIMARY KEY, -- Stable id of the item.
  meeting_id INTEGER NOT NULL REFERENCES meetings (iqm2_id), -- Its meeting.
  ord INTEGER NOT NULL, -- Place in the meeting, from 1.
  legifile_id INTEGER, -- The portal's legislative file.
  item_number TEXT, -- As printed.
  section TEXT, -- The heading above the item.
  title TEXT NOT NULL, -- Title.
  is_consent INTEGER NOT NULL, -- Listed on the consent calendar and not pulled from it.
  source_url TEXT NOT NULL, -- The portal's page of the item if there is one, else the approved minutes.
  source_page INTEGER, -- Page of the minutes PDF, from 1.
  topic TEXT, -- Machine-assigned.
  topic_confidence REAL, -- From 0 to 1.
  summary TEXT, -- Machine-written.
  classified_at TEXT, -- When topic and summary were made.
  classifier_model TEXT -- The model or rules that made them.
);
CREATE TABLE meetings ( -- Meetings of the council, future and cancelled ones included.
  iqm2_id INTEGER NOT NULL PRIMARY KEY, -- The portal's id of the meeting.
  body TEXT NOT NULL, -- The board that sits.
  meeting_type TEXT NOT NULL, -- regular, special, closed or other.
  meeting_type_raw TEXT NOT NULL, -- The type as the portal writes it.
  meeting_date TEXT NOT NULL, -- Local date.
  starts_at TEXT NOT NULL, -- Scheduled start, UTC.
  title TEXT NOT NULL, -- Title.
  location TEXT, -- Room and address.
  status TEXT NOT NULL, -- discovered, agenda_only, minutes_pending, complete, cancelled or parse_error.
  source_url TEXT NOT NULL, -- The portal's page of the meeting.
  agenda_url TEXT, -- The portal's agenda.
  minutes_url TEXT, -- The portal's minutes.
  video_url TEXT, -- Recording.
  last_fetched TEXT, -- When this data was fetched.
  item_count INTEGER NOT NULL, -- Agenda items.
  vote_count INTEGER NOT NULL, -- Votes.
  minutes_sha256 TEXT -- SHA-256 of the minutes that the votes were read from, as archived at /meetings/{iqm2_id}/minutes.pdf.
);
CREATE TABLE members ( -- Everyone who voted, moved or seconded.
  id INTEGER NOT NULL PRIMARY KEY, -- Stable id of the member.
  full_name TEXT NOT NULL, -- Name.
  last_name TEXT NOT NULL -- Last word of the name, particles included.
);
CREATE TABLE positions ( -- The position of each member on each vote: the roll calls.
  vote_id INTEGER NOT NULL REFERENCES votes (id), -- The vote.
  member_id INTEGER NOT NULL REFERENCES members (id), -- The member.
  ord INTEGER NOT NULL, -- Place in the roll as printed, from 1.
  position TEXT NOT NULL, -- aye, nay, abstain, absent or recused.
  PRIMARY KEY (vote_id, member_id)
) WITHOUT ROWID;
CREATE TABLE reviews ( -- What people say of anomalies: each is an act, and an act can be undone. The anomaly may have gone since, so it is here in words, and no key refers to it.
  id INTEGER NOT NULL PRIMARY KEY, -- Rises in the order of the acts.
  anomaly_id INTEGER NOT NULL, -- The anomaly.
  act TEXT NOT NULL, -- accepted, rejected, replied, or undone: it takes another act back.
  undoes INTEGER, -- The act that is taken back.
  body TEXT NOT NULL, -- The reply, or why.
  author TEXT NOT NULL, -- Who says so.
  made_at TEXT NOT NULL, -- When, UTC.
  meeting_id INTEGER NOT NULL, -- The anomaly's meeting, as it was then; likewise the following.
  item_id INTEGER, -- Its item.
  motion_seq INTEGER, -- Its motion.
  kind TEXT NOT NULL, -- Its kind.
  code TEXT NOT NULL, -- Its code.
  message TEXT NOT NULL, -- It, in words.
  source_page INTEGER -- Its page of the minutes PDF.
);
CREATE TABLE votes ( -- Motions that were put to the vote, as the minutes record them, or the portal until there are minutes; corrections are laid over both.
  id INTEGER NOT NULL PRIMARY KEY, -- Stable id of the vote.
  item_id INTEGER NOT NULL REFERENCES items (id), -- Its item.
  meeting_id INTEGER NOT NULL REFERENCES meetings (iqm2_id), -- Its meeting.
  ord INTEGER NOT NULL, -- Place among the votes of the meeting, from 1.
  motion_seq INTEGER NOT NULL, -- Order of the motion within its item, from 1.
  motion_text TEXT, -- The motion as the minutes word it.
  result TEXT NOT NULL, -- adopted, failed, tabled, continued, no_action or other.
  result_raw TEXT, -- The result as printed.
  ayes_count INTEGER NOT NULL, -- As printed, else the number of ayes named.
  nays_count INTEGER NOT NULL, -- As printed, else the number of nays named.
  unanimous INTEGER NOT NULL, -- At least one aye, no nay and no abstention.
  mover_id INTEGER REFERENCES members (id), -- Who moved.
  seconder_id INTEGER REFERENCES members (id), -- Who seconded.
  via_consent INTEGER NOT NULL, -- Taken by one vote on the whole consent calendar.
  parse_source TEXT NOT NULL, -- pdf or html.
  parsed_at TEXT NOT NULL, -- When the vote was first read with its present content.
  source_url TEXT, -- The approved minutes, at the page of the roll call if known; of a vote that only the portal records, the portal's page of the meeting.
  source_page INTEGER, -- That page, from 1.
  origin TEXT NOT NULL -- minutes, or record: the portal's own data, until there are minutes.
);
CREATE INDEX anomalies_item_id ON anomalies (item_id);
CREATE INDEX anomalies_meeting_id ON anomalies (meeting_id);
CREATE INDEX attendance_member_id ON attendance (member_id);
CREATE INDEX changes_vote_id ON changes (vote_id);
CREATE INDEX corrections_meeting_id ON corrections (meeting_id);
CREATE INDEX corrections_vote_id ON corrections (vote_id);
CREATE INDEX items_meeting_id ON items (meeting_id);
CREATE INDEX items_topic ON items (topic);
CREATE INDEX meetings_meeting_date ON meetings (meeting_date);
CREATE INDEX positions_member_id ON positions (member_id);
CREATE INDEX reviews_anomaly_id ON reviews (anomaly_id);
CREATE INDEX votes_item_id ON votes (item_id);
CREATE INDEX votes_meeting_id ON votes (meeting_id);
-- about: 6 rows
-- anomalies: 8 rows
-- attendance: 38 rows
-- changes: 79 rows
-- corrections: 0 rows
-- items: 22 rows
-- meetings: 8 rows
-- members: 9 rows
-- positions: 155 rows
-- reviews: 0 rows
-- votes: 40 rows

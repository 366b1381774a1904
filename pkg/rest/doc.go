// Package rest turns a table of endpoints into an HTTP API. An endpoint is data:
// what it takes (a struct of parameters), what it asks (SQL beside the struct of
// its rows) and what it gives (a Go value whose JSON is the body). Everything
// between the bytes that come in and the bytes that go out is here, once:
// routing, binding and validation, generations and validators, the cache of
// encoded bodies, compression, errors, CORS, request ids, logs, metrics and the
// OpenAPI description.
//
// # A table
//
// A service writes one file per resource: params, query, row, endpoint. The
// council dialect pages by cursor and answers problems (RFC 9457):
//
//	type meetingsParams struct {
//		rest.Keyset                                                       // limit, cursor
//		From *rest.Date     `query:"from" doc:"First local day."`
//		Type *council.Type  `query:"type" doc:"Kind of meeting."`         // its Values() are the enum
//	}
//	type Meeting struct {
//		rest.Key                                                          // column "cursor", not in the JSON
//		ID       int64     `json:"iqm2_id" db:"iqm2_id" doc:"The meeting's id in paths."`
//		StartsAt rest.Time `json:"starts_at"`
//	}
//	var listMeetings = rest.SQL[meetingsParams, Meeting](`
//		SELECT iqm2_id, starts_at, jsonb_build_array(starts_at, iqm2_id) AS cursor
//		FROM council.meeting
//		WHERE (@from::date IS NULL OR meeting_date >= @from) AND (@type::text IS NULL OR meeting_type = @type)
//		  AND (@after::jsonb IS NULL OR (starts_at, iqm2_id) < ((@after->>0)::timestamptz, (@after->>1)::bigint))
//		ORDER BY starts_at DESC, iqm2_id DESC LIMIT @limit`)               // @limit is page size + 1
//	rest.List(rest.Spec{ID: "listMeetings", Path: "/meetings", Summary: "Meetings, newest first", Tag: "Meetings"}, listMeetings)
//
// The transit dialect pages by limit and offset inside an envelope:
//
//	type stopsParams struct {
//		FeedAlias string `path:"feed_alias" doc:"Alias of the feed, from /feeds."`
//		rest.Window                                                       // limit, offset
//	}
//	rest.Func(rest.Spec{ID: "listStops", Path: "/feeds/{feed_alias}/stops", Summary: "Stops of a feed", Tag: "Static",
//		Permission: "static", Queries: rest.Queries(stopRows, stopCount)},
//		func(ctx context.Context, c *rest.Call, p stopsParams) (rest.Envelope[[]Stop], error) {
//			f := feed(c)                                          // c.Generation().Ref.(*Feed)
//			rows, err := stopRows.List(ctx, c, stopArgs{f.VersionID, p.Window})
//			if err != nil { return rest.Envelope[[]Stop]{}, err }
//			for i := range rows { rows[i].Links.Add("self", c.URL("/feeds/{feed_alias}/stops/{stop_id}", f.Alias, rows[i].StopID)) }
//			return rest.Slice(c, p.Window, rows, f.Stops, nil), nil
//		})
//
// [New] assembles a table, a [Dialect] and a base path into an [http.Handler];
// [Server.Serve] runs it on a listener until its context ends.
//
// # Parameters
//
// Fields of the parameter struct carry tags (embedded structs are flattened):
//
//	path:"id" | query:"name"    where it comes from
//	doc:"…"                     its description
//	min:"1" max:"200"           bounds of a number; clamp:"10000" lowers larger ones instead of refusing them
//	minlen:"1" maxlen:"200"     length of a string in characters
//	pattern:"^[0-9]-[0-9]$"     a regular expression it must match; `\S` reads "must not be blank"
//	enum:"true,false"           words it may be; a string type with a method Values brings its own
//	default:"50"                its value when it is absent
//	null:"true"                 "" and "null" mean that it is absent
//	needs:"member"              it means nothing without that parameter, and is refused
//	example:"2026-01-31"        shown in the description
//
// Types: string, int, int64, float64, bool (0, 1, true, false), [Date], named
// strings, and pointers to them, which stay nil when the parameter is absent. All faults of a request are
// told at once. In a path a value that breaks its rules is 404.
//
// Query and path parameters are also the named arguments of the SQL, under their
// own names; fields of other structs by arg:"…" or by their name in snake_case.
//
// # Answers
//
// [Func] answers JSON. The council dialect's lists are [Page], made by [Walk], and for
// one query alone by [List]. The transit dialect's bodies are [Envelope], made by [Item] (one
// thing), [Slice] or [Cut] (a page) and [Whole] (a list without pages). [Bytes] answers a
// file that is kept, [Stream] one that is too large for that; both take ranges.
// A body's JSON is its Go value's: null for a nil pointer, so lists must not be nil.
//
// A handler returns an error: [NotFound], [BadRequest], [Unauthorized] or [Forbidden] say what
// the reader is told. pgx.ErrNoRows is 404, a database that cannot be asked 503 with
// Retry-After, as is one that finds no room, an answer out of time 504, all else 500, of which the reader gets the request's id
// and the log the cause. Errors are never kept and never cached.
//
// The order is: address (404, 405), format (406), access (401, 403), parameters (404 in the path,
// 400 in the query), generation (404 for an unknown feed), validator (304), body. So no
// validator opens what a credential or a rule has closed.
//
// # Generations, validators, cache
//
// A [Source] tells which generation of the data an answer is made of, per
// request and from memory. Generation and canonical request name a body:
// they are its ETag and its key in the cache. A handler therefore must build
// its answer from its parameters and c.Generation() alone; [Call] offers
// nothing else. Whatever must happen at every request (such as asking for fresh
// realtime data) happens in Source.Now, because a kept body calls no handler.
//
// Where rows are not addressed by their generation, a source also has Read: then everything that a handler asks is
// answered from one snapshot of the database, and the body bears the generation that was read in it. What Now told
// from memory may be ahead of the replica that is asked, or behind it; the answer is whole either way.
//
// The canonical request is the endpoint and its parameters after binding, so that other spellings,
// orders and defaults meet in one body. Where links repeat the query ([Window]), it counts whether a parameter was given. Unknown parameters
// never count: they are in no key and no link.
// A body is built once for all who wait for it, goes on as long as one of them does, and is
// kept plain and in each coding that was asked for, until others are wanted more.
//
// If-None-Match is answered before any query and any cache: we only ever
// hand out an ETag with a 200, so whoever presents one has had the body. A client that
// forges the tag of an address that would be 404 only deceives itself;
// "*" and If-Modified-Since, which anyone can send, are answered from the body.
//
// Cache-Control is public, five minutes and a day of revalidation in the background, for static data;
// public and five seconds for realtime; private and never without asking where a credential was
// needed; no-store for errors.
//
// # Bounds
//
// A body of JSON has at most Config.AnswerBytes. It is counted while it is encoded, entry by entry in lists, and one that becomes larger is
// refused: 400 that names the parameter to narrow, 507 where there is none. A handler that makes rows from data of others
// counts them before it makes them, in each turn of a loop that can become long:
//
//	for _, t := range trips {
//		if err := c.Take(ctx, 200); err != nil { return none, err } // bytes of a row, roughly; also looks at ctx
//		rows = append(rows, row(t))
//	}
//
// [Call.Take] refuses alike, and ends with ctx.Err() when the answer's time is over or nobody waits for it any more. Rows of a snapshot are
// counted by themselves. Few large answers are built at a time, the others wait.
//
// Each 64 kB of an answer must be taken within Config.Pace, else the connection is closed. What is being written and not
// kept counts once, however many read it, and has the budget Config.HeldBytes; beyond it large answers are 503 with Retry-After, small
// ones and kept ones go on (load.go, send.go).
//
// A Source with Changed makes its endpoints push as well: to whoever asks for text/event-stream
// they answer anew at each change (push.go).
//
// # Never
//
// gin routes and appears nowhere else; no handler sees a gin.Context or an
// *http.Request. No room writes its own status line, header or error body.
// Nothing here knows a table, a feed or a vote.
//
// Next: endpoint.go (the table), param.go, sql.go, page.go and envelope.go (the
// dialects' lists), answer.go (the read path), openapi.go. Tests of a table
// are in package resttest.
package rest

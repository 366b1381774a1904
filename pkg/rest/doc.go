// Package rest turns a table of endpoints into an HTTP API. An endpoint is data: what it takes (a struct of parameters), the SQL
// that it runs (beside the struct of its rows) and what it returns (a Go value whose JSON is the body). Everything else between
// request and response is here, once: routing, binding and validation, generations and validators, the cache of encoded bodies,
// compression, errors, CORS, request ids, logs, metrics, event streams and the OpenAPI description.
//
// # A table
//
// A service writes one file per resource: parameters, row, query, endpoint. The example below is one that compiles. [New] makes
// an [http.Handler] of a table, a [Dialect] and a base path; [Server.Serve] runs it on a listener until its context ends.
//
// What differs between APIs is theirs, and they hand it over: error bodies and the rule about formats in the [Dialect], paging in
// a struct of parameters that their lists embed ([CursorParams], [LinkedParams]), and the bodies of lists as Go types.
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
//	required:"true"             it must be given
//	maxitems:"20"               of a slice: it may be given several times, each value once; the other tags are for each value
//	example:"2026-01-31"        shown in the description
//
// Types: string, int, int64, float64, bool (0, 1, true, false), [Date] and other encoding.TextUnmarshalers, named strings, and
// pointers to them, which stay nil when the parameter is absent, and slices of them for parameters that are given several times,
// in the order of the request (name=a&name=b: a value may hold any character). A 400 names every fault of a request. A value of
// the path that breaks its rules is 404.
//
// Query and path parameters are also the named arguments of the SQL, under their own names; fields of other structs are
// arguments by arg:"…" or by their name in snake_case.
//
// # Answers
//
// [Func] answers JSON: null for a nil pointer, so lists must not be nil. [Bytes] answers a file that is kept, [Stream] one that is
// too large for that; both answer ranges.
//
// The error of a handler is the answer: [NotFound], [BadRequest], [Unauthorized], [Forbidden] or another [Error].
// pgx.ErrNoRows is 404. A database that cannot be reached, or no room for the answer, is 503 with Retry-After; an answer out of
// time is 504. All else is 500: the client gets the request's id, the log gets the cause. Errors are never kept.
//
// The order is: address (404, 405), format (406), access (401, 403), parameters (404 in the path, 400 in the query), generation
// (404, such as for an unknown feed), validator (304), body. So a validator never answers what a credential or a rule refuses.
//
// # Pages
//
// A [Site] is pages for people: endpoints that [Page] makes, at the root of the host, beside the files that they use. A page is another
// representation of answers that the API has: it calls their functions, declares their statements, and names their permissions, in
// Spec.Shows those without which it is refused, in Spec.MayShow those that it can do without ([Call.May]). It is kept, validated and
// compressed like any answer; its language (by lang= or Accept-Language) and what the client may not see are part of its name.
// Its errors, and those of unknown addresses that a browser asks for outside the API, are pages too. To add a page, give its
// Spec and its function to the table of the API's pages, and its view to a template; package site says what a template may use.
//
// # Generations, validators, cache
//
// A [Source] resolves which generation of the data an answer is made of, per request and from memory. Generation and canonical
// request name a body: they are its ETag and its key in the cache. A handler must therefore build its answer from its parameters
// and c.Generation() alone; [Call] offers nothing else. What must happen at every request (such as a refresh request for stale
// realtime data) happens in Source.Now, because a kept body calls no handler.
//
// Where rows are not addressed by their generation, a source also has Read: then one snapshot of the database answers all queries
// of a handler, and the body has the generation of the snapshot, whether that is ahead of what Now returned or behind it.
//
// The canonical request is the endpoint and its parameters after binding: other spellings, orders and defaults share one body.
// Where links repeat the query ([LinkedParams]), it counts whether a parameter was given. Unknown parameters never
// count: they are in no key and no link. A body is built once for all requests that wait for it, and the build ends when no
// request waits any more. It is kept plain and in each coding that was asked for.
//
// If-None-Match is answered before any query and any cache: an ETag is only sent with a 200, so a client that presents one has
// had the body. "*" and If-Modified-Since, which any client can send, are answered from the body.
//
// Cache-Control is public, five minutes and a day of revalidation in the background, for static data; public and five seconds
// for realtime data; private and never without asking where a credential was needed; no-store for errors.
//
// # Bounds
//
// A body of JSON has at most Config.AnswerBytes. It is counted while it is encoded, field by field and entry by entry in lists, and
// one that becomes larger is refused: 400 that names the parameter to narrow, 507 where there is none. A handler that
// makes rows from data of others calls [Call.Take] before each of them. Rows of a snapshot are counted by themselves. Few large
// answers are built at a time; the others wait.
//
// Each 64 kB of an answer must be taken within Config.Pace, else the connection is closed. What is being written and not kept
// counts once, however many clients read it, and has the budget Config.HeldBytes; beyond it large answers are 503, small and
// kept ones go on.
//
// # Never
//
// gin routes and appears nowhere else; no handler sees a gin.Context or an *http.Request. A handler writes no status
// line, header or error body. Nothing here knows a table, a dialect or a user of it.
//
// Next: call.go (the types), endpoint.go (the table), answer.go (the read path), build.go (bodies), sql.go (queries), push.go
// (event streams), site.go (pages). Below: internal/bind (parameters), internal/reply (encoded replies, their cache and codings), openapi (the
// description). Tests of a table are in package resttest.
package rest

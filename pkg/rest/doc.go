// Package rest turns a table of endpoints into an HTTP API. An endpoint is data: its parameters (a
// struct), the SQL that it runs (beside the struct of its rows) and its result (a Go value whose
// JSON is the body). Everything else between request and response is here, once: routing, binding
// and validation, generations and validators, the cache of encoded bodies, compression, errors,
// CORS, request ids, logs, metrics, event streams and the OpenAPI description.
//
// # A table
//
// A service writes one file per resource: parameters, row, query, endpoint. The example below is
// one that compiles. [New] makes an [http.Handler] of a table, a [Dialect] and a base path;
// [Server.Serve] runs it on a listener until its context ends.
//
// Each API passes in the rules that differ between APIs: error bodies and formats in the [Dialect],
// paging in a parameter struct that its lists embed ([CursorParams], [LinkedParams]), and the
// bodies of lists as Go types.
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
//	default:"50"                its value if it is absent
//	null:"true"                 "" and "null" mean absent
//	needs:"member"              refused without that parameter
//	required:"true"             it must be given
//	maxitems:"20"               of a slice: it may be repeated, each value once; the other tags hold for each value
//	example:"2026-01-31"        shown in the description
//
// Types: string, int, int64, float64, bool (0, 1, true, false), [Date] and other
// encoding.TextUnmarshalers, named strings, and pointers to them, which stay nil when the parameter
// is absent, and slices of them for parameters that are given several times, in the order of the
// request (name=a&name=b: a value may hold any character). A 400 names every fault of a request. A
// value of the path that breaks its rules is 404.
//
// Query and path parameters are also the named arguments of the SQL, under their own names; fields
// of other structs are arguments by arg:"…" or by their name in snake_case.
//
// # Answers
//
// [Func] answers JSON: null for a nil pointer, so lists must not be nil. [Bytes] answers a file
// that is cached, [Stream] one that is too large for that; both support ranges. [FuncFrom],
// [BytesFrom] and [StreamFrom] are the same for data of a source.
//
// The error of a handler is the answer: [NotFound], [BadRequest], [Unauthorized], [Forbidden] or
// another [Error]. pgx.ErrNoRows is 404, an unreachable database or no memory for the answer 503
// with Retry-After, a timeout 504. Any other error is 500: the client gets the request's id, the
// log gets the cause. Errors are never cached.
//
// The order is: address (404, 405), format (406), access (401, 403), parameters (404 in the path,
// 400 in the query), generation (404, such as for an unknown feed), validator (304), body. So a
// request that is refused never gets a 304.
//
// # Pages
//
// A [Site] is pages for people: endpoints made with [Page] at the root of the host, and the files
// that they use. A page shows answers that the API has: it calls their functions, runs their
// statements and names their permissions. It is cached and validated like any answer; its language
// (by lang= or Accept-Language) and what the client may not see are part of its key. Its errors,
// and those of unknown addresses that a browser asks for outside the API, are pages too.
//
// An endpoint with Spec.Translated answers in the language of [Call.Translated], one of
// Generation.Languages. It is part of the key and of Vary only for data that has translations.
// Package lang chooses.
//
// # Generations, validators, cache
//
// A [Source] finds the data for an answer and its generation, per request and from memory; the
// function of the endpoint gets both typed. Endpoints without one show [Config.Dataset]. Generation
// and canonical request identify a body: they are its ETag and its key in the cache. A handler must
// therefore build its answer from its parameters and what its source found; [Call] offers nothing
// else. Work for every request (such as a refresh request for stale realtime data) belongs into
// Source.Now, because a cached body calls no handler.
//
// If rows are not selected by generation, a [Dataset] also has Read: then one snapshot of the
// database answers all queries of a handler, and the body has the generation of the snapshot, which
// may be later or earlier than that of Now.
//
// The canonical request is the endpoint and its parameters after binding: other spellings, orders
// and defaults share one body. If links repeat the query ([LinkedParams]), a given parameter
// differs from its default. Unknown parameters are ignored. A body is built once for all requests
// that wait for it, until no request waits any more.
//
// If-None-Match is answered before any query and any cache: an ETag is only sent with a 200, so a
// client that presents one has had the body. "*" and If-Modified-Since, which any client can send,
// are answered from the body.
//
// # Bounds
//
// A body of JSON has at most 32 MB. A larger one is refused: with a 400 that names the parameter to
// narrow, or a 507 if there is none. Rows of a snapshot are counted as they are read; a handler
// that makes rows from other data calls [Call.Take] before each of them. Few large answers are
// built at a time; the others wait.
//
// A client must read each 64 kB of an answer within 15 seconds, else the connection is closed.
// Large bodies that are being written count once, however many clients read them, and have a budget
// of a quarter of the cache; beyond it large answers are 503 and small ones are still served.
//
// gin routes and appears nowhere else. No handler sees an *http.Request or writes a status or a
// header. The package knows no table, no dialect and no API.
//
// Next: call.go (the types), endpoint.go (the table), answer.go (the read path), build.go (bodies),
// sql.go (queries), push.go (event streams), site.go (pages), language.go. Below: internal/bind
// (parameters), internal/reply (encoded replies, their cache and codings), openapi (the
// description). Tests of a table are in package resttest.
package rest

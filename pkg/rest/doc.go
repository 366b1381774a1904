// Package rest turns a table of endpoints into an HTTP API. An endpoint is data: its parameters (a
// struct), its SQL (next to the struct of its rows) and its result (a Go value whose JSON is the
// body). The package does the rest: routing, binding and validation, generations and validators,
// the cache of encoded bodies, compression, errors, CORS, request ids, logs, metrics, event streams
// and the OpenAPI description.
//
// # A table
//
// A service writes one file per resource: parameters, row, query, endpoint; see example_test.go.
// [New] makes an [http.Handler] of a table, and [Server.Serve] runs it on a listener until its
// context ends. APIs differ in their [Dialect] (error bodies and formats), in their paging, a
// parameter struct that lists embed ([CursorParams], [LinkedParams]), and in the bodies of lists.
//
// # Parameters
//
// Fields of the parameter struct carry tags (embedded structs are flattened):
//
//	path:"id" | query:"name"    its place and name
//	doc:"…"                     its description
//	min:"1" max:"200"           bounds of a number; clamp:"10000" lowers larger ones instead of refusing them
//	minlen:"1" maxlen:"200"     length of a string in characters
//	pattern:"^[0-9]-[0-9]$"     a regular expression it must match; `\S` reads "must not be blank"
//	enum:"true,false"           its words; a string type may have a method Values instead
//	default:"50"                its value if it is absent
//	null:"true"                 "" and "null" mean absent
//	needs:"member"              invalid without that parameter
//	added:"true"                added later: requests without it keep their cursors and ETags
//	required:"true"             invalid if it is absent
//	maxitems:"20"               of a slice: most values; the other tags hold for each value
//	example:"2026-01-31"        shown in the description
//
// Types: string, int, int64, float64, bool (0, 1, true, false), [Date] and other
// encoding.TextUnmarshalers, named strings; pointers to them, which are nil if the parameter is
// absent; and slices of them, in the order of the request (name=a&name=b). A 400 names every
// invalid parameter. An invalid value in the path is 404.
//
// Query and path parameters are also the named arguments of the SQL, under their own names; fields
// of other structs are arguments by arg:"…" or by their name in snake_case. A [Resolver] among them
// is completed from the database first, such as with the id for a name.
//
// # Answers
//
// [Func] answers JSON: null for a nil pointer, so lists must not be nil. [Bytes] answers a file
// that is cached or, with Spec.Stream, read for each answer; both support ranges. [FuncFrom] and
// [BytesFrom] are the same for data of a source.
//
// The error of a handler is the answer: [NotFound], [BadRequest], [Unauthorized], [Forbidden],
// [Unavailable] or another [Error]. pgx.ErrNoRows is 404, an unreachable database or no memory for
// the answer 503 with Retry-After, a timeout 504. Any other error is 500: the client gets the
// request's id, the log gets the cause. Errors are never cached.
//
// The order is: address (404, 405), format (406), access (401, 403), parameters (404 in the path,
// 400 in the query), generation (404, such as for an unknown feed), validator (304), body.
//
// # Pages
//
// A [Site] has pages for people, made with [Page]. A page runs the statements of the API and names
// its permissions; its language and the missing permissions are part of its key. Its errors, and
// those of unknown addresses outside the API, are pages too.
//
// An endpoint with Spec.Translated answers in the language of [Call.Translated], one of
// Generation.Languages, which is part of the key and of Vary for data with translations.
//
// # Generations, validators, cache
//
// A [Source] finds the data for an answer and its generation, per request and from memory.
// Endpoints without one show [Config.Dataset]. Generation and canonical request identify a body:
// they make its ETag and its cache key. So a handler builds its answer from its parameters and the
// source's data only. Work for every request (such as a refresh request for stale realtime data)
// belongs into Source.Now, because a cached body calls no handler.
//
// The canonical request is the endpoint and its parameters after binding: other spellings, orders
// and defaults share one body. If links repeat the query ([LinkedParams]), a given parameter
// differs from its default. A body is built once for all requests that wait for it, and no longer
// than one waits.
//
// If-None-Match is answered before any query and any cache: only clients that had the body know its
// ETag. "*" and If-Modified-Since, which any client can send, are answered from the body.
//
// # Bounds
//
// A body of JSON has at most 32 MB. A larger one is a 400 that names the parameter to narrow, or a
// 507 if there is none. A handler that makes many rows from data in memory calls [Call.Take]. Few
// large answers are built at a time; the others wait.
//
// A client must read each 64 kB of an answer within 15 seconds, else the connection is closed.
// Large bodies that are being written count once, however many clients read them, and have a budget
// of a quarter of the cache; beyond it large answers are 503 and small ones are still served.
//
// No handler sees gin, an *http.Request, a status or a header. The package knows no table, no
// dialect and no API.
//
// Next: call.go (the types), endpoint.go (the table), answer.go (the read path), build.go (bodies),
// sql.go (queries), push.go (event streams), site.go (pages), language.go. Below: internal/bind
// (parameters), internal/reply (encoded replies, their cache and codings), openapi (the
// description). Tests of a table are in package resttest.
package rest

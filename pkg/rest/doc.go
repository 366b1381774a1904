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
//	path:"id" | query:"name"    where the parameter is, and its name
//	doc:"…"                     description of the parameter
//	min:"1" max:"200"           bounds of a number
//	clamp:"10000"               a larger number is lowered to this bound, not refused
//	minlen:"1" maxlen:"200"     bounds of the length of a string, in characters
//	pattern:"^[0-9]-[0-9]$"     regular expression for the value; `\S` reads "must not be blank"
//	enum:"true,false"           allowed values; a string type may have a method Values instead
//	default:"50"                value of an absent parameter
//	null:"true"                 "" and "null" mean that the parameter is absent
//	needs:"member"              the parameter is invalid without the parameter "member"
//	rows:"true"                 the number of rows of the answer, by which large answers are known
//	newer:"true"                the parameter is newer than the endpoint: requests without the
//	                            parameter keep their cursors and ETags
//	required:"true"             a request without the parameter is invalid
//	maxitems:"20"               largest length of a slice; the other tags apply to each value
//	example:"2026-01-31"        example in the OpenAPI description
//
// Types: string, int, int64, float64, bool (0, 1, true, false), [Date] and other
// encoding.TextUnmarshalers, named strings; pointers to them, which are nil if the parameter is
// absent; and slices of them, in the order of the request (name=a&name=b). A 400 names every
// invalid parameter. An invalid value in the path is 404.
//
// Query and path parameters are also the named arguments of the SQL, under their own names. Fields
// of other structs are arguments too; the tag arg:"…" or the field name in snake_case names the
// argument. If an argument is a [Resolver], the database completes it first: for example, it finds
// the id for a name.
//
// # Answers
//
// [Func] and [From] make an endpoint. The type of the handler's result says what it answers: a [File]
// is a file with support of ranges, which is cached or, with Spec.Stream, read for each answer;
// [HTML] is a page; any other value is JSON. A nil pointer becomes null, so lists must not be nil.
//
// The error of a handler is the answer: [NotFound], [BadRequest], [Unauthorized], [Forbidden],
// [Unavailable] or another [Error]. pgx.ErrNoRows is 404. An unreachable database and a lack of
// memory are 503 with Retry-After. A timeout is 504. Any other error is 500: the client gets the
// request's id, and the log gets the cause. Errors are never cached.
//
// A request is checked in this order: address (404, 405), format (406), access (401, 403),
// parameters (404 in the path, 400 in the query), generation (404, such as for an unknown feed),
// validator (304). Then the body is built or read from the cache.
//
// # Pages
//
// A [Site] has pages for people. A page runs the statements of the API and names
// its permissions; its language and the missing permissions are part of its key. Its errors, and
// those of unknown addresses outside the API, are pages too.
//
// An endpoint with Spec.Translated answers in the language of [Call.Translated], which is one of
// Generation.Languages. If the data has translations, the language is part of the key and of Vary.
//
// # Generations, validators, cache
//
// A [Source] finds the data for an answer and its generation, per request and from memory.
// Endpoints without a source show [Config.Dataset]. The generation and the canonical request
// identify a body: its ETag and its cache key are made from them. So a handler must build its answer
// from its parameters and the source's data only. Work for every request (such as a refresh request
// for stale realtime data) belongs in Source.Now, because a cached body calls no handler.
//
// The canonical request is the endpoint and its parameters after binding: other spellings, orders
// and defaults share one body. If links repeat the query ([LinkedParams]), a given parameter
// differs from its default. A body is built once for all requests that wait for it, and compressed
// once for each coding. The build ends with the client that started it; if others wait, one of them
// starts it again.
//
// If-None-Match is answered before any query and any cache: only clients that had the body know its
// ETag. "*" and If-Modified-Since, which any client can send, are answered from the body.
//
// # Bounds
//
// A body of JSON has at most 32 MB. A larger one is a 400 that names the parameter to narrow, or a
// 507 if there is none. A handler that makes many rows from data in memory calls [Call.Reserve].
// Large answers that are being built or written have a quarter of the memory of the cache. The others
// wait before their build for Config.Timeout, and are 503 then. Small answers are always served. A
// client must read each 64 kB of an answer within 15 seconds, else the connection is closed.
//
// No handler sees gin, an *http.Request, a status or a header. The package depends on no table, no
// dialect and no API.
//
// Next: call.go (the types), endpoint.go (the table), answer.go (the read path), build.go (bodies),
// sql.go (queries), push.go (event streams), send.go (slow clients), server.go (settings, errors and
// the log), router.go (how all of it is put together). Below: internal/bind
// (parameters), internal/reply (encoded replies, their cache and codings), openapi (the
// description). Tests of a table are in package resttest.
package rest

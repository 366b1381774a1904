// Package council is the vocabulary of the council half: the closed lists of
// the votes API (meeting types, statuses, results, positions, topics, anomaly
// kinds and codes), the words by which minutes name them, the matching of
// people's names, and texts as tables hold them.
//
// It reads no file, opens no connection and knows no city: callers pass in the
// words of a city. The parser that applies these words to minutes is
// council-ingest/internal/minutes; the tables are pkg/schema/council.
package council

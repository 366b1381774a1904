package dataset

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

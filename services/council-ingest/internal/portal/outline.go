package portal

// An Entry is one row of a meeting's agenda outline: a section or an item.
type Entry struct {
	Level   int    `json:"level"`            // nesting, from 0
	Number  string `json:"number,omitempty"` // as printed: "1.", "A.", "VIII."; "" when it has none
	Title   string `json:"title"`
	Section bool   `json:"section,omitempty"` // a heading with entries below it, not an item

	// LegifileID is the legislative file, global to the portal; 0 where the row links to none.
	LegifileID int64 `json:"legifile_id,omitempty"`
	// URL is the portal's page of the item, "" where it has none.
	URL string `json:"url,omitempty"`
	// Result is the outcome as the portal prints it beside the title ("ADOPTED [9 TO 0]"), "" without one.
	Result string `json:"result,omitempty"`
}

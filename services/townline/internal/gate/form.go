package gate

import "net/url"

// An Input is a field of a form: the template "field" shows it.
type Input struct {
	ID, Name, Label, Value string
	// Type is "" for text, or textarea, checkbox, number, date or time.
	Type              string
	Hint              string
	Max               int
	Options           []Choice
	Required, Checked bool
	List              string // id of a datalist
}

// A Choice is an option of a field.
type Choice struct {
	Value, Text string
	Chosen      bool
}

// Restore sets the submitted value if the form was sent, and marks the chosen option.
func (in *Input) Restore(isSent bool, sent url.Values) {
	if isSent {
		in.Value, in.Checked = sent.Get(in.Name), sent.Get(in.Name) != ""
	}
	for i := range in.Options {
		in.Options[i].Chosen = in.Options[i].Value == in.Value
	}
}

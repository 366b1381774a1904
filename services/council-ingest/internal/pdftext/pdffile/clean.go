package pdffile

import (
	"errors"
	"fmt"
	"slices"
)

// Keys that [Clean] adds to dictionaries, for what a reader of the plain file
// could not know otherwise.
const (
	KeyNumber  = "TownlineNumber" // of fonts and forms: tells one from another
	KeyDamage  = "TownlineDamage" // of pages and forms: why their content is not whole
	KeyTooBig  = "TownlineTooBig" // beside KeyDamage: true where a bound was met
	KeyIsOff   = "TownlineIsOff"  // of layers: true where they are not shown
	inlineData = Keyword("EI")    // stands for a whole inline image
	maxClean   = 256 << 20        // bytes of a plain file
	maxRemarks = 2000             // annotations of a page
	pagesNum   = 2                // the object of the page tree
	header     = "%PDF-1.7\n%Townline\n"
)

// A Plain is a file made plain by [Clean].
type Plain struct {
	PDF      []byte
	More     bool   // the file has more pages than were asked for
	Producer string // the program that wrote the file, as it calls itself
	Flaws    []Flaw // what is wrong with the file, but for what is told in its pages
}

// Clean makes of a file, whatever its state, a plain one that says the same
// and that the simplest reader can follow:
//
//   - one cross-reference table, and every object where the table says;
//   - no encryption, no filters, no object streams, no numbers out of reach;
//   - a page tree of one level, attributes stated on the page, box and
//     rotation in order, and one content stream for each page;
//   - content and CMaps of well-formed tokens only, of the operators that bear
//     on text, each with its operands; an inline image is the operator EI;
//   - of all else what bears on text, and no pictures.
//
// It is bounded in size, pages and work. The error is [ErrNotPDF],
// [ErrEncrypted] or [ErrTooLarge]; what is wrong with a stream is told in it (KeyDamage), all else by the flaws.
func Clean(data []byte, pages int) (Plain, error) {
	f, err := Open(data)
	if err != nil {
		return Plain{}, err
	}
	p, err := f.clean(pages)
	if err != nil || f.searched || !p.lost() {
		return p, err
	}
	// The file's own table leads astray. A search may find what it misses.
	again, err := search(f.data)
	if err != nil {
		return p, nil
	}
	if found, err := again.clean(pages); err == nil && !found.lost() {
		return found, nil
	}
	return p, nil
}

// lost tells whether something is missing.
func (p Plain) lost() bool {
	return slices.ContainsFunc(p.Flaws, func(f Flaw) bool { return f.Lost })
}

func (f *File) clean(pages int) (Plain, error) {
	if f.searched {
		f.mended("the table of contents is unusable; the objects were found by search")
	}
	c := &cleaner{file: f, numbers: map[place]int{}, contents: map[string]int{}, off: map[Ref]bool{}}
	config := f.Dict(f.Dict(f.Dict(f.Trailer["Root"])["OCProperties"])["D"])
	for _, o := range f.Array(config["OFF"]) { // layers, ISO 32000-1, 8.11.4.3
		if ref, ok := o.(Ref); ok {
			c.off[ref] = true
		}
	}
	c.out.begin()
	c.out.reserve(pagesNum)
	c.out.put(1, Dict{"Type": Name("Catalog"), "Pages": Ref{Num: pagesNum}})
	list, more := f.Pages(pages)
	kids := Array{}
	for i, p := range list {
		f.page = i + 1
		n := c.out.next()
		c.out.put(n, c.page(p))
		kids = append(kids, Ref{Num: n})
		if err := c.drain(); err != nil {
			return Plain{}, err
		}
	}
	f.page = 0
	c.out.put(pagesNum, Dict{"Type": Name("Pages"), "Count": len(kids), "Kids": kids})
	producer := f.Str(f.Dict(f.Trailer["Info"])["Producer"])
	return Plain{PDF: c.out.end(), More: more, Producer: string(producer[:min(len(producer), 200)]), Flaws: f.flaws}, nil
}

// A role is what an object is for, which decides what of it is kept.
type role int

const (
	plain       role = iota // numbers, names, widths: all of it
	resources               // what content calls by name
	fonts                   // fonts by name
	font                    // a font, or the one beneath it
	descriptor              // of a font
	program                 // of a font, or another table of bytes
	codes                   // a CMap, where it is a stream
	drawings                // forms and images: one, or several by name
	states                  // extended graphics states by name
	state                   // one
	spaces                  // colour spaces by name
	layers                  // property lists by name
	layer                   // one: a layer, layers, or the text of marked content
	remark                  // an annotation
	appearances             // of an annotation
)

// kept lists, by the role of a dictionary, the keys that bear on text and the
// roles of what they lead to.
var kept = map[role]map[Name]role{
	resources: {"Font": fonts, "XObject": drawings, "ExtGState": states, "ColorSpace": spaces, "Properties": layers},
	font: {"Subtype": plain, "BaseFont": plain, "Encoding": codes, "ToUnicode": codes, "DescendantFonts": font, "FontDescriptor": descriptor,
		"FirstChar": plain, "Widths": plain, "DW": plain, "W": plain, "CIDToGIDMap": program, "FontMatrix": plain, "FontBBox": plain},
	descriptor:  {"Flags": plain, "MissingWidth": plain, "FontFile": program, "FontFile2": program, "FontFile3": program},
	state:       {"Font": font, "ca": plain},
	layer:       {"Type": plain, "OCGs": layer, "ActualText": plain},
	remark:      {"Subtype": plain, "F": plain, "Rect": plain, "AS": plain, "AP": appearances},
	appearances: {"N": drawings},
}

// members is the role of what a dictionary of named things holds.
var members = map[role]role{plain: plain, fonts: font, drawings: drawings, states: state, layers: layer, codes: plain}

// formKeys are kept of a form, and roles of what they lead to.
var formKeys = map[Name]role{"Subtype": plain, "BBox": plain, "Matrix": plain, "Resources": resources, "OC": layer}

// A cleaner copies the objects of a file that are wanted, each once in each role.
type cleaner struct {
	file     *File
	out      writer
	numbers  map[place]int // objects copied, or waiting
	waiting  []place
	contents map[string]int // content of pages, by the streams it is made of
	off      map[Ref]bool
}

// A place is an object in a role.
type place struct {
	ref Ref
	as  role
}

// drain copies what the objects copied so far refer to.
func (c *cleaner) drain() error {
	for len(c.waiting) > 0 {
		p := c.waiting[len(c.waiting)-1]
		c.waiting = c.waiting[:len(c.waiting)-1]
		n := c.numbers[p]
		if s := c.file.Stream(p.ref); s != nil {
			c.stream(n, s, p.as)
		} else {
			c.out.put(n, c.marked(c.copied(c.file.Resolve(p.ref), p.as), p, n))
		}
		if len(c.out.data) > maxClean {
			return fmt.Errorf("the file without its packing has more than %d bytes: %w", maxClean, ErrTooLarge)
		}
	}
	return nil
}

// marked adds the keys that tell fonts apart and which layers are off.
func (c *cleaner) marked(o Object, p place, n int) Object {
	d, ok := o.(Dict)
	switch {
	case !ok:
	case p.as == font:
		d[KeyNumber] = n
	case p.as == layer && c.off[p.ref]:
		d[KeyIsOff] = true
	}
	return o
}

// at is how an object refers to o: single values stand in place of a reference.
func (c *cleaner) at(o Object, as role) Object {
	ref, ok := o.(Ref)
	if !ok {
		return c.copied(o, as)
	}
	c.needs(ref, as)
	switch v := c.file.Resolve(ref).(type) {
	case Dict, Array, *Stream:
	default:
		return v
	}
	p := place{ref, as}
	n, ok := c.numbers[p]
	if !ok {
		n = c.out.next()
		c.numbers[p] = n
		c.waiting = append(c.waiting, p)
	}
	return Ref{Num: n}
}

// needs tells of an object that is referred to and missing. Such a reference is
// null by the standard; where letters depend on it, something of the file is gone.
func (c *cleaner) needs(ref Ref, as role) {
	switch as {
	case states, state, spaces, layers, layer, remark:
		return
	}
	if !c.file.has(ref) {
		c.file.lost("object %d is missing", ref.Num)
	}
}

// copied is what is kept of a direct object.
func (c *cleaner) copied(o Object, as role) Object {
	switch o := o.(type) {
	case Array:
		out := make(Array, len(o))
		for i, e := range o {
			out[i] = c.at(e, as)
		}
		return out
	case Dict:
		if as == spaces {
			out := Dict{}
			for k, v := range o {
				out[k] = c.parts(v)
			}
			return out
		}
		if each, ok := members[as]; ok {
			out := Dict{}
			for k, v := range o {
				out[k] = c.at(v, each)
			}
			return out
		}
		return c.keys(o, kept[as])
	}
	return o
}

func (c *cleaner) keys(d Dict, keys map[Name]role) Dict {
	out := Dict{}
	for k, as := range keys {
		if v, ok := d[k]; ok {
			out[k] = c.at(v, as)
		}
	}
	for k := range d {
		if _, known := keys[k]; known {
			continue
		}
		if meant, ok := misspelt(k, d, keys); ok {
			c.file.lost("a dictionary has a key %q that is /%s but for one bit", k, meant)
		}
	}
	return out
}

// stream copies a stream, without its filters.
func (c *cleaner) stream(n int, s *Stream, as role) {
	switch as {
	case drawings:
		d := c.keys(s.Dict, formKeys)
		d[KeyNumber] = n
		var content []byte
		if c.file.Name(s.Dict["Subtype"]) != "Image" {
			var err error
			content, err = c.file.Data(s)
			tell(d, err)
			content = c.content(content)
		}
		c.out.stream(n, d, content)
	case codes:
		data, err := c.file.Data(s)
		told := Dict{}
		tell(told, err)
		c.out.stream(n, told, codeTokens(data))
	case program:
		data, err := c.file.Data(s)
		told := Dict{}
		tell(told, err)
		c.out.stream(n, told, data)
	default:
		c.out.put(n, c.marked(c.keys(s.Dict, kept[as]), place{s.ref, as}, n))
	}
}

// tell notes in a dictionary what is wrong with its content.
func tell(d Dict, err error) {
	if err == nil {
		return
	}
	d[KeyDamage] = String(err.Error())
	if errors.Is(err, ErrTooLarge) {
		d[KeyTooBig] = true
	}
}

// page copies a page, whose attributes have been gathered from above.
func (c *cleaner) page(p Page) Dict {
	d := Dict{"Type": Name("Page"), "Parent": Ref{Num: pagesNum}, "Rotate": p.Rotate, "Resources": c.at(p.Resources, resources),
		"MediaBox": Array{p.Box[0], p.Box[1], p.Box[2], p.Box[3]}}
	streams := c.file.Array(p.Dict["Contents"])
	if streams == nil && p.Dict["Contents"] != nil {
		streams = Array{p.Dict["Contents"]}
	}
	key := fmt.Sprint(streams)
	n, ok := c.contents[key]
	if !ok {
		n = c.out.next()
		c.contents[key] = n
		content, err := c.joined(streams)
		told := Dict{}
		tell(told, err)
		c.out.stream(n, told, c.content(content))
	}
	d["Contents"] = Ref{Num: n}
	remarks := Array{}
	for _, o := range c.file.Array(p.Dict["Annots"]) {
		switch c.file.Name(c.file.Dict(o)["Subtype"]) {
		case "Widget", "FreeText", "Stamp": // what somebody has written onto the page
			if len(remarks) < maxRemarks {
				remarks = append(remarks, c.at(o, remark))
			}
		}
	}
	d["Annots"] = remarks
	return d
}

// joined is the content of a page in one piece. A blank between its streams
// keeps the last operator of one apart from the first of the next.
func (c *cleaner) joined(streams Array) (out []byte, first error) {
	for _, o := range streams {
		s := c.file.Stream(o)
		if s == nil {
			c.file.lost("a part of the page's content is missing")
			continue
		}
		if s.state == streamOtherLength && len(c.file.list(s.Dict["Filter"])) == 0 {
			c.file.mended("a part of the page's content has another length than is stored with it")
		}
		data, err := c.file.Data(s)
		if err != nil && first == nil {
			first = err
		}
		if out == nil && len(streams) == 1 {
			return data, first
		}
		if out = append(append(out, data...), '\n'); len(out) > maxClean {
			return out[:maxClean], ErrTooLarge
		}
	}
	return out, first
}

// content writes a content stream anew, and tells of what is none.
func (c *cleaner) content(data []byte) []byte {
	out, known, strange := contentTokens(data)
	switch {
	case strange == 0:
	case strange > 8 && strange*20 > known:
		c.file.lost("the content is none that a page can have: %d of %d operators do not exist", strange, known+strange)
	default:
		c.file.mended("%d operators do not exist; what they drew was left out", strange)
	}
	return out
}

// parts is how many numbers a colour has in a space in which they say how much
// light or ink there is; 0 in any other space. It is all that is kept of a space.
func (c *cleaner) parts(space Object) int {
	switch space := c.file.Resolve(space).(type) {
	case Name:
		return DeviceParts(string(space))
	case Array:
		if len(space) == 0 {
			return 0
		}
		switch kind, _ := c.file.Resolve(space[0]).(Name); {
		case len(space) == 1:
			return c.parts(kind)
		case kind == "CalGray":
			return 1
		case kind == "CalRGB":
			return 3
		case kind == "ICCBased":
			if s := c.file.Stream(space[1]); s != nil {
				if n, ok := c.file.Resolve(s.Dict["N"]).(int); ok && (n == 1 || n == 3 || n == 4) {
					return n
				}
			}
		}
	}
	return 0
}

// DeviceParts is how many numbers a colour has in one of the device colour spaces
// (ISO 32000-1, 8.6.4); 0 for any other name.
func DeviceParts(space string) int {
	switch space {
	case "DeviceGray":
		return 1
	case "DeviceRGB":
		return 3
	case "DeviceCMYK":
		return 4
	}
	return 0
}

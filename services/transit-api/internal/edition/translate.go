package edition

import (
	"maps"
	"reflect"
	"strings"
)

// translateTag is the tag of fields with texts of a feed. Its value names the field as
// translations.txt does, then the fields with the id and the sub-id of the record, as far as there
// are any, then a field whose texts apply by content if there is no translation by record:
//
//	StopName string `translate:"stops.stop_name,StopID"`
//
// On a map, whose keys are columns, it names the table and the field with the id. On a [Sign], it
// names the field with the text of the sign. On a pointer to a struct, "into" translates that
// struct; other pointers are shared with other answers. Structs and lists in a struct are
// translated, too. Ids, times and numbers stay the same in every language.
const translateTag = "translate"

// A Relabeler is a struct with a label that depends on its texts. Relabel is called after the texts
// are translated; before has the struct as it was.
type Relabeler interface{ Relabel(before any) }

// A Translator is a struct that translates itself, because its texts have no fields of their own.
type Translator interface{ Translate(t *Translations) }

// Translate translates the texts of a struct, or of each struct of a list. Its argument is a
// pointer.
func (t *Translations) Translate(v any) {
	if t == nil {
		return
	}
	(&translating{t, map[reflect.Type][]textField{}}).value(reflect.ValueOf(v).Elem())
}

// IsTranslated reports whether a type has texts of a feed.
func IsTranslated(of reflect.Type) bool {
	w := &translating{fields: map[reflect.Type][]textField{}}
	return reflect.PointerTo(of).Implements(reflect.TypeFor[Translator]()) || len(w.fieldsOf(of)) > 0
}

type translating struct {
	*Translations
	fields map[reflect.Type][]textField // by struct
}

// A textField is a field with texts.
type textField struct {
	index int
	parts [4]string // of the tag
}

func (w *translating) fieldsOf(of reflect.Type) (all []textField) {
	if found, met := w.fields[of]; met || of.Kind() != reflect.Struct {
		return found
	}
	w.fields[of] = nil // a type may contain itself
	for i := range of.NumField() {
		f := of.Field(i)
		if !f.IsExported() {
			continue
		}
		tag, tagged := f.Tag.Lookup(translateTag)
		inside := f.Type
		if inside.Kind() == reflect.Slice || inside.Kind() == reflect.Array {
			inside = inside.Elem()
		}
		if tagged || inside.Kind() == reflect.Struct && IsTranslated(inside) {
			one := textField{index: i}
			copy(one.parts[:], strings.SplitN(tag, ",", len(one.parts)))
			all = append(all, one)
		}
	}
	w.fields[of] = all
	return all
}

func (w *translating) value(v reflect.Value) {
	if own, ok := v.Addr().Interface().(Translator); ok {
		own.Translate(w.Translations)
		return
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	case reflect.Struct:
		label, labelled := v.Addr().Interface().(Relabeler)
		var before any
		if labelled {
			before = v.Interface()
		}
		for _, f := range w.fieldsOf(v.Type()) {
			w.field(v, f)
		}
		if labelled {
			label.Relabel(before)
		}
	}
}

func (w *translating) field(record reflect.Value, f textField) {
	v := record.Field(f.index)
	name := f.parts[0]
	cellOf := func(field string) string {
		if field == "" {
			return ""
		}
		return record.FieldByName(field).String()
	}
	switch at := v.Addr().Interface().(type) {
	case *string:
		*at = w.cell(f, cellOf, *at)
	case **string:
		if cell := *at; cell != nil {
			if text := w.cell(f, cellOf, *cell); text != *cell {
				*at = &text // a new cell, because cells are shared
			}
		}
	case *Sign:
		*record.FieldByName(name).Addr().Interface().(**string) = at.In(w.Translations)
	case *map[string]any:
		*at = maps.Clone(*at)
		for column, value := range *at {
			if cell, ok := value.(string); ok && IsText(column) {
				(*at)[column] = w.Text(name+"."+strings.ToLower(column), cellOf(f.parts[1]), cell)
			}
		}
	default:
		switch {
		case v.Kind() != reflect.Pointer:
			w.value(v)
		case !v.IsNil():
			w.value(v.Elem())
		}
	}
}

func (w *translating) cell(f textField, cellOf func(string) string, cell string) string {
	text := w.Part(f.parts[0], cellOf(f.parts[1]), cellOf(f.parts[2]), cell)
	if text == cell && f.parts[3] != "" {
		return w.Text(f.parts[3], "", cell)
	}
	return text
}

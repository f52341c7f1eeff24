package catalog

// This file derives the names under which an entry can be found: its inputs, outputs and entities.

import (
	"bytes"
	"slices"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
)

// A shape is the outline of an entry's schemas, read once for everything that is indexed.
type shape struct {
	input, output *fields
	seen          *seenFields
}

// fields are those of a schema.
type fields struct {
	document spec.Document
	outline  spec.Outline
	props    []spec.Property
	names    []*seenName  // in step with props
	about    []*seenField // in step with props; nil for those of an output
	found    []string     // the names under which the fields of an output can be found, whatever the entry is about
}

// seenFields remembers what is indexed of schemas, fields and names, since most fields of a catalog repeat those of
// other actions: a page number, a limit. It is for one goroutine.
type seenFields struct {
	fields          map[string]*seenField // by the text of a schema without references
	names           map[string]*seenName
	inputs, outputs map[*Schema]*fields
	free            []*fields // that are used by no map, with room for others
	keys            []string  // reused
}

// A seenField is what is indexed of an input beside its name.
type seenField struct {
	description string
	list        bool
	known       search.Known // of the description
}

// A seenName is a name and what it is under spelling.Fold.
type seenName struct {
	folded string
	known  search.Known
}

const (
	// mostSeen is how many fields, and names, are remembered.
	mostSeen = 1 << 12
	// mostShapes is how many schemas are: actions with the same one mostly stand near each other.
	mostShapes = 256
)

// newSeenFields has room for those of n entries: growing a map hashes all that it has anew.
func newSeenFields(n int) *seenFields {
	n = min(n, mostSeen)
	return &seenFields{fields: make(map[string]*seenField, n), names: make(map[string]*seenName, n),
		inputs: map[*Schema]*fields{}, outputs: map[*Schema]*fields{}}
}

func (s *seenFields) name(text string) *seenName {
	name, ok := s.names[text]
	if ok {
		return name
	}
	if len(s.names) >= mostSeen {
		clear(s.names)
	}
	name = &seenName{folded: spelling.Fold(text)}
	s.names[text] = name
	return name
}

// fold is spelling.Fold.
func (s *seenFields) fold(name string) string { return s.name(name).folded }

// entity is entityKey.
func (s *seenFields) entity(name string) string { return spelling.Singular(s.fold(name)) }

// field reads an input. whole tells that the document has no references.
func (s *seenFields) field(d spec.Document, text []byte, whole bool) *seenField {
	if f, ok := s.fields[string(text)]; ok && whole {
		return f
	}
	o, _ := d.Plain(text)
	f := &seenField{description: o.Description, list: o.IsList()}
	if whole {
		if len(s.fields) >= mostSeen {
			clear(s.fields)
		}
		s.fields[search.StringOf(text)] = f
	}
	return f
}

func (s *seenFields) shapeOf(e *Entry) *shape {
	return &shape{input: s.fieldsOf(e.Input, s.inputs, true), output: s.fieldsOf(e.Output, s.outputs, false), seen: s}
}

// fieldsOf reads a schema, unless seen has it; nil is one without fields. about tells whether the fields' own schemas
// are read, too.
func (s *seenFields) fieldsOf(schema *Schema, seen map[*Schema]*fields, about bool) *fields {
	if schema == nil {
		return &fields{}
	}
	f, ok := seen[schema]
	if ok {
		return f
	}
	if len(seen) >= mostShapes { // those of the entry at hand are in another map, or are made next
		for _, f := range seen {
			s.free = append(s.free, f)
		}
		clear(seen)
	}
	f = &fields{}
	if last := len(s.free) - 1; last >= 0 {
		f, s.free = s.free[last], s.free[:last]
	}
	d := schema.document()
	*f = fields{document: d, props: schema.props, names: f.names[:0], about: f.about[:0]}
	whole := f.props != nil
	if !whole {
		f.outline, _ = d.Plain(d)
		f.props = d.FieldsOf(f.outline)
		whole = !bytes.Contains(d, []byte("$ref"))
	}
	f.names = slices.Grow(f.names, len(f.props))
	for _, p := range f.props {
		f.names = append(f.names, s.name(p.Name))
		if about {
			f.about = append(f.about, s.field(d, p.Text, whole))
		}
	}
	seen[schema] = f
	return f
}

// entityKey is an entity as it is indexed.
func entityKey(name string) string { return spelling.Singular(spelling.Fold(name)) }

// labels are the names that a search for tags finds: the tags and the category.
func (e *Entry) labels() []string {
	if e.Category == "" {
		return e.Tags
	}
	return append(slices.Clip(e.Tags), e.Category)
}

// OperationOf is an entry's operation with the default filled in: Read, or Update when the entry mutates.
func OperationOf(e *Entry) Operation {
	switch {
	case e.Operation != "":
		return Operation(strings.ToLower(string(e.Operation)))
	case e.Mutates:
		return Update
	}
	return Read
}

// RiskOf is an entry's risk with the default filled in: Low, or Medium when the entry mutates.
func RiskOf(e *Entry) Risk {
	switch {
	case e.Risk != "":
		return Risk(strings.ToLower(string(e.Risk)))
	case e.Mutates:
		return Medium
	}
	return Low
}

// subjects are the entities that an entry's own `id` belongs to: the title of its output, else the entity its namespace
// ends in, else its only entity, else all of them.
func subjects(e *Entry, title string) []string {
	entities := make([]string, 0, len(e.Entities))
	for _, entity := range e.Entities {
		entities = append(entities, entityKey(entity))
	}
	if title = spelling.Singular(spelling.Fold(title)); title != "" &&
		(len(entities) == 0 || slices.Contains(entities, title)) {
		return []string{title}
	}
	if n := len(e.Namespace); n > 0 {
		last := spelling.Singular(spelling.Fold(e.Namespace[n-1]))
		if len(entities) == 0 && n > 1 || slices.Contains(entities, last) {
			return []string{last}
		}
	}
	return entities
}

// inputKeys appends the names under which an entry's inputs can be found.
func inputKeys(keys []string, e *Entry, sh *shape) []string {
	for i, name := range sh.input.names {
		key := name.folded
		keys = append(keys, key)
		if key == "id" || key == "ids" {
			for _, subject := range subjects(e, "") {
				keys = append(keys, subject+"_"+key)
			}
		}
		if sh.input.about[i].list {
			keys = append(keys, listKeys(spelling.Singular(key))...)
		}
	}
	return keys
}

// listKeys are the names for a list of an entity: "invoice_list", "invoices", "list_invoice".
func listKeys(thing string) []string {
	return []string{thing + "_list", spelling.Plural(thing)}
}

// outputKeys appends the names under which an entry's output can be found: its fields, `customer_id` for the `id` of a
// customer, `customer` and `customer_list` for one or a list of them.
func outputKeys(keys []string, e *Entry, sh *shape) []string {
	if e.Output == nil {
		return keys
	}
	d, o := sh.output.document, sh.output.outline
	title, isList := o.Title, o.IsList()
	if isList && o.Items != nil {
		item, _ := d.Plain(o.Items)
		title = item.Title
	}
	about := subjects(e, title)
	for _, subject := range about {
		switch {
		case isList:
			keys = append(keys, subject)
			keys = append(keys, listKeys(subject)...)
		case len(sh.output.props) > 0:
			keys = append(keys, subject)
		}
	}
	if sh.output.found == nil {
		for i, p := range sh.output.props {
			sh.output.found = sh.outputFieldKeys(sh.output.found, sh.output.names[i].folded, p)
		}
		sh.output.found = sortedSet(sh.output.found)
	}
	if slices.ContainsFunc(sh.output.names, func(name *seenName) bool { return name.folded == "id" }) {
		for _, subject := range about {
			keys = append(keys, subject+"_id")
		}
	}
	return append(keys, sh.output.found...)
}

// outputFieldKeys appends the names of one returned field, whose own is key. The fields of a nested object, and of the
// items of a nested list, count as fields of that object.
func (sh *shape) outputFieldKeys(keys []string, key string, p spec.Property) []string {
	d := sh.output.document
	keys = append(keys, key)
	o, _ := d.Plain(p.Text)
	thing := ""
	switch {
	case o.IsList():
		thing = spelling.Singular(key)
		keys = append(keys, listKeys(thing)...)
		if o.Items != nil {
			o, _ = d.Plain(o.Items)
			if title := spelling.Singular(spelling.Fold(spec.TitleWord(o.Title))); title != "" {
				thing = title
				keys = append(keys, listKeys(thing)...)
			}
		}
	case len(o.Props) > 0:
		thing = key
	}
	if thing == "" {
		return keys
	}
	keys = append(keys, thing)
	for _, inner := range d.FieldsOf(o) {
		name := sh.seen.fold(inner.Name)
		keys = append(keys, thing+"_"+name)
		if strings.HasSuffix(name, "_id") {
			keys = append(keys, name)
		}
	}
	return keys
}

// needKeys are the indexed forms of a needed field. "list<invoice>", "array[Invoice]", "list{invoice}", "list of
// invoices", "[]invoice" and "invoice[]" are "invoice_list"; "id of customer" and "customers.id" are "customer_id".
func needKeys(need string) []string {
	need = strings.TrimSpace(need)
	inner, ok := strings.CutSuffix(need, "[]")
	if !ok {
		inner, ok = strings.CutPrefix(need, "[]")
	}
	if ok {
		return []string{spelling.Singular(spelling.Fold(inner)) + "_list"}
	}
	folded := spelling.Fold(need)
	for _, prefix := range []string{"list_of_", "array_of_", "list_", "array_"} {
		if inner, ok := strings.CutPrefix(folded, prefix); ok &&
			(strings.HasSuffix(prefix, "of_") || strings.ContainsAny(need, "<[{")) {
			return []string{spelling.Singular(inner) + "_list"}
		}
	}
	if inner, ok := strings.CutSuffix(folded, "_list"); ok {
		return []string{folded, spelling.Singular(inner) + "_list"}
	}
	for _, field := range []string{"id", "ids"} {
		thing, ok := strings.CutPrefix(folded, field+"_of_")
		if !ok {
			thing, ok = strings.CutSuffix(folded, "_"+field)
		}
		if !ok {
			continue
		}
		for _, article := range []string{"a_", "an_", "the_"} {
			thing = strings.TrimPrefix(thing, article)
		}
		return sortedSet([]string{folded, thing + "_" + field, spelling.Singular(thing) + "_" + field})
	}
	return []string{folded}
}

// sortedSet sorts words and drops repeats and "", in place.
func sortedSet(words []string) []string {
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > 0 && words[0] == "" {
		words = words[1:]
	}
	return words
}

package catalog

// This file prepares an entry for the index: its texts by field, and the keys that find it without ranking.

import (
	"slices"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
)

// The fields of an entry, in the order of searchFields.
const (
	nameField = iota // the id below the namespace, and aliases
	titleField
	namespaceField
	tagField // tags, category and entities
	descriptionField
	inputField
	inputTextField
	outputField
)

func searchFields() []search.Field {
	return []search.Field{
		nameField:        {Name: "name", Role: search.Name, Weight: 20, Meaning: 358},
		titleField:       {Name: "title", Role: search.Title, Weight: 10, Meaning: 256},
		namespaceField:   {Name: "namespace", Weight: 10, Meaning: 154},
		tagField:         {Name: "tags", Weight: 10, Meaning: 128},
		descriptionField: {Name: "description", Role: search.Body, Weight: 10, Meaning: 307},
		inputField:       {Name: "input names", Weight: 7, Meaning: 77},
		inputTextField:   {Name: "input texts", Weight: 5},
		outputField:      {Name: "output names", Weight: 4, Meaning: 26},
	}
}

// The kinds of keys.
const (
	namespaceKind = iota
	tagKind
	entityKind
	operationKind
	riskKind
	inputKind
	outputKind
	nameKind
	aliasKind
	supplyKind // the ids of actions that an entry says it supplies
	productKind
	kindCount
)

// searchOptions are those of an index of n entries.
func searchOptions(without []search.Feature, n int, entry func(doc int) *Entry) search.Options {
	kinds := slices.Repeat([]bool{true}, kindCount)
	for _, kind := range []int{nameKind, aliasKind, supplyKind, productKind} {
		kinds[kind] = false
	}
	return search.Options{
		Noun: "action", Fields: searchFields(), Kinds: kinds, PathKind: namespaceKind, ProductKind: productKind,
		Without:  without,
		Path:     func(doc int) []string { return entry(doc).Namespace },
		Document: func(doc int, d *search.Document) { document(entry(doc), n, d) },
	}
}

// document fills d with the texts and keys of one of n entries.
func document(e *Entry, n int, d *search.Document) {
	seen, _ := d.Scratch.(*seenFields)
	if seen == nil {
		seen = newSeenFields(n / 2)
		d.Scratch = seen
	}
	d.Path = e.Namespace
	sh := seen.shapeOf(e)
	add := func(field int, texts ...string) {
		for _, text := range texts {
			d.Texts = append(d.Texts, search.Text{Field: field, Text: text})
		}
	}
	add(nameField, nameOf(e))
	add(nameField, e.Aliases...)
	add(titleField, e.Title)
	add(namespaceField, e.Namespace...)
	products := productsOf(e, seen.fold)
	add(namespaceField, newWords(products, e.Namespace)...)
	add(tagField, e.labels()...)
	add(tagField, e.Entities...)
	add(descriptionField, e.Description)
	for i, p := range sh.input.props {
		d.Texts = append(d.Texts, search.Text{Field: inputField, Text: p.Name, Known: &sh.input.names[i].known})
		if f := sh.input.about[i]; f.description != "" {
			d.Texts = append(d.Texts, search.Text{Field: inputTextField, Text: f.description, Known: &f.known})
		}
	}
	for i, p := range sh.output.props {
		d.Texts = append(d.Texts, search.Text{Field: outputField, Text: p.Name, Known: &sh.output.names[i].known})
	}
	addKeys(d, e, sh)
	for _, name := range products {
		d.Keys = append(d.Keys, search.Key{Kind: productKind, Name: name})
	}
	switch e.Operation {
	case Read:
		d.Intent = search.Finding
	case Create:
		d.Intent = search.Making
	case Update:
		d.Intent = search.Changing
	case Delete:
		d.Intent = search.Removing
	}
}

// addKeys adds every name under which an entry can be found, folded. Some may be there twice.
func addKeys(d *search.Document, e *Entry, sh *shape) {
	add := func(kind int, keys ...string) {
		for _, key := range keys {
			d.Keys = append(d.Keys, search.Key{Kind: kind, Name: key})
		}
	}
	path := ""
	for _, segment := range e.Namespace {
		path = join(path, strings.ToLower(segment))
		add(namespaceKind, path)
	}
	for _, label := range e.labels() {
		add(tagKind, sh.seen.fold(label))
	}
	for _, entity := range e.Entities {
		add(entityKind, sh.seen.entity(entity))
	}
	add(operationKind, string(OperationOf(e)))
	add(riskKind, string(RiskOf(e)))
	keys := inputKeys(sh.seen.keys[:0], e, sh)
	add(inputKind, keys...)
	keys = outputKeys(keys[:0], e, sh)
	add(outputKind, keys...)
	sh.seen.keys = keys
	name, last := nameOf(e), lastSegment(e.ID)
	add(nameKind, spelling.Fold(name))
	if last != name {
		add(nameKind, spelling.Fold(last))
	}
	for _, alias := range e.Aliases {
		add(aliasKind, spelling.Fold(alias))
	}
	for _, s := range e.Supplies {
		add(supplyKind, s.ID)
	}
}

package catalog

// This file writes hits as lines, signature first.

import (
	"almanac/catalog/search/spelling"
	"encoding/json"
	"slices"
	"strings"
)

// A level says how much of a signature a line shows. Required inputs are on all of them.
type level int

const (
	fullLine  level = iota
	briefLine       // the usual line of an answer
	shortLine       // required inputs, two outputs
	bareLine        // the names of required inputs, one output
)

// room is what a line of the level has place for: inputs that are not required only while fewer are there.
func (l level) room() (inputs, outputs, text, kind int) {
	switch l {
	case fullLine:
		return 8, 8, 110, 80
	case briefLine:
		return 4, 4, 80, 32
	case shortLine:
		return 0, 2, 60, 20
	}
	return 0, 1, 44, 0
}

// Line is one hit: signature with required marks, output fields, effect letter, first sentence.
//
//	billing.invoice.list_unpaid(customer_id*:str, limit:int=25) -> list{invoice_id, amount_cents}  R  List unpaid invoices for a customer.
//
// The letter is R for what reads, W for what mutates, ! for what mutates at high risk. "*" marks required inputs, none
// of which is left out; "~" stands for what only Describe shows. An id that is not visible gives "".
func (v *View) Line(id string) string {
	doc := v.doc(id)
	if doc < 0 {
		return ""
	}
	return v.cat.signatureOf(doc).full
}

// A signature is what lines of every level are made of.
type signature struct {
	id       string
	inputs   []lineInput
	anyInput bool // takes names that no schema lists
	// outputs are the fields returned, or when there are none outLabel is the type.
	outputs  []lineOutput
	outLabel string
	isList   bool
	letter   string
	text     string
	// full is the line at fullLine, with nothing asked for.
	full string
}

// A lineInput is one input: "limit", "int", "=25". A deep one has fields inside that no line shows.
type lineInput struct {
	name, kind, dflt string
	required, deep   bool
	asked            bool
}

// A lineOutput is one field returned. Asked ones, as asked inputs, are on lines of every level.
type lineOutput struct {
	name  string
	asked bool
}

// asking is the signature with what somebody said is needed marked, so that lines of every level show that it is there.
func (s *signature) asking(inputs, outputs []string) *signature {
	if len(inputs) == 0 && len(outputs) == 0 {
		return s
	}
	marked := *s
	marked.full = ""
	marked.inputs, marked.outputs = slices.Clone(s.inputs), slices.Clone(s.outputs)
	for _, need := range inputs {
		keys := needKeys(need)
		for i, in := range marked.inputs {
			marked.inputs[i].asked = in.asked || slices.Contains(keys, spelling.Fold(in.name))
		}
	}
	for _, need := range outputs {
		keys := needKeys(need)
		for i, out := range marked.outputs {
			marked.outputs[i].asked = out.asked || slices.Contains(keys, spelling.Fold(out.name))
		}
	}
	return &marked
}

func signatureOf(e *Entry) *signature {
	s := &signature{id: e.ID, letter: effectLetter(e), text: firstSentence(e.Description, 110)}
	if s.text == "" {
		s.text = clip(oneLine(e.Title), 110)
	}
	d, props := e.Input.fields()
	for _, p := range props {
		s.inputs = append(s.inputs, d.lineInput(p))
	}
	if len(props) == 0 && e.Input != nil {
		_, o := e.Input.outline()
		s.anyInput = string(o.additional) != "false" && len(o.names) == 0
	}
	if e.Output == nil {
		return s
	}
	d, o := e.Output.outline()
	s.isList = o.list()
	for _, p := range d.fields(o) {
		s.outputs = append(s.outputs, lineOutput{name: clip(oneLine(p.name), 40)})
	}
	if len(s.outputs) == 0 {
		s.outLabel = d.label(e.Output.text, 0)
	}
	return s
}

// line is the signature at a level.
func (s *signature) line(l level) string {
	if l == fullLine && s.full != "" {
		return s.full
	}
	inputs, outputs, textRoom, kindRoom := l.room()
	var parts, names []string
	more := s.anyInput
	for _, in := range s.inputs {
		if in.required || in.asked || len(parts) < inputs {
			parts = append(parts, in.at(kindRoom))
		} else {
			more = true
		}
	}
	if more || kindRoom == 0 && len(parts) > 0 {
		parts = append(parts, "~")
	}
	line := s.id + "(" + strings.Join(parts, ", ") + ")"
	more = false
	for _, out := range s.outputs {
		if out.asked || len(names) < outputs {
			names = append(names, out.name)
		} else {
			more = true
		}
	}
	if more {
		names = append(names, "~")
	}
	switch {
	case s.outLabel != "":
		line += " -> " + s.outLabel
	case s.isList && len(names) > 0:
		line += " -> list{" + strings.Join(names, ", ") + "}"
	case len(names) > 0:
		line += " -> {" + strings.Join(names, ", ") + "}"
	}
	line += "  " + s.letter
	if s.text != "" {
		line += "  " + clip(s.text, textRoom)
	}
	return line
}

// at is the input with a type of at most so many characters; a longer one is for Describe.
func (in *lineInput) at(kindRoom int) string {
	text := in.name
	if in.required {
		text += "*"
	}
	kind := in.kind + in.dflt
	switch {
	case kindRoom == 0:
		return text
	case len(kind) > kindRoom && len(in.kind) <= kindRoom:
		kind = in.kind + "~"
	case len(kind) > kindRoom:
		return text + ":~"
	case in.deep:
		kind = in.kind + "~" + in.dflt
	}
	return text + ":" + kind
}

func effectLetter(e *Entry) string {
	switch {
	case e.Mutates && RiskOf(e) == High:
		return "!"
	case e.Mutates:
		return "W"
	}
	return "R"
}

// lineInput is one property of an argument table.
func (d document) lineInput(p property) lineInput {
	in := lineInput{name: clip(oneLine(p.name), 60), required: p.required}
	o, nullable := d.plain(p.text)
	in.kind = d.label(p.text, 0)
	if words := enumWords(o.enum); words != "" {
		in.kind = words
		if nullable {
			in.kind += "?"
		}
	}
	in.deep = len(o.props) > 0 || len(o.allOf) > 0
	if !in.deep && o.list() && o.items != nil {
		item, _ := d.plain(o.items)
		in.deep = len(item.props) > 0
	}
	if o.dflt != nil && !p.required && string(o.dflt) != "null" && len(o.dflt) <= 24 {
		if in.dflt = oneLine(text(o.dflt)); in.dflt == "" {
			in.dflt = oneLine(string(o.dflt))
		}
		in.dflt = "=" + in.dflt
	}
	return in
}

// enumWords are short choices: "open|paid|void"; "" when there are too many to show.
func enumWords(enum []json.RawMessage) string {
	if len(enum) == 0 || len(enum) > 5 {
		return ""
	}
	var words []string
	n := 0
	for _, raw := range enum {
		word := text(raw)
		if raw[0] != '"' {
			word = string(raw)
		}
		if word == "" || strings.ContainsAny(word, " |,()\n\t") {
			return ""
		}
		n += len(word)
		words = append(words, oneLine(word))
	}
	if n > 40 {
		return ""
	}
	return strings.Join(words, "|")
}

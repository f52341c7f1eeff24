package spec

// This file writes actions as lines, signature first.

import (
	"encoding/json"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// A level says how much of a signature a line shows. Required inputs are on all of them.
type level int

const (
	fullLine  level = iota
	briefLine       // the usual line of an answer
	shortLine       // required inputs, two outputs
	bareLine        // the names of required inputs, one output
)

// room is how much a line of the level can hold; optional inputs are shown only while there are fewer than inputs.
func (l level) room() (inputs, outputs, words, kind int) {
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

// A Signature holds the parts of an action's line, for every level. It must not be changed.
type Signature struct {
	id       string
	inputs   []lineInput
	anyInput bool // takes names that no schema lists
	// outputs are the fields returned; if there are none, outLabel is the type.
	outputs  []lineOutput
	outLabel string
	isList   bool
	letter   string
	about    string
	full     string // see Line
	tail     string // see Followed
}

// A lineInput is one input: "limit", "int", "=25". A deep one has nested fields, which no line shows.
type lineInput struct {
	name, kind, dflt string
	required, deep   bool
	asked            bool
}

// A lineOutput is one field returned. Asked ones, like asked inputs, are on lines of every level.
type lineOutput struct {
	name  string
	asked bool
}

// Asking is the signature with the needed inputs and outputs marked, so that lines of every level show them; keys
// returns the folded names that meet a need.
func (s *Signature) Asking(inputs, outputs []string, keys func(need string) []string) *Signature {
	if len(inputs) == 0 && len(outputs) == 0 {
		return s
	}
	marked := *s
	marked.full = ""
	marked.inputs, marked.outputs = slices.Clone(s.inputs), slices.Clone(s.outputs)
	for _, need := range inputs {
		names := keys(need)
		for i, in := range marked.inputs {
			marked.inputs[i].asked = in.asked || slices.Contains(names, spelling.Fold(in.name))
		}
	}
	for _, need := range outputs {
		names := keys(need)
		for i, out := range marked.outputs {
			marked.outputs[i].asked = out.asked || slices.Contains(names, spelling.Fold(out.name))
		}
	}
	return &marked
}

// Followed is the signature with a text behind its lines of every level.
func (s *Signature) Followed(by string) *Signature {
	if by == "" {
		return s
	}
	marked := *s
	marked.full, marked.tail = "", by
	return &marked
}

// NewSignature reads the signature of an action.
func NewSignature(e *Action) *Signature {
	s := signatureOf(e)
	s.full = s.line(fullLine)
	return s
}

func signatureOf(e *Action) *Signature {
	s := &Signature{id: e.ID, letter: effectLetter(e), about: firstSentence(e.Description, 110)}
	if s.about == "" {
		s.about = text.ClipRunes(text.OneLine(e.Title), 110)
	}
	d, props := e.Input, e.Input.Fields()
	for _, p := range props {
		s.inputs = append(s.inputs, d.lineInput(p))
	}
	if len(props) == 0 && e.Input != nil {
		o := e.Input.root()
		s.anyInput = string(o.additional) != "false" && len(o.names) == 0
	}
	if e.Output == nil {
		return s
	}
	d = e.Output
	o := d.root()
	s.isList = o.IsList()
	for _, p := range d.FieldsOf(o) {
		s.outputs = append(s.outputs, lineOutput{name: text.ClipRunes(text.OneLine(p.Name), 40)})
	}
	if len(s.outputs) == 0 {
		s.outLabel = d.Label(d)
	}
	return s
}

// line is the signature at a level.
func (s *Signature) line(l level) string {
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
	if s.about != "" {
		line += "  " + text.ClipRunes(s.about, textRoom)
	}
	return line + s.tail
}

// at is the input with its type, if that has at most kindRoom characters; Describe shows longer ones.
func (in *lineInput) at(kindRoom int) string {
	written := in.name
	if in.required {
		written += "*"
	}
	kind := in.kind + in.dflt
	switch {
	case kindRoom == 0:
		return written
	case len(kind) > kindRoom && len(in.kind) <= kindRoom:
		kind = in.kind + "~"
	case len(kind) > kindRoom:
		return written + ":~"
	case in.deep:
		kind = in.kind + "~" + in.dflt
	}
	return written + ":" + kind
}

func effectLetter(e *Action) string {
	switch {
	case e.Mutates && e.Risk == "high":
		return "!"
	case e.Mutates:
		return "W"
	}
	return "R"
}

// lineInput is one property of an argument table.
func (d Document) lineInput(p Property) lineInput {
	in := lineInput{name: text.ClipRunes(text.OneLine(p.Name), 60), required: p.Required}
	o, nullable := d.Plain(p.Text)
	in.kind = d.Label(p.Text)
	if words := enumWords(o.Enum); words != "" {
		in.kind = words
		if nullable {
			in.kind += "?"
		}
	}
	in.deep = len(o.Props) > 0 || len(o.allOf) > 0
	if !in.deep && o.IsList() && o.Items != nil {
		item, _ := d.Plain(o.Items)
		in.deep = len(item.Props) > 0
	}
	if o.Default != nil && !p.Required && string(o.Default) != "null" && len(o.Default) <= 24 {
		if in.dflt = text.OneLine(tree.Unquote(o.Default)); in.dflt == "" {
			in.dflt = text.OneLine(string(o.Default))
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
		word := tree.Unquote(raw)
		if raw[0] != '"' {
			word = string(raw)
		}
		if word == "" || strings.ContainsAny(word, " |,()\n\t") {
			return ""
		}
		n += len(word)
		words = append(words, text.OneLine(word))
	}
	if n > 40 {
		return ""
	}
	return strings.Join(words, "|")
}

// Line is the signature at full length: the action with required marks, output fields, effect letter, first sentence.
//
//	billing.invoice.list_unpaid(customer_id*:str, limit:int=25) -> list{invoice_id, amount_cents}  R  List unpaid…
//
// The letter is R for reads, W for mutations, ! for mutations of high risk. "*" marks required inputs, which are never
// left out; "~" stands for what only a specification shows.
func (s *Signature) Line() string { return s.line(fullLine) }

// Short is the shortest line of the action: id, names of required inputs, one output, letter and a few words.
func (s *Signature) Short() string { return s.line(bareLine) }

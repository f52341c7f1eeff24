package spec

// This file writes the specification of an action: what is needed to call it, and no more.

import (
	"encoding/json"
	"fmt"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// A Detail is how much a spec contains.
type Detail string

// The details. The zero Detail is Brief.
const (
	// Brief has the arguments with one level of nested shapes, the first sentences, and all Warnings.
	Brief Detail = "brief"
	// Full has all levels and whole descriptions, up to 4,000 characters.
	Full Detail = "full"
	// LuaLS has annotations for the Lua language server: classes, params and returns.
	LuaLS Detail = "luals"
	// JSON has the unchanged schemas.
	JSON Detail = "json"
)

// ParseDetail reads a Detail as people write it; "" is Brief.
func ParseDetail(s string) (Detail, error) {
	switch d := Detail(strings.ToLower(strings.TrimSpace(s))); d {
	case "":
		return Brief, nil
	case Brief, Full, LuaLS, JSON:
		return d, nil
	}
	return "", fmt.Errorf("detail %q: want brief, full, luals or json", text.ClipRunes(text.OneLine(s), 40))
}

// An Action is the material of one action's spec.
type Action struct {
	ID, Title, Description string
	Category, Version      string // may be empty
	Operation, Risk        string // never empty
	Mutates                bool
	// Strict tells that no argument is taken that Input does not list.
	Strict bool
	// Input and Output are the texts of the schemas; nil for no arguments, and for an undescribed result.
	Input, Output Document
	Examples      []string
	// Lone is the argument that a value stands for which is passed without a name; may be empty.
	Lone string
	// Undo is the call that takes back what a call did, with args and result in it for those of the call; may be empty.
	Undo string
	// Supplies are the arguments of other actions that are in a result, in words.
	Supplies []string
	// Conduct says in lines how calls are made and what their results carry: "hooks: before (shop.yaml:7)". May be empty.
	Conduct []string
	// Target is what a call reaches outside of the program; may be empty.
	Target string
	// Warnings are sentences of the description that no short form may omit.
	Warnings []string
}

// Describe writes an action.
func (e *Action) Describe(detail Detail) (string, error) {
	switch detail {
	case JSON:
		return specJSON(e)
	case LuaLS:
		return specLuaLS(e), nil
	}
	return specText(e, detail), nil
}

func specJSON(e *Action) (string, error) {
	record := struct {
		ID          string          `json:"id"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		Category    string          `json:"category,omitempty"`
		Version     string          `json:"version,omitempty"`
		Operation   string          `json:"operation"`
		Mutates     bool            `json:"mutates"`
		Risk        string          `json:"risk"`
		Strict      bool            `json:"strict,omitempty"`
		Input       json.RawMessage `json:"input"`
		Output      json.RawMessage `json:"output,omitempty"`
		Examples    []string        `json:"examples,omitempty"`
		Undo        string          `json:"undone_by,omitempty"`
		Supplies    []string        `json:"supplies,omitempty"`
		Conduct     []string        `json:"conduct,omitempty"`
	}{e.ID, e.Title, e.Description, e.Category, e.Version, e.Operation, e.Mutates, e.Risk, e.Strict,
		json.RawMessage(e.Input), json.RawMessage(e.Output), e.Examples, e.Undo, e.Supplies, e.Conduct}
	if e.Input == nil {
		record.Input = json.RawMessage(EmptySchema)
	}
	out, err := json.MarshalIndent(record, "", "  ")
	return string(out), err
}

// EmptySchema is that of an action without arguments.
const EmptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

func specText(e *Action, detail Detail) string {
	w := specWriter{nest: 1, words: 160, most: briefFields}
	if detail == Full {
		w = specWriter{nest: 6, words: 4000, most: fullFields}
	}
	label := ""
	if e.Output != nil {
		label = " -> " + e.Output.TypeLabel()
	}
	fmt.Fprintf(&w.b, "%s(args)%s\n", e.ID, label)
	description := firstSentence(e.Description, w.words)
	if detail == Full {
		description = text.ClipRunes(text.OneLine(e.Description), w.words)
	}
	if description != "" {
		w.b.WriteString(description + "\n")
	}
	w.section("Args", e.Input, true)
	if e.Output != nil {
		w.section("Returns", e.Output, false)
	}
	if detail == Full && e.Lone != "" {
		w.b.WriteString("\nA value passed alone is " + text.LineRunes(e.Lone, 80) + ".\n")
	}
	w.b.WriteString("\nExample:\n" + exampleCall(e) + "\n")
	if detail == Full {
		for _, more := range e.Examples[min(1, len(e.Examples)):] {
			w.b.WriteString(cleanCode(more) + "\n")
		}
	}
	w.b.WriteString("\nSafety:\n" + safety(e))
	for _, s := range e.Warnings {
		if !strings.Contains(description, s) {
			w.b.WriteString("\n" + s)
		}
	}
	about := e.label()
	if detail == Brief {
		about = e.briefLabel()
	}
	if about != "" {
		w.b.WriteString("\n" + about)
	}
	for _, supply := range e.Supplies {
		if detail == Full {
			w.b.WriteString("\nsupplies " + cleanCode(supply))
		}
	}
	if detail == Full && e.Undo != "" {
		w.b.WriteString("\nundone by " + cleanCode(e.Undo))
	}
	for _, line := range e.Conduct {
		if detail == Full {
			w.b.WriteString("\n" + text.LineRunes(line, 200))
		}
	}
	if detail == Full && e.Target != "" {
		w.b.WriteString("\ncalls " + text.ClipRunes(text.OneLine(e.Target), 200))
	}
	return w.b.String()
}

// label is the category, the version and the strictness in a line; empty without them.
func (e *Action) label() string {
	var parts []string
	for _, named := range []struct{ what, name string }{{"category", e.Category}, {"version", e.Version}} {
		if named.name != "" {
			parts = append(parts, named.what+" "+text.LineRunes(named.name, 60))
		}
	}
	if e.Strict {
		parts = append(parts, "strict: unlisted arguments are refused")
	}
	return strings.Join(parts, ", ")
}

// briefLabel is the category and what results carry beside their data, in a line; empty without them.
func (e *Action) briefLabel() string {
	var parts []string
	if e.Category != "" {
		parts = append(parts, "category "+text.LineRunes(e.Category, 40))
	}
	for _, line := range e.Conduct {
		if effects, ok := strings.CutPrefix(line, EffectsLabel); ok {
			parts = append(parts, EffectsLabel+text.LineRunes(effects, 80))
		}
	}
	return strings.Join(parts, ", ")
}

// EffectsLabel begins the line of Conduct that names the declared effects.
const EffectsLabel = "effects: "

// Argument describes the argument that a path leads into, "items[2].price", as a brief specification does, with the
// fields inside it. Where there is none, text is empty; names are those that there are.
func (e *Action) Argument(path string) (text string, names []string) {
	for _, p := range e.Input.Fields() {
		names = append(names, p.Name)
		rest, within := strings.CutPrefix(path, p.Name)
		if !within || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		w := specWriter{nest: 1, words: 160, most: argumentFields}
		w.field(e.Input, p, 0, true, nil)
		text = strings.TrimSpace(w.b.String())
	}
	return text, names
}

// safety is "read", or for a mutation its operation and risk.
func safety(e *Action) string {
	if !e.Mutates {
		if risk := e.Risk; risk != "low" {
			return "read_only, risk " + risk
		}
		return "read_only"
	}
	return fmt.Sprintf("mutates: %s, risk %s", text.ClipRunes(text.OneLine(e.Operation), 40), e.Risk)
}

// A specWriter writes the fields of schemas, one per line, indented by depth.
type specWriter struct {
	b     strings.Builder
	nest  int // levels of nested shapes that are shown
	words int // runes of a description
	most  int // lines of a section
	lines int // of the section at hand
}

// Fields that a section of a spec shows; required ones of the outermost level may be as many again.
const (
	briefFields    = 80
	fullFields     = 400
	argumentFields = 20
)

func (w *specWriter) section(title string, d Document, args bool) {
	fmt.Fprintf(&w.b, "\n%s:\n", title)
	o := d.root()
	props := d.FieldsOf(o)
	if len(props) == 0 {
		switch {
		case args && (d == nil || string(o.additional) == "false" || len(o.names) == 0 && o.additional == nil &&
			!o.is("object")):
			w.b.WriteString("- none\n")
		case args:
			w.b.WriteString("- any names\n")
		default:
			w.b.WriteString("- " + d.longLabel(d) + "\n")
		}
		return
	}
	w.lines = 0
	left, required := 0, 0
	for _, p := range props {
		switch {
		case w.lines < w.most, p.Required && args && w.lines < 2*w.most:
			w.field(d, p, 0, args, nil)
			continue
		case p.Required:
			required++
		}
		left++
	}
	if left > 0 {
		of := ""
		if required > 0 && args {
			of = fmt.Sprintf(", %d of them required", required)
		}
		fmt.Fprintf(&w.b, "- and %s%s: detail \"json\" has them all\n", text.Count(left, "more field"), of)
	}
}

// field writes one field and the shape inside it. path holds the texts of the enclosing shapes, so that a recursive
// schema is cut where it recurs.
func (w *specWriter) field(d Document, p Property, depth int, args bool, path []string) {
	o, _ := d.Plain(p.Text)
	w.lines++
	w.b.WriteString(strings.Repeat("  ", depth) + "- " + text.ClipRunes(text.OneLine(p.Name), 80) + ": " +
		d.longLabel(p.Text))
	if args {
		if p.Required {
			w.b.WriteString(", required")
		} else {
			w.b.WriteString(", optional")
		}
	}
	if o.Default != nil {
		w.b.WriteString(", default " + text.ClipRunes(text.OneLine(string(o.Default)), 60))
	}
	if len(o.Enum) > 0 {
		w.b.WriteString(", " + enumLine(o.Enum))
	} else if o.Constant != nil {
		w.b.WriteString(", always " + text.ClipRunes(text.OneLine(string(o.Constant)), 60))
	}
	if o.format != "" {
		w.b.WriteString(", format " + text.ClipRunes(text.OneLine(o.format), 30))
	}
	if bounds := boundsOf(p.Text); bounds != "" {
		w.b.WriteString(", " + bounds)
	}
	about := firstSentence(o.Description, min(w.words, 120))
	if w.nest > 1 {
		about = text.ClipRunes(text.OneLine(o.Description), w.words)
	}
	if about != "" && args {
		w.b.WriteString(". " + about)
	}
	inner := d.FieldsOf(o)
	key := string(p.Text)
	if len(inner) == 0 {
		w.b.WriteByte('\n')
		return
	}
	for _, around := range path {
		if around == key {
			w.b.WriteString(" (as above)\n")
			return
		}
	}
	if depth >= w.nest {
		fmt.Fprintf(&w.b, " (%s; detail \"full\" shows them)\n", text.Count(len(inner), "field"))
		return
	}
	w.b.WriteByte('\n')
	for i, q := range inner {
		if w.lines >= w.most {
			fmt.Fprintf(&w.b, "%s- and %s: detail \"json\" has them all\n", strings.Repeat("  ", depth+1),
				text.Count(len(inner)-i, "more field"))
			return
		}
		w.field(d, q, depth+1, args, append(path, key))
	}
}

// longLabel is the type in the words of JSON Schema: "list<invoice>", "integer", "string or null".
func (d Document) longLabel(part []byte) string {
	label := d.Label(part)
	suffix := ""
	if bare, ok := strings.CutSuffix(label, "?"); ok {
		label, suffix = bare, " or null"
	}
	words := strings.Split(label, "|")
	for i, word := range words {
		switch word {
		case "str":
			words[i] = "string"
		case "int":
			words[i] = "integer"
		case "num":
			words[i] = "number"
		case "bool":
			words[i] = "boolean"
		}
	}
	return strings.Join(words, " or ") + suffix
}

func enumLine(enum []json.RawMessage) string {
	var words []string
	for i, raw := range enum {
		if i == 20 {
			words = append(words, fmt.Sprintf("… (%d in all)", len(enum)))
			break
		}
		words = append(words, text.ClipRunes(text.OneLine(string(raw)), 60))
	}
	return "one of " + strings.Join(words, ", ")
}

// boundsOf are the limits a schema sets on a value, in words.
func boundsOf(part []byte) string {
	var parts []string
	s := tree.Scan(part)
	s.Object(func(name string) {
		value := text.ClipRunes(text.OneLine(string(s.Skip())), 60)
		word := ""
		switch name {
		case "minimum":
			word = ">= "
		case "maximum":
			word = "<= "
		case "exclusiveMinimum":
			word = "> "
		case "exclusiveMaximum":
			word = "< "
		case "minLength":
			word = "min length "
		case "maxLength":
			word = "max length "
		case "minItems":
			word = "min items "
		case "maxItems":
			word = "max items "
		case "pattern":
			word = "pattern "
		default:
			return
		}
		parts = append(parts, word+value)
	})
	return strings.Join(parts, ", ")
}

// exampleCall is the entry's first example, or a call with its required arguments.
func exampleCall(e *Action) string {
	for _, example := range e.Examples {
		if code := cleanCode(example); code != "" {
			return code
		}
	}
	d, props := e.Input, e.Input.Fields()
	var args []string
	for i, p := range props {
		if p.Required || i == 0 && len(props) > 0 {
			args = append(args, lua.Key(p.Name)+" = "+lua.Literal(d.placeholder(p.Text, p.Name, 0),
				lua.Options{Tight: true}))
		}
	}
	if more := len(args) - briefFields; more > 0 {
		args = append(args[:briefFields:briefFields], fmt.Sprintf("--[[ and %d more ]]", more))
	}
	table := "{}"
	if len(args) > 0 {
		table = "{ " + strings.Join(args, ", ") + " }"
	}
	return "local result = " + lua.Call(e.ID, table)
}

// cleanCode is an example made safe to show, at most 1,000 characters.
func cleanCode(code string) string { return text.ClipRunes(text.Clean(code), 1000) }

// firstSentence is the first sentence of a description in at most n characters.
func firstSentence(description string, n int) string {
	return text.ClipRunes(text.FirstSentence(description), n)
}

package vm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	lua "github.com/Shopify/go-lua"
)

// This file mends the engine's messages. The engine names any variable that happens to hold an equal value ("local
// 'a'" for a field of t); here the source line tells which expressions could have failed, and the globals' values
// which of them did. Where several could have, all are named.

var engineMessage = regexp.MustCompile(
	`^attempt to (index|call|perform arithmetic on|perform bitwise operation on|concatenate|get length of) ` +
		`(?:a (.+) value|\w+ '.*' \(a (.+) value\))$`)

// explain returns the engine's message with the right position and names.
func (m *Machine) explain(l *lua.State, message string) string {
	chunk, line, text := splitPosition(message)
	found := engineMessage.FindStringSubmatch(text)
	inPrelude := strings.HasPrefix(chunk, preludePrefix)
	switch {
	case strings.HasPrefix(text, "Go stack overflow"):
		text = "stack overflow (calls through metamethods nest too deep)"
	case strings.HasPrefix(text, "attempt to compare"):
		text = strings.NewReplacer("'no value'", "'null'", "'userdata'", "'action'", "'", "").Replace(text)
	case found != nil:
		op, typ := found[1], luaType(found[2]+found[3])
		text = fmt.Sprintf("attempt to %s a %s value", op, typ)
		if !inPrelude {
			name, hint := m.blame(chunk, line, op, typ)
			text += name
			m.hint = hinted{message: text, hint: hint}
		}
		if typ == "action" {
			m.hint = hinted{message: text, hint: "this is the name of an action: call it with a table, name{...}"}
		}
	}
	if chunk == "" {
		return m.where(l) + text
	}
	if inPrelude {
		return m.where(l) + text
	}
	return fmt.Sprintf("%s:%d: %s", chunk, line, text)
}

// operatorFailed raises the error of an operator that the host does; it does not return.
func (m *Machine) operatorFailed(l *lua.State, op string, v any) {
	m.raise(l, m.explain(l, fmt.Sprintf("%sattempt to %s a %s value", m.where(l), op, m.typeName(v))))
}

func luaType(engine string) string {
	switch engine {
	case "no value":
		return "null"
	case "userdata":
		return "action"
	}
	return engine
}

// A hinted is the last message that explain had a hint for.
type hinted struct{ message, hint string }

func (m *Machine) hintFor(e *Error) string {
	if e.Hint == "" && m.hint.message == e.Message {
		return m.hint.hint
	}
	return e.Hint
}

// A chain is an expression a.b.c found in a source line.
type chain struct {
	names  []string
	method bool // the last step is a ":"
	after  byte // first byte behind it
	before byte
}

var chainText = regexp.MustCompile(`[A-Za-z_]\w*(?:\s*[.:]\s*[A-Za-z_]\w*)*`)

// chains finds the name paths of a line outside strings and comments.
func chains(line string) []chain {
	line = blankStrings(line)
	var out []chain
	for _, at := range chainText.FindAllStringIndex(line, -1) {
		text := strings.Join(strings.Fields(line[at[0]:at[1]]), "")
		ch := chain{names: strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == ':' })}
		ch.method = strings.Contains(text, ":")
		if rest := strings.TrimLeft(line[at[1]:], " \t"); rest != "" {
			ch.after = rest[0]
		}
		if head := strings.TrimRight(line[:at[0]], " \t"); head != "" {
			ch.before = head[len(head)-1]
		}
		if !keyword(ch.names[0]) && ch.before != '.' && ch.before != ':' {
			out = append(out, ch)
		}
	}
	return out
}

// blankStrings puts a quote mark for every byte of a string literal and cuts a comment off.
func blankStrings(line string) string {
	b := []byte(line)
	quote := byte(0)
	for i := 0; i < len(b); i++ {
		switch {
		case quote == 0 && (b[i] == '"' || b[i] == '\''):
			quote = b[i]
		case quote == 0 && b[i] == '-' && i+1 < len(b) && b[i+1] == '-':
			return string(b[:i])
		case quote != 0 && b[i] == '\\':
			b[i] = '"'
			if i++; i < len(b) {
				b[i] = '"'
			}
		case quote != 0:
			if b[i] == quote {
				quote = 0
			}
			b[i] = '"'
		}
	}
	return string(b)
}

// parts returns the pieces of the chain that op could have failed on: name counts from its start.
func (ch chain) parts(op string) []int {
	n := len(ch.names)
	var counts []int
	switch op {
	case "index":
		for i := 1; i < n; i++ {
			counts = append(counts, i)
		}
		if ch.after == '[' || ch.after == '.' || ch.after == ':' {
			counts = append(counts, n)
		}
	case "call":
		if strings.IndexByte(`({"'`, ch.after) >= 0 && ch.after != 0 {
			counts = append(counts, n)
		}
	case "get length of":
		if ch.before == '#' {
			counts = append(counts, n)
		}
	case "perform arithmetic on", "perform bitwise operation on", "concatenate":
		if ch.after != '(' && ch.after != '[' && (strings.IndexByte("+-*/%^.&|~<>", ch.after) >= 0 && ch.after != 0 ||
			strings.IndexByte("+-*/%^.&|~<>", ch.before) >= 0 && ch.before != 0) {
			counts = append(counts, n)
		}
	}
	return counts
}

// blame names the expression on the line that has the type the operation failed on, and hints at a misspelling.
func (m *Machine) blame(chunk string, line int, op, typ string) (name, hint string) {
	var certain, possible []suspect
	seen := map[string]bool{}
	for _, ch := range chains(m.sourceLine(chunk, line)) {
		for _, n := range ch.parts(op) {
			path := strings.Join(ch.names[:n], ".")
			if seen[path] {
				continue
			}
			seen[path] = true
			method := ch.method && n == len(ch.names)
			c := suspect{ch.names[:n], method, !m.maybeLocal(chunk, ch.names[0])}
			if !c.global || method {
				possible = append(possible, c)
				continue
			}
			if v, ok := m.lookUp(c.names); ok && m.typeName(v) == typ {
				certain = append(certain, c)
			}
		}
	}
	all := append(certain, possible...)
	if len(all) == 0 || len(all) > 3 {
		return "", ""
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.describe()
	}
	if c := all[0]; len(all) == 1 && typ == "nil" && c.global {
		hint = m.nearHint(c.names)
	}
	return " (" + strings.Join(names, " or ") + ")", hint
}

// A suspect is an expression that an operation may have failed on.
type suspect struct {
	names          []string
	method, global bool
}

func (s suspect) describe() string {
	last := s.names[len(s.names)-1]
	switch {
	case s.method:
		return "method '" + last + "'"
	case len(s.names) > 1:
		return "field '" + strings.Join(s.names, ".") + "'"
	case s.global:
		return "global '" + last + "'"
	}
	return "local '" + last + "'"
}

// maybeLocal says whether the chunk declares the name as a local, a parameter or a loop variable anywhere.
func (m *Machine) maybeLocal(chunk, name string) bool {
	quoted := regexp.QuoteMeta(name)
	re, err := regexp.Compile(`\b(?:local\s[^=\n]*|for\s[^\n]*|function[^(\n]*\([^)]*)\b` + quoted + `\b`)
	return err != nil || re.MatchString(m.sources[chunk])
}

// lookUp reads a path of names from the globals, raw.
func (m *Machine) lookUp(names []string) (v any, ok bool) {
	if v = m.session.hash[names[0]]; v == nil {
		v = m.names.hash[names[0]]
	}
	if v == nil && m.roots[names[0]] {
		return m.actionValue(strings.Join(names, ".")), true
	}
	for _, name := range names[1:] {
		t := m.open(v)
		if t == nil {
			return nil, v == nil
		}
		v = t.hash[name]
	}
	return v, true
}

// open is the table behind a value: for a sealed library the real one.
func (m *Machine) open(v any) *table {
	t := m.table(v)
	if real := m.sealed[t]; real != nil {
		return real
	}
	return t
}

// nearHint says which existing name is nearest to one that is missing.
func (m *Machine) nearHint(names []string) string {
	want := names[len(names)-1]
	var known []string
	if len(names) == 1 {
		for _, t := range []*table{m.session, m.names} {
			for k := range t.hash {
				if s, ok := k.(string); ok {
					known = append(known, s)
				}
			}
		}
		for root := range m.roots {
			known = append(known, root)
		}
	} else if v, ok := m.lookUp(names[:len(names)-1]); ok {
		if t := m.open(v); t != nil {
			for k := range t.hash {
				if s, ok := k.(string); ok {
					known = append(known, s)
				}
			}
		}
	}
	if near := nearest(want, known); near != "" {
		prefix := ""
		if len(names) > 1 {
			prefix = strings.Join(names[:len(names)-1], ".") + "."
		}
		return "did you mean " + prefix + near + "?"
	}
	return ""
}

// nearest picks the name within a third of the word's length, at least one edit, or "".
func nearest(word string, names []string) string {
	slices.Sort(names)
	best, least := "", max(1, len(word)/3)+1
	for _, name := range names {
		if d := editDistance(word, name, least); d < least && !reserved(name) {
			best, least = name, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, changes and swaps of neighbours; it gives up at limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

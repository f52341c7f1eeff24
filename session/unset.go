package session

// This file explains a missing argument: text without quotes is an unset variable.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/session/syntax"
	"almanac/session/vm"
)

// unsetHint says which variable was given for a missing argument where that variable is not set; else it is empty.
func (r *run) unsetHint(missing *catalog.ArgError) string {
	if missing.Got != "nothing" {
		return ""
	}
	name := givenName(r.script.Source, missing.Field)
	used := syntax.Names(r.script.Source)
	w := r.session.world
	w.mu.Lock()
	defer w.mu.Unlock()
	isSet := func(g vm.Global) bool { return g.Name == name }
	if name == "" || !slices.Contains(used.Reads, name) || slices.Contains(used.Writes, name) ||
		slices.ContainsFunc(w.globals, isSet) {
		return ""
	}
	hint := name + " is not set"
	if strings.Contains(missing.Want, "string") {
		hint += fmt.Sprintf(`: strings need quotes, %s = "%s"`, missing.Field, name)
	}
	return hint
}

// givenName is the name that source gives for a field of a table, `field = name`, and nothing else; empty when it does
// not.
func givenName(source, field string) string {
	noCode := func(t syntax.Token) bool { return t.Kind == syntax.Comment || t.Text == "" }
	tokens := slices.DeleteFunc(syntax.Tokens(source), noCode)
	for i := 1; i+3 < len(tokens); i++ {
		before, value, after := tokens[i-1].Text, tokens[i+2], tokens[i+3].Text
		if tokens[i].Text == field && tokens[i+1].Text == "=" && value.Kind == syntax.Name &&
			(before == "{" || before == "," || before == ";") && (after == "}" || after == "," || after == ";") {
			return value.Text
		}
	}
	return ""
}

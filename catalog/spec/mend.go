package spec

// This file takes out of a schema what it could not be used with, and leaves the rest as it is.

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// Checkable reports whether a pattern can be checked here, and then probably means what it does in JavaScript. Go's
// regular expressions have no lookahead, for example.
func Checkable(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// Mended is the schema without the keywords that Verify refuses, the patterns that are not Checkable, and references
// that lead nowhere, out of the schema, or back to themselves. lost names the places of what was taken out, with the
// reason. The text must be JSON.
func (d Document) Mended() (whole Document, lost []string) {
	m := &mender{verifier: verifier{d, map[string]map[string]bool{}}, endless: map[string]bool{}}
	m.schema(d, "#", 0)
	return m.out, m.lost
}

type mender struct {
	verifier
	out     Document
	lost    []string
	endless map[string]bool // by reference
}

func (m *mender) lose(place, why string) {
	m.lost = append(m.lost, text.ClipRunes(place, 120)+": "+text.ClipRunes(why, 120))
}

func (m *mender) schema(part []byte, place string, depth int) {
	s := tree.Scan(part)
	switch next := s.Next(); {
	case next == 't' || next == 'f':
		m.out = append(m.out, part...)
		return
	case next != '{':
		m.lose(place, "want an object or a boolean")
	case depth > 200:
		m.lose(place, "nested too deeply")
	default:
		m.members(&s, func(name string, value []byte) bool { return m.keyword(name, value, place+"/"+name, depth) })
		return
	}
	m.out = append(m.out, "{}"...)
}

// members writes an object. value writes one of its values, or reports that it goes without.
func (m *mender) members(s *tree.Scanner, value func(name string, value []byte) bool) {
	m.out = append(m.out, '{')
	s.Object(func(name string) {
		raw := s.Skip()
		before := len(m.out)
		if m.out[before-1] != '{' {
			m.out = append(m.out, ',')
		}
		m.out = append(tree.Quote(m.out, name), ':')
		if !value(name, raw) {
			m.out = m.out[:before]
		}
	})
	m.out = append(m.out, '}')
}

// schemas writes a list of them.
func (m *mender) schemas(list []byte, place string, depth int) {
	s := tree.Scan(list)
	m.out = append(m.out, '[')
	for i, inner := range s.List() {
		if i > 0 {
			m.out = append(m.out, ',')
		}
		m.schema(inner, place+"/"+strconv.Itoa(i), depth)
	}
	m.out = append(m.out, ']')
}

// keyword writes the value of a keyword, or reports that it goes without.
func (m *mender) keyword(name string, value []byte, place string, depth int) bool {
	s := tree.Scan(value)
	first := s.Next()
	form := formOf(name)
	if name == "items" && first == '[' {
		form = listOfSchemas
	}
	why := ""
	switch {
	case form.begins != "" && !strings.ContainsRune(form.begins, rune(first)):
		why = "want " + form.words
	case form == tableOfSchemas:
		m.members(&s, func(inner string, value []byte) bool {
			if name == "patternProperties" && !Checkable(inner) {
				m.lose(place, "the pattern "+inner+" cannot be checked")
				return false
			}
			m.schema(value, place+"/"+inner, depth+1)
			return true
		})
		return true
	case form == listOfSchemas:
		m.schemas(value, place, depth+1)
		return true
	case form == oneSchema:
		m.schema(value, place, depth+1)
		return true
	case name == "pattern" && !Checkable(tree.Unquote(value)):
		why = "the pattern " + tree.Unquote(value) + " cannot be checked"
	case name == "$ref" || name == "$dynamicRef":
		if ref := tree.Unquote(value); !m.resolves(ref) {
			why = ref + " cannot be followed"
		} else if m.leadsBack(ref) {
			why = ref + " refers to itself without end"
		}
	case name == "type" || name == "required":
		if err := m.verifyKeyword(name, value, place, depth); err != nil {
			why = strings.TrimPrefix(err.Error(), place+": ")
		}
	}
	if why != "" {
		m.lose(place, why)
		return false
	}
	m.out = append(m.out, value...)
	return true
}

// A form is what the value of a keyword begins with, and what that is called.
type form struct{ begins, words string }

var (
	oneSchema      = form{"{tf", "a schema"}
	listOfSchemas  = form{"[", "a list of schemas"}
	tableOfSchemas = form{"{", "an object of schemas"}
)

// formOf is the form that the schema library wants; the zero form takes anything.
func formOf(name string) form {
	switch name {
	case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
		return tableOfSchemas
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return listOfSchemas
	case "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return oneSchema
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems",
		"maxItems", "minContains", "maxContains", "minProperties", "maxProperties":
		return form{"-0123456789", "a number"}
	case "title", "description", "format", "pattern", "$ref", "$dynamicRef", "$id", "$anchor", "$schema", "$comment",
		"$dynamicAnchor", "contentEncoding", "contentMediaType":
		return form{`"`, "a text"}
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return form{"tf", "true or false"}
	case "enum", "examples":
		return form{"[", "a list"}
	}
	return form{}
}

// resolves reports whether a reference leads to a schema of the document.
func (m *mender) resolves(ref string) bool {
	if name, ok := strings.CutPrefix(ref, "#"); ok && name != "" && name[0] != '/' {
		return bytes.Contains(m.Document, tree.Quote([]byte(nil), name)) && bytes.Contains(m.Document, []byte("nchor"))
	}
	target := tree.Scan(m.at(ref))
	return strings.ContainsRune(oneSchema.begins, rune(target.Next()))
}

// leadsBack reports whether the reference comes back to itself without going deeper into the value.
func (m *mender) leadsBack(ref string) bool {
	known, ok := m.endless[ref]
	if !ok {
		known = m.reaches(m.at(ref), ref, map[string]bool{ref: true})
		m.endless[ref] = known
	}
	return known
}

// reaches follows the references of a schema that apply to the same value.
func (m *mender) reaches(part []byte, ref string, seen map[string]bool) (found bool) {
	s := tree.Scan(part)
	s.Object(func(name string) {
		value := s.Skip()
		switch inner := tree.Scan(value); {
		case found:
		case name == "$ref" || name == "$dynamicRef":
			next := tree.Unquote(value)
			if found = next == ref; !found && !seen[next] {
				seen[next] = true
				found = m.reaches(m.at(next), ref, seen)
			}
		case name == "allOf" || name == "anyOf" || name == "oneOf":
			for _, one := range inner.List() {
				found = found || m.reaches(one, ref, seen)
			}
		case name == "not" || name == "if" || name == "then" || name == "else":
			found = m.reaches(value, ref, seen)
		case name == "dependentSchemas":
			inner.Object(func(string) { found = m.reaches(inner.Skip(), ref, seen) || found })
		}
	})
	return found
}

// Package expression reads the runtime expressions of OpenAPI links and Arazzo workflows: "$response.body#/items/0/id",
// "$steps.find.outputs.id", "Bearer {$inputs.token}".
//
//	Parse  reads one
//	Split  a text with expressions in braces, as literals and expressions
//
// Nothing is evaluated here.
package expression

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/text"
)

// An Expression is a parsed runtime expression.
type Expression struct {
	// Text is the expression as written.
	Text string
	// Root is what stands behind the dollar sign: response, inputs, steps, statusCode.
	Root string
	// Names stand behind the root, separated by dots there: [outputs, id]. Of request and response they are header,
	// query, path or body, and a name that may have dots itself, but for body.
	Names []string
	// Pointer are the parts of the JSON Pointer behind a #, unescaped; Pointed tells that there is one, as "" is.
	Pointer []string
	Pointed bool
}

// roots are those that stand alone, and those that need a name.
var (
	alone = []string{"url", "method", "statusCode"}
	named = []string{"request", "response", "inputs", "outputs", "steps", "workflows", "sourceDescriptions", "components",
		"self"}
	sources = []string{"header", "query", "path"}
)

// nameForm is what a name between dots may be.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// maxLength bounds an expression, in bytes.
const maxLength = 1000

// Parse reads an expression, which begins with "$".
func Parse(s string) (Expression, error) {
	wrong := func(why string) (Expression, error) {
		return Expression{}, fmt.Errorf("expression %s: %s", text.LineBytes(s, 100), why)
	}
	body, ok := strings.CutPrefix(s, "$")
	if !ok {
		return wrong("it begins with $")
	}
	if len(s) > maxLength {
		return wrong(fmt.Sprintf("longer than %d bytes", maxLength))
	}
	e := Expression{Text: s}
	body, pointer, pointed := strings.Cut(body, "#")
	if pointed {
		var err error
		if e.Pointer, err = pointerOf(pointer); err != nil {
			return wrong(err.Error())
		}
		e.Pointed = true
	}
	root, rest, more := strings.Cut(body, ".")
	e.Root = root
	switch {
	case slices.Contains(alone, root):
		if more || pointed {
			return wrong("nothing stands behind $" + root)
		}
		return e, nil
	case !slices.Contains(named, root):
		return wrong("unknown: want $" + strings.Join(slices.Concat(alone, named), ", $"))
	case root == "self":
		return wrong("$self is not supported")
	case !more || rest == "":
		return wrong("a name is missing behind $" + root)
	}
	if root == "request" || root == "response" {
		place, name, has := strings.Cut(rest, ".")
		switch {
		case place == "body" && !has:
			e.Names = []string{place}
		case slices.Contains(sources, place) && name != "" && !pointed && (place != "path" || root == "request") &&
			(place != "query" || root == "request") && !strings.ContainsAny(name, " \t\r\n{}"):
			e.Names = []string{place, name}
		default:
			return wrong("want body, header.NAME" + map[bool]string{true: ", query.NAME or path.NAME"}[root == "request"] +
				" behind $" + root)
		}
		return e, nil
	}
	e.Names = strings.Split(rest, ".")
	for _, name := range e.Names {
		if !nameForm.MatchString(name) {
			return wrong("a name has letters, digits, _ and -")
		}
	}
	if root == "steps" || root == "workflows" {
		if len(e.Names) < 3 || e.Names[1] != "outputs" && (root == "steps" || e.Names[1] != "inputs") {
			return wrong("want $" + root + ".ID.outputs.NAME")
		}
	}
	return e, nil
}

// pointerOf are the parts of a JSON Pointer.
func pointerOf(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, errors.New("a JSON Pointer begins with /")
	}
	parts := strings.Split(s[1:], "/")
	for i, part := range parts {
		for at := strings.IndexByte(part, '~'); at >= 0; {
			if at+1 >= len(part) || part[at+1] != '0' && part[at+1] != '1' {
				return nil, errors.New("in a JSON Pointer ~ is ~0 and / is ~1")
			}
			next := strings.IndexByte(part[at+1:], '~')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts, nil
}

// A Part is a piece of a text: a literal, or an expression where Expression is set.
type Part struct {
	Literal    string
	Expression *Expression
}

// Split reads a text: one that begins with "$" is an expression, and in others "{$...}" are. A text without any is one
// literal.
func Split(s string) ([]Part, error) {
	if strings.HasPrefix(s, "$") {
		e, err := Parse(s)
		return []Part{{Expression: &e}}, err
	}
	var parts []Part
	for s != "" {
		before, rest, found := strings.Cut(s, "{$")
		if before != "" {
			parts = append(parts, Part{Literal: before})
		}
		if !found {
			break
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("text %s: { without }", text.LineBytes(s, 100))
		}
		e, err := Parse("$" + inner)
		if err != nil {
			return nil, err
		}
		parts, s = append(parts, Part{Expression: &e}), after
	}
	return parts, nil
}

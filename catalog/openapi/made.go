package openapi

// This file describes operations that their document does not describe.

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// made is a description from method, path and schema: "List the refunds of a charge: GET /v1/charges/{id}/refunds."
func (op *operation) made(input *catalog.Schema) string {
	what := op.doing()
	var by, with []string
	for _, f := range input.Fields() {
		at := slices.IndexFunc(op.plan.params, func(p param) bool { return p.arg == f.Name })
		switch {
		case at >= 0 && op.plan.params[at].in == "path":
			by = append(by, f.Name)
		case f.Required && f.Name != "body":
			with = append(with, f.Name)
		}
	}
	if len(by) > 0 {
		what += " by " + by[len(by)-1]
	}
	if n := len(with); n > 3 {
		with = append(with[:3], "more")
	}
	if len(with) > 0 {
		what += ", with " + strings.Join(with, ", ")
	}
	return what + ": " + strings.ToUpper(op.method) + " " + text.LineBytes(op.path, 200) + ". " + catalog.Undescribed
}

// doing is what the operation does, from its own name where it has one, else from method and path.
func (op *operation) doing() string {
	fixed, lastIsParam := pathWords(op.path)
	words := op.name.words.from(0)
	if op.name.own && len(words) > 1 || len(fixed) == 0 {
		return text.Capital(strings.Join(words, " "))
	}
	n := len(fixed) - 1
	last := verb.Terms(fixed[n])
	thing, of := strings.Join(singularWords(last), " "), ""
	switch {
	case !op.name.own:
	case slices.Equal(words, last):
		return text.Capital(words[0])
	case strings.Contains(" list search find query count ", " "+words[0]+" "):
		return text.Capital(words[0]) + " the " + strings.Join(last, " ")
	default:
		return text.Capital(words[0]) + " " + article(thing)
	}
	if n > 0 && !lastIsParam {
		of = strings.Join(singularWords(verb.Terms(fixed[n-1])), " ")
	}
	switch does := methodVerb(op.method, lastIsParam); {
	case len(last) == 0:
		return text.Capital(strings.Join(words, " "))
	case does == "list":
		return "List the " + strings.Join(last, " ") + ofA(of)
	case does == "create" && (verb.Known(last[0]) || len(last) > 1 && isCall(fixed[n])):
		return text.Capital(thing) + strings.TrimPrefix(ofA(of), " of")
	default:
		return text.Capital(does) + " " + article(thing) + ofA(of)
	}
}

func ofA(thing string) string {
	if thing == "" {
		return ""
	}
	return " of " + article(thing)
}

func article(thing string) string {
	if thing != "" && strings.ContainsRune("aeio", rune(thing[0])) || strings.HasPrefix(thing, "up") {
		return "an " + thing
	}
	return "a " + thing
}

package openapi

// This file decides what an operation does, by its method and by what the document says of it. What cannot be told
// counts as a change.

import (
	"slices"
	"strings"

	"almanac/catalog"
)

const (
	readVerbs   = " get list read fetch retrieve search find query lookup show view describe count check download export head options status stats filter browse preview compare validate verify calculate estimate suggest autocomplete "
	searchVerbs = " search query find lookup list count filter autocomplete suggest "
	updateVerbs = " update edit modify change set patch put replace rename move merge cancel close open reopen enable disable activate deactivate archive unarchive restore lock unlock approve reject confirm start stop pause resume restart reset assign unassign "
	// changeWords in the text of a POST take away the belief that it only searches.
	changeWords = " create creates add adds update updates delete deletes remove removes save saves store stores modify modifies insert inserts schedule schedules start starts trigger triggers set sets "
)

func among(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }

// dangerous tells verbs that make a change high risk.
func dangerous(word string) bool { return catalog.Deletes(word) || catalog.Harms(word) }

// effects fills in operation, mutates and risk.
func effects(op *operation, e *catalog.Entry) {
	said := words(op.operationID)
	if len(said) == 0 {
		said = op.name.words
	}
	first := said[:min(1, len(said))]
	if generated(said, op.method, words(op.path)) {
		first = nil
	}
	verb := strings.Join(first, "")
	if i := slices.IndexFunc(op.name.words, func(w string) bool {
		return among(readVerbs+searchVerbs+updateVerbs, w) || dangerous(w)
	}); i == 0 {
		verb = op.name.words[0]
	}
	e.Risk = catalog.Medium
	switch op.method {
	case "get", "head", "options", "trace", "query":
		e.Operation, e.Risk = catalog.Read, catalog.Low
		if catalog.Deletes(verb) || among(" create update set add reset cancel logout ", verb) {
			// A GET that says it changes something is believed.
			e.Operation, e.Mutates, e.Risk = catalog.Update, true, catalog.Medium
			if catalog.Deletes(verb) {
				e.Operation, e.Risk = catalog.Delete, catalog.High
			}
		}
		return
	case "delete":
		e.Operation, e.Mutates, e.Risk = catalog.Delete, true, catalog.High
		return
	case "put", "patch":
		e.Operation, e.Mutates = catalog.Update, true
	default:
		if searches(op, verb) {
			e.Operation, e.Risk = catalog.Read, catalog.Low
			return
		}
		e.Operation, e.Mutates = catalog.Create, true
		if strings.HasSuffix(op.path, "}") && !among(" create add ", verb) || among(updateVerbs, verb) || dangerous(verb) {
			e.Operation = catalog.Update
		}
	}
	if catalog.Deletes(verb) {
		e.Operation, e.Risk = catalog.Delete, catalog.High
	}
	last, _ := pathWords(op.path)
	if dangerous(verb) || len(last) > 0 && dangerous(strings.ToLower(last[len(last)-1])) {
		e.Risk = catalog.High
	}
}

// searches tells a POST that only searches: its name or path says so, and its text does not speak of a change.
func searches(op *operation, verb string) bool {
	fixed, lastIsParam := pathWords(op.path)
	last := ""
	if len(fixed) > 0 && !lastIsParam {
		all := words(fixed[len(fixed)-1])
		last = strings.Join(all, "_")
	}
	byName := among(searchVerbs, verb)
	byPath := among(" search query lookup find ", last)
	summary := words(op.summary)
	if len(summary) == 0 {
		summary = words(firstSentence(op.description))
	}
	for _, w := range summary {
		if among(changeWords, w) {
			return false
		}
	}
	if len(summary) == 0 {
		return byName && byPath
	}
	says := among(readVerbs, summary[0]) || among(readVerbs, strings.TrimSuffix(summary[0], "s")) || among(" returns return ", summary[0]) ||
		among(readVerbs, strings.TrimSuffix(summary[0], "es"))
	return says && (byName || byPath)
}

func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, ".\n"); i > 0 {
		return s[:i]
	}
	return s
}

// entities are the things that an operation works on: the last nouns of its path, in the singular.
func entities(op *operation) []string {
	fixed, _ := pathWords(op.path)
	var out []string
	for i := len(fixed) - 1; i >= 0 && len(out) < 2; i-- {
		list := words(fixed[i])
		if len(list) == 0 || among(readVerbs+updateVerbs, list[0]) || dangerous(list[0]) {
			continue
		}
		name := strings.Join(singularWords(list), "_")
		if len(name) <= 40 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

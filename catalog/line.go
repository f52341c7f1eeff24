package catalog

// This file writes hits as lines, signature first.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	maxLineInputs  = 8
	maxLineOutputs = 8
	maxLineText    = 110
)

// Line is one hit: signature with required marks, output fields, effect letter, first sentence.
//
//	billing.invoice.list_unpaid(customer_id*:str, limit:int=25) -> list{invoice_id, amount_cents}  R  List unpaid invoices for a customer.
//
// The letter is R for what reads, W for what mutates, ! for what mutates at high risk. "*" marks required inputs, none
// of which is left out; "~" stands for what only Describe shows. An id that is not visible gives "".
func (v *View) Line(id string) string {
	e, ok := v.Lookup(id)
	if !ok {
		return ""
	}
	line := e.ID + "(" + lineInputs(e) + ")"
	if out := lineOutput(e); out != "" {
		line += " -> " + out
	}
	line += "  " + effectLetter(e)
	if text := firstSentence(e.Description, maxLineText); text != "" {
		line += "  " + text
	} else if text := clip(oneLine(e.Title), maxLineText); text != "" {
		line += "  " + text
	}
	return line
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

func lineInputs(e *Entry) string {
	d, props := e.Input.fields()
	var parts []string
	more := false
	for _, p := range props {
		if !p.required && len(parts) >= maxLineInputs {
			more = true
			break
		}
		parts = append(parts, d.lineField(p))
	}
	if more {
		parts = append(parts, "~")
	}
	if len(parts) == 0 && e.Input != nil {
		if _, o := e.Input.outline(); string(o.additional) != "false" && len(o.names) == 0 {
			return "~"
		}
	}
	return strings.Join(parts, ", ")
}

// lineField is one input: name, mark, type, default.
func (d document) lineField(p property) string {
	name := clip(oneLine(p.name), 60)
	if p.required {
		name += "*"
	}
	o, nullable := d.plain(p.text)
	kind := d.label(p.text, 0)
	if words := enumWords(o.enum); words != "" {
		kind = words
		if nullable {
			kind += "?"
		}
	}
	if len(o.props) > 0 || len(o.allOf) > 0 {
		kind += "~"
	} else if o.list() && o.items != nil {
		if item, _ := d.plain(o.items); len(item.props) > 0 {
			kind += "~"
		}
	}
	name += ":" + kind
	if o.dflt != nil && !p.required && string(o.dflt) != "null" && len(o.dflt) <= 24 {
		if word := text(o.dflt); word != "" {
			name += "=" + oneLine(word)
		} else {
			name += "=" + oneLine(string(o.dflt))
		}
	}
	return name
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

func lineOutput(e *Entry) string {
	if e.Output == nil {
		return ""
	}
	d, o := e.Output.outline()
	props := d.fields(o)
	if len(props) == 0 {
		return d.label(e.Output.text, 0)
	}
	var names []string
	for i, p := range props {
		if i == maxLineOutputs {
			names = append(names, "~")
			break
		}
		names = append(names, clip(oneLine(p.name), 40))
	}
	shape := "{" + strings.Join(names, ", ") + "}"
	if o.list() {
		return "list" + shape
	}
	return shape
}

// FormatSet is a set as text: a header that says how many of how many are shown, then a line a hit. At most max hits
// are listed; 0 stands for 20. An empty set says what was searched, the nearest names, and where to look.
func (v *View) FormatSet(s Set, max int) string {
	if max <= 0 {
		max = defaultLimit
	}
	var lines []string
	for _, hit := range s.Hits() {
		if len(lines) == max {
			break
		}
		if line := v.Line(hit.ID); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return v.formatEmpty(s)
	}
	header := fmt.Sprintf("%d of %d shown", len(lines), s.total)
	if s.total <= len(lines) {
		header = fmt.Sprintf("complete: %s", count(len(lines), "action"))
	} else if s.total > s.Len() {
		header += "; narrow the query, or raise limit, for the rest"
	}
	if len(s.notes) > 0 {
		header += "; " + strings.Join(s.notes, "; ")
	}
	return header + "\n" + strings.Join(lines, "\n")
}

func (v *View) formatEmpty(s Set) string {
	var b strings.Builder
	b.WriteString("no actions found")
	if s.query != "" {
		fmt.Fprintf(&b, " for %q", clip(oneLine(s.query), 120))
	}
	fmt.Fprintf(&b, " among %s", count(v.count, "visible action"))
	if filters := s.asked.words(); filters != "" {
		b.WriteString(" with " + filters)
	}
	for _, note := range s.notes {
		b.WriteString("\n" + note)
	}
	if near := v.nearWords(s.query); len(near) > 0 {
		b.WriteString("\nnear words: " + strings.Join(near, ", "))
	}
	if wide := v.domainsOf(s); len(wide) > 0 {
		b.WriteString("\nwithout these filters: " + strings.Join(wide, ", "))
		return b.String()
	}
	if roots := v.Roots(); len(roots) > 0 {
		more := ""
		if len(roots) > 12 {
			more = fmt.Sprintf(" and %d more", len(roots)-12)
		}
		b.WriteString("\ndomains: " + strings.Join(roots[:min(12, len(roots))], ", ") + more)
	}
	return b.String()
}

// domainsOf are the first six domains, in the order of their best hits, that the query of a filtered set has without
// its filters, with the number of hits among the best 50.
func (v *View) domainsOf(s Set) []string {
	if s.query == "" || s.asked.words() == "" {
		return nil
	}
	wide, err := v.Search(s.query, SearchOptions{Limit: 50})
	if err != nil {
		return nil
	}
	var names []string
	counts := map[string]int{}
	for _, hit := range wide.Hits() {
		root, _, _ := strings.Cut(hit.ID, ".")
		if counts[root]++; counts[root] == 1 {
			names = append(names, root)
		}
	}
	names = names[:min(6, len(names))]
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
	}
	return names
}

// words are the options as a person would say them.
func (o SearchOptions) words() string {
	var parts []string
	list := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, name+" "+clip(oneLine(strings.Join(values, ", ")), 80))
		}
	}
	list("domains", o.Domains)
	list("tags", o.Tags)
	list("entities", o.Entities)
	list("operation", nonEmpty(string(o.Operation)))
	list("risk", nonEmpty(string(o.Risk)))
	list("needs_input", o.NeedsInput)
	list("needs_output", o.NeedsOutput)
	if o.IncludeMutations != nil && !*o.IncludeMutations || o.Mutates != nil && !*o.Mutates {
		parts = append(parts, "mutates false")
	}
	if o.Mutates != nil && *o.Mutates {
		parts = append(parts, "mutates true")
	}
	return strings.Join(parts, "; ")
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// nearWords are visible words of the catalog close to those of the query that it has not, at most three a word.
func (v *View) nearWords(query string) []string {
	ix := v.cat.index
	var near []string
	for _, word := range queryWords(query) {
		st := stem(word.text)
		if ix.words.term(st) >= 0 || len(st) < 3 || len(near) >= 9 {
			continue
		}
		limit := closeness(st) + 1
		var found []string
		for edits := 1; edits < limit; edits++ {
			for t := range ix.words.len() {
				docs, _ := ix.postings(int32(t))
				if len(found) < 3 && EditDistance(st, ix.words.at(t), limit) == edits && v.visible.any(docs) {
					found = append(found, ix.words.at(t))
				}
			}
		}
		near = append(near, found...)
	}
	slices.Sort(near)
	return slices.Compact(near)
}

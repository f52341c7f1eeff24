package catalog

// This file writes sets as text.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/spec"
	"almanac/catalog/text"
)

// An answer is written for readers who pay for it by the token.
const (
	// answerTokens is the rough size of an answer when no limit was given.
	answerTokens = 256
	// supplierTokens is how much longer an answer may be for its suppliers.
	supplierTokens = 40
	// stepTokens is added for each step of a plan beyond the second.
	stepTokens = 85
	// askedTokens is the rough size of an answer when a limit was given.
	askedTokens = 735
	// At least leastHits are always shown; the first bestHits keep their full line as long as others can be shortened.
	leastHits = 5
	bestHits  = 2
)

// ListOptions say what an answer lists. The zero value lists up to 20 actions, with suppliers.
type ListOptions struct {
	// Most is how many actions the text names at most; 0 means 20.
	Most int
	// Admit is asked about each action before the text names it, the most important ones first; false leaves it out. Nil
	// admits all.
	Admit func(id string) bool
	// Bare leaves suppliers out, Each gives interchangeable hits a line each.
	Bare, Each bool
}

// A Listing is a set as text, with what the text names.
type Listing struct {
	Text string
	// Hits are those of the set that the text names, in its order, Suppliers what it says of the ids that they require.
	Hits      []Hit
	Suppliers []Supplier
	// Like says of hits without a line of their own which hit's line names them.
	Like map[string]string
}

// Named are the ids that the text names, each once: those of hits, then those of suppliers.
func (l Listing) Named() (ids []string) {
	for _, h := range l.Hits {
		ids = appendNew(ids, h.ID)
	}
	for _, s := range l.Suppliers {
		ids = appendNew(ids, s.ID)
	}
	return ids
}

// FormatSet is the text of List with at most max actions; 0 means 20.
func (v *View) FormatSet(s Set, max int) string { return v.List(s, ListOptions{Most: max}).Text }

// List is a set as text: a header ("5 of 12 shown"), then one line per hit. Lines below the best are shortened until
// the text takes about 300 tokens, and then the last hits are left out. A set made with a limit, or cut by Top, keeps
// all its hits, in about 900 tokens if their required inputs allow it. Below a hit of the first that requires an id
// which neither the request nor the session has stands the action that finds it (see Supplier), if a few tokens more
// than the hits take are enough. For an empty set the text says what was searched, which words are near, and where to
// look.
//
// Interchangeable hits share the line of the first, see Alike: it ends with the ids of the others, up to three unless
// the set was made with a limit.
func (v *View) List(s Set, o ListOptions) Listing {
	if o.Most <= 0 {
		o.Most = defaultLimit
	}
	rows := v.rows(s, o)
	if len(rows) == 0 {
		return Listing{Text: v.formatEmpty(s)}
	}
	if !o.Bare {
		v.supply(rows, s)
	}
	lines := v.fit(rows, s.chosen)
	l, body := v.write(rows[:len(lines)], lines, o)
	if len(l.Hits) == 0 {
		l.Text = fmt.Sprintf("%d actions, none shown", s.total)
		return l
	}
	header := fmt.Sprintf("%d of %d shown", len(l.Hits), s.total)
	switch {
	case s.total <= len(l.Hits):
	case s.chosen && len(l.Hits) >= o.Most:
		header += ", the most that one answer lists; narrow the query for the rest"
	case !s.chosen && s.search == nil:
		header += fmt.Sprintf("; catalog.top(set, %d) lists more, catalog.filter narrows", o.Most)
	default:
		header += "; raise limit or narrow the query for the rest"
	}
	if notes := s.Notes(); len(notes) > 0 {
		header += "; " + strings.Join(notes, "; ")
	}
	l.Text = header + body
	return l
}

// A row is a hit as an answer writes it, with hits that are interchangeable with it.
type row struct {
	hit       Hit
	alike     []Hit
	unnamed   int // more of them
	signature *spec.Signature
	needs     []Supplier
}

// rows are the hits that an answer may list.
func (v *View) rows(s Set, o ListOptions) (rows []row) {
	var hits []Hit
	for _, h := range s.Hits()[:min(len(s.hits), o.Most)] {
		if v.doc(h.ID) >= 0 {
			hits = append(hits, h)
		}
	}
	groups := [][]Hit{}
	if !o.Each {
		groups = v.Alike(hits, s.words)
	} else {
		for _, h := range hits {
			groups = append(groups, []Hit{h})
		}
	}
	for _, group := range groups {
		r := row{hit: group[0], alike: group[1:]}
		if n := len(r.alike); n > mostAlike && !s.chosen {
			r.alike, r.unnamed = r.alike[:mostAlike], n-mostAlike
		}
		r.signature = v.cat.signatureOf(v.doc(r.hit.ID)).Asking(s.asked.NeedsInput, s.asked.NeedsOutput, needKeys).
			Followed(r.others(r.alike))
		rows = append(rows, r)
	}
	return rows
}

// others are hits that are interchangeable with the row's, at the end of its line.
func (r *row) others(named []Hit) string {
	if len(named) == 0 {
		return ""
	}
	ids := make([]string, len(named))
	for i, h := range named {
		ids[i] = h.ID
	}
	all := strings.Join(ids, ", ")
	if r.unnamed > 0 {
		all += fmt.Sprintf(" and %d more", r.unnamed)
	}
	return "  (or " + all + ")"
}

// supply finds suppliers for the first rows.
func (v *View) supply(rows []row, s Set) {
	var first []Hit
	for _, r := range rows[:min(len(rows), helpedHits)] {
		first = append(first, r.hit)
	}
	for _, one := range v.suppliersFor(first, s.words) {
		for i := range rows {
			if rows[i].hit.ID == one.For {
				rows[i].needs = append(rows[i].needs, one)
			}
		}
	}
}

// fit are the lines of the rows that there is room for, beside their suppliers.
func (v *View) fit(rows []row, chosen bool) []string {
	room := spec.Room{Tokens: answerTokens, Least: leastHits, Best: bestHits}
	if chosen {
		room = spec.Room{Tokens: askedTokens, Least: len(rows), Best: bestHits}
	}
	signatures, cost := make([]*spec.Signature, len(rows)), 0
	told := rows[:min(len(rows), leastHits)]
	for i, r := range rows {
		signatures[i] = r.signature
		for _, one := range r.needs {
			cost += text.Tokens(v.supplierLine(one, told))
			told = append(slices.Clip(told), row{hit: Hit{ID: one.ID}})
		}
	}
	room.Tokens -= max(0, cost-supplierTokens)
	return room.Fit(signatures)
}

// write are the lines with what they name, as far as that is admitted: the hits that need an id first and what finds
// it, then the others.
func (v *View) write(rows []row, lines []string, o ListOptions) (l Listing, body string) {
	named := map[string]bool{}
	admit := func(id string) {
		if !named[id] && len(named) < o.Most && (o.Admit == nil || o.Admit(id)) {
			named[id] = true
		}
	}
	for _, r := range rows[:min(len(rows), helpedHits)] {
		admit(r.hit.ID)
	}
	for _, r := range rows {
		for _, one := range r.needs {
			if named[r.hit.ID] {
				admit(one.ID)
			}
		}
	}
	for _, r := range rows {
		admit(r.hit.ID)
	}
	l.Like = map[string]string{}
	var b strings.Builder
	told := rows
	for i, r := range rows {
		if !named[r.hit.ID] {
			continue
		}
		l.Hits = append(l.Hits, r.hit)
		var others []Hit
		for _, h := range r.alike {
			if admit(h.ID); named[h.ID] {
				others, l.Like[h.ID] = append(others, h), r.hit.ID
			}
		}
		l.Hits = append(l.Hits, others...)
		b.WriteString("\n" + strings.TrimSuffix(lines[i], r.others(r.alike)) + r.others(others))
		for _, one := range r.needs {
			if named[one.ID] {
				l.Suppliers = append(l.Suppliers, one)
				b.WriteString("\n" + v.supplierLine(one, told))
				told = append(slices.Clip(told), row{hit: Hit{ID: one.ID}})
			}
		}
	}
	return l, b.String()
}

// supplierLine is a supplier below the hit that it helps; one that an answer tells of elsewhere is only named.
func (v *View) supplierLine(s Supplier, told []row) string {
	line := "  " + s.String()
	if slices.ContainsFunc(told, func(r row) bool { return r.hit.ID == s.ID }) {
		return line
	}
	return strings.TrimSuffix(line, s.ID) + v.cat.signatureOf(v.doc(s.ID)).Short()
}

func (v *View) formatEmpty(s Set) string {
	var b strings.Builder
	b.WriteString("no actions match")
	if s.query != "" {
		fmt.Fprintf(&b, " %q", text.LineRunes(s.query, 120))
	}
	fmt.Fprintf(&b, " among %s", text.Count(v.count, "visible action"))
	if filters := s.asked.words(); filters != "" {
		b.WriteString(" with " + filters)
	}
	for _, note := range s.Notes() {
		b.WriteString("\n" + note)
	}
	if near := v.nearWords(s.words); len(near) > 0 {
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

// domainsOf are the domains of a filtered set without its filters.
func (v *View) domainsOf(s Set) []string {
	switch {
	case s.asked.words() == "":
		return nil
	case s.from != nil:
		return s.from.shownDomains()
	case s.words == "":
		return nil
	}
	wide, err := v.Search(s.words, SearchOptions{Limit: 50})
	if err != nil {
		return nil
	}
	return wide.shownDomains()
}

// words are the options as a person would say them.
func (o SearchOptions) words() string {
	var parts []string
	list := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, name+" "+text.LineRunes(strings.Join(values, ", "), 80))
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

// nearWords are visible words of the catalog close to the query's unknown words, at most three for each, with the three
// domains that use them most.
func (v *View) nearWords(query string) []string {
	var words []string
	for _, near := range v.cat.index.NearWords(query, v.visible) {
		counts := map[string]int{}
		for _, doc := range near.Docs {
			if v.visible.Has(int(doc)) {
				root, _, _ := strings.Cut(v.cat.id(int(doc)), ".")
				counts[root]++
			}
		}
		domains := byCount(counts)
		for i := range domains {
			domains[i] = text.LineRunes(domains[i], 40)
		}
		more := ""
		if len(domains) > 3 {
			more = ", …"
		}
		words = append(words, fmt.Sprintf("%s (%s%s)", near.Word, strings.Join(domains[:min(3, len(domains))], ", "), more))
	}
	return words
}

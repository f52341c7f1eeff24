package repl

// This file finds actions while the person types, among 100,000. Ranked search comes first; incomplete words are then
// matched against the ids.

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/session/policy"
	"almanac/session/trace"
)

// An Effect narrows what is listed by what a call may do.
type Effect int

// The effects.
const (
	AnyEffect Effect = iota
	ReadsOnly
	MutatesOnly
)

// A Filter says which actions a browser lists; the zero Filter takes all.
type Filter struct {
	Words string
	// Below is a namespace: "billing.invoice".
	Below  string
	Effect Effect
}

// A Sighting is an action in a list.
type Sighting struct {
	ID string
	// Tag is the effect letter: R, W or !.
	Tag string
	// Policy is what a call of the person's comes to: "", "asks", "denied", "granted", or "some granted" where that
	// depends on the arguments.
	Policy string
	// Used counts the calls that ended well: those of this session and, after CountUsage, of those before it.
	Used int
}

// A Browsing is what a Filter finds.
type Browsing struct {
	Hits []Sighting
	// Total counts all that fit, where that is known; else those listed.
	Total int
	// Facets count the ranked hits by kind; the zero Facets when nothing was searched for.
	Facets catalog.Facets
	// Hidden says why the id that was typed cannot be seen; empty when it can, or when it is no id.
	Hidden string
}

// browseLimit is how many hits a Browsing lists.
const browseLimit = 300

// Browse lists the actions that f takes: without words those below its namespace in the order of their ids. A ctx that
// ends makes it return what it has; nobody should look at that.
func (sh *Shell) Browse(ctx context.Context, f Filter) Browsing {
	v := sh.options.Session.View()
	words := strings.ToLower(strings.TrimSpace(f.Words))
	var b Browsing
	var ids []string
	if words != "" {
		o := catalog.SearchOptions{Limit: browseLimit}
		if f.Below != "" {
			o.Domains = []string{f.Below}
		}
		if f.Effect != AnyEffect {
			mutates := f.Effect == MutatesOnly
			o.Mutates = &mutates
		}
		if set, err := v.Search(f.Words, o); err == nil {
			b.Total, b.Facets = set.Total(), set.Facets()
			for _, h := range set.Hits() {
				ids = append(ids, h.ID)
			}
		}
		if seen := v.Why(words); seen.State == "hidden" {
			b.Hidden = words + ": hidden by " + seen.Rule
		}
	}
	if ctx.Err() != nil {
		return b
	}
	loose, total := looseIDs(v, f, browseLimit)
	if len(ids) == 0 {
		ids, b.Total = loose, total
	} else {
		ids = merged(ids, loose)
		b.Total = max(b.Total, len(ids))
	}
	used := sh.usedCounts()
	for _, id := range ids[:min(len(ids), browseLimit)] {
		b.Hits = append(b.Hits, sh.sighting(v, id, used[id]))
	}
	return b
}

// merged puts what both the search and the letters found first, as the search ranks it, then what only the letters
// found, since a word may be only begun, then the rest of the search.
func merged(ranked, loose []string) []string {
	found := map[string]bool{}
	for _, id := range loose {
		found[id] = true
	}
	var both, rest []string
	for _, id := range ranked {
		if found[id] {
			both = append(both, id)
			delete(found, id)
		} else {
			rest = append(rest, id)
		}
	}
	for _, id := range loose {
		if found[id] {
			both = append(both, id)
		}
	}
	return append(both, rest...)
}

// looseIDs are up to limit ids that contain all words of the filter, shorter ones first; without words all ids in
// order. total counts those that were left out, too.
func looseIDs(v *catalog.View, f Filter, limit int) (ids []string, total int) {
	words := strings.Fields(strings.ToLower(f.Words))
	below := strings.TrimSuffix(f.Below, ".") + "."
	for id := range v.All() {
		switch {
		case f.Below != "" && !strings.HasPrefix(id, below) && id != f.Below:
			continue
		case slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(id, w) }):
			continue
		case f.Effect != AnyEffect:
			if e, ok := v.Lookup(id); !ok || e.Mutates != (f.Effect == MutatesOnly) {
				continue
			}
		}
		total++
		if len(words) > 0 || len(ids) < limit {
			ids = append(ids, id)
		}
	}
	if len(words) > 0 {
		slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	}
	return ids[:min(len(ids), limit)], total
}

func (sh *Shell) sighting(v *catalog.View, id string, used int) Sighting {
	s := Sighting{ID: id, Tag: effectTag(v, id), Used: used}
	e, ok := v.Lookup(id)
	if !ok {
		return s
	}
	d, _ := sh.fate(e)
	switch {
	case d.Grant > 0:
		s.Policy = "granted"
	case d.Verdict == policy.Allow:
	case len(sh.bounded(sh.options.Session.Policy(), e)) > 0:
		s.Policy = "some granted"
	case d.Verdict == policy.AskFor:
		s.Policy = "asks"
	default:
		s.Policy = "denied"
	}
	return s
}

// CountUsage makes Browse count the calls of earlier sessions, too, and reports whether there are any that it did not
// know of. It reads logs, the first time: a screen asks beside its loop.
func (sh *Shell) CountUsage() bool {
	sh.mu.Lock()
	known := sh.usage != nil
	sh.mu.Unlock()
	if known || sh.options.Usage == nil {
		return false
	}
	usage, err := sh.options.Usage()
	if err != nil || usage == nil {
		usage = map[string]int{} // counts are a nicety: nothing is told
	}
	sh.mu.Lock()
	sh.usage = usage
	sh.mu.Unlock()
	return len(usage) > 0
}

// usedCounts counts the good calls by id, of this session and of those before as far as CountUsage has read them. The
// cells that were taken in from an earlier session are among its calls.
func (sh *Shell) usedCounts() map[string]int {
	sh.mu.Lock()
	taken, usage := sh.taken, sh.usage
	sh.mu.Unlock()
	counts := map[string]int{}
	maps.Copy(counts, usage)
	for _, u := range sh.Calls() {
		if u.Call.Verdict == trace.OK && (usage == nil || u.Cell > taken) {
			counts[u.Call.ID]++
		}
	}
	return counts
}

// Spec is what a browser shows of an action: its description for people, and the call to begin with. It does not count
// as described: the model has not read it.
func (sh *Shell) Spec(id string) string {
	spec, err := sh.options.Session.View().Describe(id, catalog.Brief)
	if err != nil {
		return err.Error()
	}
	return sh.specText(spec, catalog.Brief)
}

// Skeleton is a call of the action to fill in: its required arguments by name.
func (sh *Shell) Skeleton(id string) string {
	e, ok := sh.options.Session.View().Lookup(id)
	if !ok {
		return id
	}
	var need []string
	for _, f := range e.Input.Fields() {
		if f.Required {
			need = append(need, lua.Key(f.Name)+" = ")
		}
	}
	return callWith(id, "{"+strings.Join(need, ", ")+"}")
}

// callWith is the Lua that calls an action with a table, without parentheses where Lua needs none.
func callWith(id, table string) string {
	call := lua.Call(id, table)
	if call == id+"("+table+")" {
		return id + table
	}
	return call
}

// Example is a complete call of the action: its first example, else its skeleton.
func (sh *Shell) Example(id string) string {
	if e, ok := sh.options.Session.View().Lookup(id); ok && len(e.Examples) > 0 {
		return e.Examples[0]
	}
	return sh.Skeleton(id)
}

// sampled is how many actions are looked at for one to begin with.
const sampled = 2000

// First is an action to begin with and words that find it: a read that needs the fewest arguments, and of those the
// first search or list. It is empty while the catalog is.
func (sh *Shell) First() (call, words string) {
	v := sh.options.Session.View()
	best, looked := "", 0
	least := 0
	for id := range v.All() {
		e, ok := v.Lookup(id)
		if looked++; looked > sampled {
			break
		}
		if !ok || e.Mutates || !e.Callable() {
			continue
		}
		cost := 2 * len(slices.DeleteFunc(e.Input.Fields(), func(f catalog.Field) bool { return !f.Required }))
		if last := id[strings.LastIndexByte(id, '.')+1:]; !strings.HasPrefix(last, "list") &&
			!strings.HasPrefix(last, "search") {
			cost++
		}
		if best == "" || cost < least {
			best, least = id, cost
		}
	}
	if best == "" {
		return "", ""
	}
	e, _ := v.Lookup(best)
	return sh.Skeleton(best), asRequest(e)
}

// asRequest says what an action does as somebody would ask for it: the beginning of its description, "list all pets".
func asRequest(e *catalog.Entry) string {
	const most = 5
	sentence := text.SanitizeLine(text.FirstSentence(e.Description))
	if i := strings.IndexAny(sentence, ",;:.("); i >= 0 {
		sentence = sentence[:i]
	}
	words := strings.Fields(sentence)
	words = words[:min(most, len(words))]
	for n := len(words); n > 0 && slices.Contains(unfinished, strings.ToLower(words[n-1])); n = len(words) {
		words = words[:n-1]
	}
	if len(words) < 2 { // the name says more
		words = strings.FieldsFunc(e.ID[strings.LastIndexByte(e.ID, '.')+1:], func(r rune) bool {
			return r == '_' || r == '-'
		})
	}
	if first := words[0]; first != strings.ToUpper(first) { // URL stays
		words[0] = strings.ToLower(first)
	}
	return strings.Join(words, " ")
}

// unfinished are words that a request does not end with.
var unfinished = []string{
	"a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "its", "of", "on", "or", "that", "the", "their",
	"this", "to", "which", "with", "your",
}

// CallText writes a call of an action as Lua, its arguments in the order in which the action declares them.
func (sh *Shell) CallText(id string, args map[string]any) string {
	return callWith(id, show.ArgsInOrder(args, 0, sh.ArgOrder(id)))
}

// ArgOrder names the arguments of an action as its signature does, required ones first; nil for an unknown one.
func (sh *Shell) ArgOrder(id string) []string {
	if e, ok := sh.options.Session.View().Lookup(id); ok {
		return show.ArgOrder(e)
	}
	return nil
}

// Below lists the next segments under a dotted prefix with the number of actions there; "" gives the domains.
func (sh *Shell) Below(prefix string) []catalog.Child {
	return sh.options.Session.View().Children(prefix)
}

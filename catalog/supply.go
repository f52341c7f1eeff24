package catalog

// This file finds suppliers: for a hit that requires an id, the action that finds it. What decides whether an entry
// supplies an id is here for answers and for plans; what a request and a session have already is in given.go.

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
	"almanac/catalog/text"
)

const (
	// helpedHits are the first hits of an answer that get suppliers, mostSuppliers how many actions these are together.
	helpedHits    = 2
	mostSuppliers = 2
	// scopeActions is about how many actions are near an action: those of its vendor, or of as much of its namespace as
	// has no more.
	scopeActions = 1000
	// Where all of a catalog is one company's, an id may come from another domain of it; more domains are many companies.
	companyActions, companyDomains = 2000, 16
	// candidates are the best matches that are looked at for one id.
	candidates = 32
)

// A Supplier is an action that finds an id which another action requires.
type Supplier struct {
	// For is the action that requires the id, Argument its name there.
	For, Argument string
	// ID is the action that finds it, Field where it is in the result: "items[1].id"; empty where that is not known.
	ID, Field string
}

// String is the supplier in words: "needs movie_id: from search.movie".
func (s Supplier) String() string { return "needs " + text.OneLine(s.Argument) + ": from " + s.ID }

// A need is a required input: the argument, and its name among all actions, such as movie_id for the id of a movie.
type need struct{ argument, name string }

// thing is what a need is an id of: "movie"; empty for another input.
func (n need) thing() string { return thing(n.name) }

func thing(need string) string {
	folded := spelling.Fold(need)
	for _, suffix := range idSuffixes() {
		if thing, cut := strings.CutSuffix(folded, suffix); cut && !isVersion(thing) {
			return spelling.Singular(thing)
		}
	}
	return ""
}

// idSuffixes end the names of ids.
func idSuffixes() []string {
	return []string{"_ids", "_id", "_uuid", "_guid", "_gid", "_sid", "_slug"}
}

// isIDWord reports whether a folded name says no more than that it is an id.
func isIDWord(name string) bool { return slices.Contains(idSuffixes(), "_"+name) }

// required are the inputs that a call of the entry needs from outside: those with neither a default nor one value.
func (e *Entry) required() (needs []need) {
	d := e.Input.document()
	for _, p := range d.Fields() {
		if !p.Required || spec.Read(p.Text).Default != nil {
			continue
		}
		if o, _ := d.Plain(p.Text); o.Constant != nil {
			continue
		}
		n := need{p.Name, p.Name}
		if names := inputNames(e, p.Name); len(names) == 2 {
			n.name = names[1]
		}
		needs = append(needs, n)
	}
	return needs
}

// A giver is an entry as a source of what others require.
type giver struct {
	entry    *Entry
	gives    []string // sorted
	requires []string
}

func giverOf(e *Entry) giver {
	return giver{e, sortedSet(outputKeys(nil, e, newSeenFields(0).shapeOf(e))), requiredKeys(e)}
}

// takes are the names of all inputs of the giver.
func (g *giver) takes() []string { return inputKeys(nil, g.entry, newSeenFields(0).shapeOf(g.entry)) }

// declares is what the giver's source says that it supplies for an argument of another entry: the field of its result.
// Where that has an "id", order_id is that, unless it has both.
func (g *giver) declares(to *Entry, argument string) (field string, ok bool) {
	if g.entry.ID == to.ID {
		return "", false
	}
	argument = spelling.Fold(argument)
	for _, supply := range g.entry.Supplies {
		if supply.ID != to.ID {
			continue
		}
		name := spelling.Fold(supply.Argument)
		if name == argument || name == "id" && strings.HasSuffix(argument, "_id") && !to.takes(argument) {
			return supply.Field, true
		}
	}
	return "", false
}

// takes reports whether the entry has an input of a folded name.
func (e *Entry) takes(name string) bool {
	return slices.ContainsFunc(e.Input.document().Fields(), func(p spec.Property) bool {
		return spelling.Fold(p.Name) == name
	})
}

// finds says by its name how well a read finds a thing: 0 not at all, 2 if it lists it, 4 if it searches for it, one
// less for a longer name such as windows_cluster, unless the entry that needs it, which may be nil, speaks of that. It
// is for results whose fields do not say what they are: "search.movie" returns results.
func (g *giver) finds(thing string, e *Entry) int {
	if g.entry.Mutates || thing == "" {
		return 0
	}
	kinds, around := g.finding()
	prefix, several, ok := cutThing(kinds, thing)
	worth := 0
	switch {
	case !ok:
		return 0
	case slices.ContainsFunc(around, func(w string) bool { return isAmong(w, "search find lookup query") }):
		worth = 4
	case several, g.entry.Output.Shape().Kind() == "array", slices.ContainsFunc(around, isFinding):
		worth = 2
	}
	if prefix != "" && (e == nil || !strings.Contains("_"+spelling.Fold(e.ID)+"_", "_"+prefix)) {
		worth--
	}
	return max(0, worth)
}

// cutThing takes a thing, in the singular or the plural, from the end of a folded name: "best_movies".
func cutThing(name, thing string) (before string, several, ok bool) {
	before, ok = strings.CutSuffix(name, thing)
	if !ok {
		before, ok = strings.CutSuffix(name, spelling.Plural(thing))
		several = ok
	}
	return before, several, ok && thing != "" && (before == "" || before[len(before)-1] == '_')
}

// finding is what the name of the entry says that it finds, "get_all_accounts" accounts, and all words of the
// name and of the namespace around it.
func (g *giver) finding() (kinds string, around []string) {
	words := strings.Split(spelling.Fold(nameOf(g.entry)), "_")
	if at := slices.IndexFunc(words, func(w string) bool { return isAmong(w, "by for of in from with") }); at > 0 {
		words = words[:at]
	}
	around = words
	var last []string
	if n := len(g.entry.Namespace); n > 0 {
		last = strings.Split(spelling.Fold(g.entry.Namespace[n-1]), "_")
		around = append(slices.Clip(words), last...)
	}
	for len(words) > 0 && isFinding(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	for i, w := range slices.Backward(words) {
		if isFinding(w) {
			words = words[i+1:]
			break
		}
	}
	if len(words) == 0 {
		words = last // customer.search
	}
	return strings.Join(words, "_"), around
}

func isAmong(word, list string) bool {
	return word != "" && strings.Contains(" "+list+" ", " "+word+" ")
}

// isFinding reports whether a word of a name says that the action finds some of a kind.
func isFinding(word string) bool {
	return isAmong(word, "search find lookup query list all index browse discover filter get fetch retrieve")
}

// A supplying is the search for suppliers in one answer. Found scopes are kept: hits of one answer share them.
type supplying struct {
	view   *View
	given  given
	scopes map[string]search.Bits
}

// Suppliers are those of an answer to a set, in the order of its hits; see List.
func (v *View) Suppliers(s Set) []Supplier {
	var first []Hit
	for _, group := range v.Alike(s.Hits()[:min(len(s.hits), defaultLimit)], s.words) {
		first = append(first, group[0])
	}
	return v.suppliersFor(first, s.words)
}

// suppliersFor are those of the first hits of an answer.
func (v *View) suppliersFor(hits []Hit, words string) []Supplier {
	var entries []*Entry
	for _, h := range hits[:min(len(hits), helpedHits)] {
		if e, ok := v.Lookup(h.ID); ok {
			entries = append(entries, e)
		}
	}
	return v.suppliers(entries, words)
}

// NeededBy are the suppliers that an answer to a query would have for one visible entry, were it the first hit.
func (v *View) NeededBy(id, query string) []Supplier {
	e, ok := v.Lookup(id)
	if !ok {
		return nil
	}
	return v.suppliers([]*Entry{e}, query)
}

// suppliers are the actions that find the ids which the first of some entries require, and which neither the given
// words nor the session has: at most one for each argument, and mostSuppliers actions in all. An action that comes
// before in entries is told, too. Only what the view shows is found.
func (v *View) suppliers(entries []*Entry, words string) []Supplier {
	s := supplying{v, givenBy(words, v.given), map[string]search.Bits{}}
	var all []Supplier
	for _, e := range entries {
		all = append(all, s.of(e, e.required())...)
	}
	return firstSuppliers(all)
}

// firstSuppliers are those of the first mostSuppliers actions, each for all that it finds.
func firstSuppliers(all []Supplier) []Supplier {
	var ids []string
	return slices.DeleteFunc(all, func(s Supplier) bool {
		if !slices.Contains(ids, s.ID) && len(ids) < mostSuppliers {
			ids = append(ids, s.ID)
		}
		return !slices.Contains(ids, s.ID)
	})
}

// suppliersOf are the actions that find what some needs of one entry ask for; see suppliers.
func (v *View) suppliersOf(e *Entry, needs []need, words string) []Supplier {
	s := supplying{v, givenBy(words, v.given), map[string]search.Bits{}}
	return s.of(e, needs)
}

// of are the suppliers of an entry; that of the last id of a path comes first, which is the nearest. It may rename
// needs.
func (s *supplying) of(e *Entry, needs []need) (all []Supplier) {
	for i, n := range needs {
		if n.thing() == "" {
			needs[i].name = cmp.Or(s.declaredName(e, n), n.name)
		}
	}
	for _, n := range slices.Backward(s.given.open(needs)) {
		if found, ok := s.find(e, n); ok {
			all = append(all, found)
		}
	}
	return all
}

// declaredName names an input, whose own name does not say so, after the thing that its source says it is an id of:
// customer_id for the buyer of an order. It is empty for other inputs.
func (s *supplying) declaredName(e *Entry, n need) string {
	for _, doc := range s.view.cat.index.Keys(supplyKind).Get(e.ID) {
		g := giver{entry: s.view.cat.entry(int(doc))}
		if _, ok := g.declares(e, n.argument); !ok || g.entry.Mutates || s.view.doc(g.entry.ID) < 0 {
			continue
		}
		if things := subjects(g.entry, ""); len(things) > 0 {
			return things[0] + "_id"
		}
		return n.argument + "_id"
	}
	return ""
}

// find is the best supplier of a need of e. What e itself requires a supplier may require, too, but no other ids.
func (s *supplying) find(e *Entry, n need) (Supplier, bool) {
	var best Supplier
	most := 0
	have := requiredKeys(e)
	keys := needKeys(n.name)
	weigh := func(doc int) {
		g := giverOf(s.view.cat.entry(doc))
		worth, field := s.worth(&g, e, n, keys)
		if worth == 0 || s.view.doc(g.entry.ID) < 0 {
			return
		}
		if worth < declaredWorth && slices.ContainsFunc(g.entry.required(), func(other need) bool {
			return other.thing() != "" && !slices.Contains(have, spelling.Fold(other.name)) && s.given.needs(other)
		}) {
			return
		}
		worth = worth*16 + min(shared(g.entry.Namespace, e.Namespace), 15)
		if worth > most {
			most, best = worth, Supplier{For: e.ID, Argument: n.argument, ID: g.entry.ID, Field: field}
		}
	}
	for _, doc := range s.view.cat.index.Keys(supplyKind).Get(e.ID) {
		weigh(int(doc))
	}
	if most > 0 {
		return best, true
	}
	for _, docs := range s.near(e, keys) {
		x := (&query{"list " + strings.ReplaceAll(spelling.Plural(n.thing()), "_", " "), docs}).open(s.view)
		hits, _ := x.best(docs, candidates)
		x.close()
		for _, h := range hits {
			weigh(int(h.Doc))
		}
		if most > 0 {
			break
		}
	}
	return best, most > 0
}

// worth says how well a read supplies a need of e, 0 for not at all, and where the id is in its result.
func (s *supplying) worth(g *giver, e *Entry, n need, keys []string) (worth int, field string) {
	if g.entry.Mutates || g.entry.ID == e.ID {
		return 0, ""
	}
	if field, ok := g.declares(e, n.argument); ok {
		return declaredWorth, field
	}
	if slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(g.requires, k) }) {
		return 0, ""
	}
	finds := g.finds(n.thing(), e)
	taken := slices.ContainsFunc(g.takes(), func(k string) bool { return slices.Contains(keys, k) })
	at := slices.IndexFunc(keys, func(k string) bool { return slices.Contains(g.gives, k) })
	if at >= 0 && (finds > 0 || g.about(keys[at]) && !taken) {
		return 8 + finds, outputName(g.entry, keys[at])
	}
	if finds > 1 {
		return 4 + finds, ""
	}
	return 0, ""
}

// near are the reads among which a supplier of e is searched, the best first: those of its vendor, and where the whole
// catalog is one company's those that return the id.
func (s *supplying) near(e *Entry, keys []string) []search.Bits {
	all := []search.Bits{s.scope(e)}
	if s.view.count > companyActions || s.view.domains() > companyDomains {
		return all
	}
	others := search.NewBits(s.view.cat.Len())
	others.SetAll(s.view.cat.index.Keys(outputKind).Lookup(keys))
	others.And(s.view.visible)
	others.AndNot(s.view.cat.mutating)
	others.Each(func(doc int) {
		if s.view.cat.peek(doc).Source != e.Source {
			others.Clear(doc)
		}
	})
	return append(all, others)
}

// scope are the visible reads near an entry; see scopeActions.
func (s *supplying) scope(e *Entry) search.Bits {
	path := ""
	for i, segment := range e.Namespace {
		path = join(path, strings.ToLower(segment))
		docs := s.view.cat.index.Keys(namespaceKind).Get(path)
		some, ok := s.scopes[path]
		if !ok {
			some = search.NewBits(s.view.cat.Len())
			some.SetAll(docs)
			some.And(s.view.visible)
			s.scopes[path] = some
		}
		if i < len(e.Namespace)-1 && some.Count() > scopeActions {
			continue
		}
		reads := slices.Clone(some)
		reads.AndNot(s.view.cat.mutating)
		return reads
	}
	return search.NewBits(s.view.cat.Len())
}

// domains counts the first segments of the visible ids, up to one more than companyDomains.
func (v *View) domains() int {
	seen := map[string]bool{}
	for id := range v.All() {
		root, _, _ := strings.Cut(id, ".")
		if seen[root] = true; len(seen) > companyDomains {
			break
		}
	}
	return len(seen)
}

// shared counts the segments that two paths begin with.
func shared(a, b []string) (n int) {
	for n < min(len(a), len(b)) && strings.EqualFold(a[n], b[n]) {
		n++
	}
	return n
}

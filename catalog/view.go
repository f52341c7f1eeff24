package catalog

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"almanac/catalog/pattern"
	"almanac/catalog/search"
	"almanac/catalog/text"
)

// A View is what one turn may see of a catalog. It is immutable and safe for concurrent use; Narrow returns a smaller
// one, and nothing widens one.
type View struct {
	cat           *Catalog
	visible       search.Bits
	count         int
	actor, tenant string
	// loading says how much of the catalog is not there yet; empty when it is whole.
	loading string
	// recent are the namespaces of what was used just before; nil raises nothing.
	recent []search.Recent
	// given are values of the session, for answers.
	given []Given
	// parent is the view that rules narrowed; nil for the view of everything.
	parent *View
	rules  Rules
	// roots are found when they are first asked for: every run asks.
	rootsOnce sync.Once
	roots     []string
}

// Rules narrow a view. Each field that is set takes something away; the zero Rules take nothing.
type Rules struct {
	// Name is what Why calls these rules; may be empty.
	Name string
	// Actor and Tenant are set once and then stay.
	Actor, Tenant string
	// Namespaces are the allowed ones, each with all below it; empty allows all.
	Namespaces       []string
	DeniedNamespaces []string
	DeniedOperations []Operation
	// Operations are the only allowed ones; empty allows all.
	Operations []Operation
	// DeniedIDs are patterns of ids (see almanac/catalog/pattern), each of which must match an action.
	DeniedIDs []string
	// IDs are patterns too: only matching ids are allowed; empty allows all.
	IDs []string
	// ReadOnly hides every entry that mutates.
	ReadOnly bool
	// Growing is set while parts of the catalog may still be missing. An unknown name is then not an error: it allows or
	// denies nothing. The rules must be applied again to what arrives. An operation that reads like a misspelt one of
	// those that most actions have is an error even so.
	Growing bool
	// Guard is asked about every otherwise visible entry; false hides it, and why is shown to the person. Nil hides
	// nothing. It must not keep or change the entry.
	Guard func(e *Entry) (ok bool, why string)
	// Keep names a source whose entries only DeniedNamespaces and DeniedIDs hide; empty for none.
	Keep string
}

// A Visibility says whether an id is visible, and why not. It is for the person: a model must not learn that something
// is hidden.
type Visibility struct {
	// State is "visible", "hidden" or "unknown".
	State string
	// Rule says which rule hides a hidden id.
	Rule string
	// Near lists visible ids close to one that is not visible, nearest first.
	Near []string
}

// An UnknownError means that no visible entry has the id. A hidden id gives the same error as one that does not exist.
type UnknownError struct {
	ID string
	// Near lists visible ids close to it, nearest first; may be empty.
	Near []string
	// Loading says how far the catalog is that may have it later; empty when it is whole.
	Loading string
}

func (e *UnknownError) Error() string { return text.LineRunes(e.ID, 100) + ": no such action" }

// Hint names the nearest ids and says that the catalog is loading, or is empty.
func (e *UnknownError) Hint() string {
	switch {
	case len(e.Near) == 0:
		return e.Loading
	case e.Loading != "":
		return "did you mean " + strings.Join(e.Near, ", ") + "? " + e.Loading
	}
	return "did you mean " + strings.Join(e.Near, ", ") + "?"
}

// A Child is one step below a dotted prefix.
type Child struct {
	// Name is the next segment.
	Name string
	// ID is the full id when an action has it, else empty.
	ID string
	// Count is the number of visible actions at and below the segment.
	Count int
}

// Narrow returns a view of what v sees and the rules allow. It fails if the rules name another actor or tenant than v
// has, and, unless the catalog is Growing, if they name an unknown namespace, operation or id: a typing error in a
// denial must not leave open what it meant to close.
func (v *View) Narrow(r Rules) (*View, error) {
	n := &View{cat: v.cat, visible: slices.Clone(v.visible), actor: v.actor, tenant: v.tenant, recent: v.recent,
		given: v.given, parent: v, rules: r, loading: v.loading}
	if err := settle(&n.actor, r.Actor, "actor"); err != nil {
		return nil, err
	}
	if err := settle(&n.tenant, r.Tenant, "tenant"); err != nil {
		return nil, err
	}
	if len(r.Namespaces) > 0 {
		allowed := search.NewBits(v.cat.Len())
		for _, name := range r.Namespaces {
			docs, err := v.namespaceDocs(name)
			if err != nil && !r.Growing {
				return nil, err
			}
			allowed.SetAll(docs)
		}
		n.visible.And(allowed)
	}
	for _, name := range r.DeniedNamespaces {
		docs, err := v.namespaceDocs(name)
		if err != nil && !r.Growing {
			return nil, err
		}
		for _, doc := range docs {
			n.visible.Clear(int(doc))
		}
	}
	for _, operation := range r.DeniedOperations {
		docs, err := v.operationDocs(operation, r.Growing)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			n.visible.Clear(int(doc))
		}
	}
	if len(r.Operations) > 0 {
		allowed := search.NewBits(v.cat.Len())
		for _, operation := range r.Operations {
			docs, err := v.operationDocs(operation, r.Growing)
			if err != nil {
				return nil, err
			}
			allowed.SetAll(docs)
		}
		n.visible.And(allowed)
	}
	for _, id := range r.DeniedIDs {
		docs, err := v.patternDocs(id)
		if err != nil && !(r.Growing && errors.As(err, new(*UnknownError))) {
			return nil, fmt.Errorf("denied id: %w", err)
		}
		for _, doc := range docs {
			n.visible.Clear(doc)
		}
	}
	if len(r.IDs) > 0 {
		allowed := search.NewBits(v.cat.Len())
		for _, id := range r.IDs {
			docs, err := v.patternDocs(id)
			if err != nil && !(r.Growing && errors.As(err, new(*UnknownError))) {
				return nil, fmt.Errorf("allowed id: %w", err)
			}
			for _, doc := range docs {
				allowed.Set(doc)
			}
		}
		n.visible.And(allowed)
	}
	if r.ReadOnly {
		n.visible.AndNot(v.cat.mutating)
	}
	if r.Guard != nil {
		slices.Clone(n.visible).Each(func(doc int) {
			if ok, _ := r.Guard(v.cat.peek(doc)); !ok {
				n.visible.Clear(doc)
			}
		})
	}
	if r.Keep != "" {
		hidden := slices.Clone(v.visible)
		hidden.AndNot(n.visible)
		hidden.Each(func(doc int) {
			if e := v.cat.peek(doc); e.Source == r.Keep && !r.names(e) {
				n.visible.Set(doc)
			}
		})
	}
	n.count = n.visible.Count()
	return n, nil
}

// Nothing is a view that sees nothing, for the same actor and tenant: the fallback when rules do not fit.
func (v *View) Nothing() *View {
	rules := Rules{Name: "no view", Guard: func(*Entry) (bool, string) {
		return false, "the view's rules do not fit the catalog"
	}}
	return &View{cat: v.cat, visible: search.NewBits(v.cat.Len()), actor: v.actor, tenant: v.tenant, parent: v,
		rules: rules, loading: v.loading}
}

// WithLoading is the same view of a catalog that is not whole yet: its answers, and the errors for ids that it does not
// have, end with the text, which says how far loading is. Empty says nothing, as in a new view. Views narrowed from it
// keep the text.
func (v *View) WithLoading(text string) *View {
	return &View{cat: v.cat, visible: v.visible, count: v.count, actor: v.actor, tenant: v.tenant, recent: v.recent,
		given: v.given, parent: v.parent, rules: v.rules, loading: text}
}

// Loading says how far the catalog is that is not whole yet; empty when it is.
func (v *View) Loading() string { return v.loading }

// settle sets an actor or tenant that is not set yet.
func settle(have *string, want, what string) error {
	if want == "" || want == *have {
		return nil
	}
	if *have != "" {
		return fmt.Errorf("%s %q: the view already has %s %q", what, want, what, *have)
	}
	*have = want
	return nil
}

// patternDocs are the entries of the catalog, visible or not, that a pattern of ids matches; an *UnknownError when
// there are none.
func (v *View) patternDocs(text string) (docs []int, err error) {
	p, err := pattern.Parse(text)
	if err != nil {
		return nil, err
	}
	if p.IsExact() {
		if doc := v.cat.find(text); doc >= 0 {
			return []int{doc}, nil
		}
		return nil, &UnknownError{ID: text, Near: v.nearIDs(text, 3)}
	}
	ids := &v.cat.ids
	for doc, _ := ids.Search(p.Prefix()); doc < ids.Len() && strings.HasPrefix(ids.At(doc), p.Prefix()); doc++ {
		if p.Match(ids.At(doc)) {
			docs = append(docs, doc)
		}
	}
	if docs == nil {
		return nil, &UnknownError{ID: text}
	}
	return docs, nil
}

// namespaceKey is a namespace as it is indexed. A namespace includes all below it, so crm and crm.* are the same.
func namespaceKey(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".*"), ".")
}

func (v *View) namespaceDocs(name string) ([]uint32, error) {
	m := v.cat.index.Keys(namespaceKind)
	docs := m.Get(namespaceKey(name))
	if docs != nil {
		return docs, nil
	}
	hint := ""
	if near := m.Nearest(namespaceKey(name), ".", v.visible); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return nil, fmt.Errorf("namespace %q: not in the catalog%s", text.LineRunes(name, 80), hint)
}

// visibleKeys are the names in m that a visible entry has, in order.
func (v *View) visibleKeys(m *search.Keys) []string {
	var keys []string
	for i := range m.Names.Len() {
		if v.visible.Any(m.At(i)) {
			keys = append(keys, m.Names.At(i))
		}
	}
	return keys
}

// Actor is who acts; empty if no rules set it.
func (v *View) Actor() string { return v.actor }

// Tenant is for whom; empty if no rules set it.
func (v *View) Tenant() string { return v.tenant }

// Len is the number of visible entries.
func (v *View) Len() int { return v.count }

// Lookup finds a visible entry by its exact id. The entry belongs to the catalog and must not be changed.
func (v *View) Lookup(id string) (*Entry, bool) {
	if doc := v.doc(id); doc >= 0 {
		return v.cat.entry(doc), true
	}
	return nil, false
}

// doc is the number of a visible entry, or -1.
func (v *View) doc(id string) int {
	if doc := v.cat.find(id); doc >= 0 && v.visible.Has(doc) {
		return doc
	}
	return -1
}

// Resolve is Lookup with an *UnknownError that lists the nearest visible ids. It also accepts an id with slashes for
// dots, as in paths, and with blanks around it, and an alias of one word that no other visible entry has; the entry's
// ID is the right form.
func (v *View) Resolve(id string) (*Entry, error) {
	if e, ok := v.Lookup(id); ok {
		return e, nil
	}
	if dotted := strings.ReplaceAll(strings.Trim(id, "/ \t\n"), "/", "."); dotted != id {
		if e, ok := v.Lookup(dotted); ok {
			return e, nil
		}
	}
	if len(id) > maxID {
		return nil, &UnknownError{ID: id, Loading: v.loading}
	}
	if e := v.byAlias(id); e != nil {
		return e, nil
	}
	return nil, &UnknownError{ID: id, Near: v.nearIDs(id, 3), Loading: v.loading}
}

// Why says whether id is visible and, if not, what hides it.
func (v *View) Why(id string) Visibility {
	doc := v.cat.find(id)
	if doc >= 0 && v.visible.Has(doc) {
		return Visibility{State: "visible"}
	}
	near := v.nearIDs(id, 3)
	if doc < 0 {
		return Visibility{State: "unknown", Near: near}
	}
	hiding := v
	for hiding.parent != nil && !hiding.parent.visible.Has(doc) {
		hiding = hiding.parent
	}
	return Visibility{State: "hidden", Rule: hiding.rules.reason(v.cat.entry(doc)), Near: near}
}

// WhyRoot is Why for the first segment of ids: visible if an action below it is, and hidden if rules hide them all,
// with the rule that hides the first.
func (v *View) WhyRoot(root string) Visibility {
	prefix := root + "."
	first, _ := v.cat.ids.Search(prefix)
	end := first
	for ; end < v.cat.ids.Len() && strings.HasPrefix(v.cat.ids.At(end), prefix); end++ {
		if v.visible.Has(end) {
			return Visibility{State: "visible"}
		}
	}
	if first == end || root == "" {
		return Visibility{State: "unknown"}
	}
	return v.Why(v.cat.ids.At(first))
}

// under tells whether the entry is in a namespace.
func (e *Entry) under(name string) bool {
	namespace, key := strings.ToLower(strings.Join(e.Namespace, ".")), namespaceKey(name)
	return namespace == key || strings.HasPrefix(namespace, key+".")
}

// names tells whether the rules deny e by its namespace or its id.
func (r Rules) names(e *Entry) bool {
	return slices.ContainsFunc(r.DeniedNamespaces, e.under) || slices.ContainsFunc(r.DeniedIDs, e.matches)
}

// reason says which of the rules hides e.
func (r Rules) reason(e *Entry) string {
	why, under := "a rule", e.under
	denied := slices.IndexFunc(r.DeniedNamespaces, under)
	operation := OperationOf(e)
	is := func(o Operation) bool { return strings.EqualFold(string(o), string(operation)) }
	switch {
	case len(r.Namespaces) > 0 && !slices.ContainsFunc(r.Namespaces, under):
		why = "only the namespaces " + strings.Join(r.Namespaces, ", ") + " are allowed"
	case denied >= 0:
		why = "the namespace " + r.DeniedNamespaces[denied] + " is denied"
	case slices.ContainsFunc(r.DeniedOperations, is):
		why = "the operation " + string(operation) + " is denied"
	case len(r.Operations) > 0 && !slices.ContainsFunc(r.Operations, is):
		why = "the operation " + string(operation) + " is not allowed"
	case slices.ContainsFunc(r.DeniedIDs, e.matches):
		why = "this id is denied"
	case len(r.IDs) > 0 && !slices.ContainsFunc(r.IDs, e.matches):
		why = "only " + text.Count(len(r.IDs), "named action") + " may be seen"
	case r.ReadOnly && e.Mutates:
		why = "the view is read-only and the action writes"
	case r.Guard != nil:
		if _, said := r.Guard(e); said != "" {
			why = said
		} else {
			why = "refused by the guard"
		}
	}
	if r.Name != "" {
		return r.Name + ": " + why
	}
	return why
}

// matches reports whether a pattern of ids matches the entry's.
func (e *Entry) matches(text string) bool {
	p, err := pattern.Parse(text)
	return err == nil && p.Match(e.ID)
}

// Roots are the first segments of the visible ids, in order.
func (v *View) Roots() []string {
	v.rootsOnce.Do(func() {
		for _, child := range v.Children("") {
			v.roots = append(v.roots, child.Name)
		}
	})
	return slices.Clone(v.roots)
}

// All yields the ids of the visible entries in order.
func (v *View) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for doc := range v.cat.ids.Len() {
			if v.visible.Has(doc) && !yield(v.cat.ids.At(doc)) {
				return
			}
		}
	}
}

// Entries is every visible entry, in the order of the ids. They must not be changed. Those of a large catalog are read
// on the way and not kept in memory, as those are that Lookup returns.
func (v *View) Entries() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for doc := range v.cat.ids.Len() {
			if v.visible.Has(doc) && !yield(v.cat.peek(doc)) {
				return
			}
		}
	}
}

// Children are the next segments below a dotted prefix such as "billing" or "billing."; "" gives the roots.
func (v *View) Children(prefix string) []Child {
	if prefix != "" && !strings.HasSuffix(prefix, ".") {
		prefix += "."
	}
	ids := &v.cat.ids
	first, _ := ids.Search(prefix)
	var children []Child
	place := map[string]int{}
	for doc := first; doc < ids.Len() && strings.HasPrefix(ids.At(doc), prefix); doc++ {
		if !v.visible.Has(doc) {
			continue
		}
		name, rest, deeper := strings.Cut(ids.At(doc)[len(prefix):], ".")
		i, ok := place[name]
		if !ok {
			i = len(children)
			place[name] = i
			children = append(children, Child{Name: name})
		}
		children[i].Count++
		if !deeper && rest == "" {
			children[i].ID = ids.At(doc)
		}
	}
	slices.SortFunc(children, func(a, b Child) int { return strings.Compare(a.Name, b.Name) })
	return children
}

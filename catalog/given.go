package catalog

// This file tells which ids a request and a session have already, so that nothing is suggested to find them.

import (
	"slices"
	"strings"
	"unicode"

	"almanac/catalog/search/spelling"
)

const (
	// mostGiven is how many words of a request and how many values of a session are looked at.
	mostGiven = 400
	// idReach is how far before an id the word may stand that says what it is of: "customer with the number 42".
	idReach = 3
)

// Given is a value that a session has.
type Given struct {
	// Name is that of a variable, Brief the beginning of its value as Lua.
	Name, Brief string
}

// WithGiven is the same view, whose answers suggest no supplier for ids that the values seem to have: a variable named
// after a kind of thing or its id, a field of that name, an id like "cus_0001" for a customer. Nil takes them back.
func (v *View) WithGiven(values []Given) *View {
	if len(values) == 0 && len(v.given) == 0 {
		return v
	}
	return &View{cat: v.cat, visible: v.visible, count: v.count, actor: v.actor, tenant: v.tenant, parent: v.parent,
		rules: v.rules, loading: v.loading, recent: v.recent, given: values}
}

// A given is what a request says, and what the session has.
type given struct {
	ids    []givenID
	values []Given
}

// A givenID is an id in a request, with the words just before it.
type givenID struct {
	text   string
	before []string // folded, in the singular
}

func givenBy(words string, values []Given) given {
	g := given{values: values[:min(len(values), mostGiven)]}
	fields := strings.Fields(words[:min(len(words), spelling.MaxText)])
	fields = fields[:min(len(fields), mostGiven)]
	for i, field := range fields {
		value := strings.Trim(field, "\"'`()[]{}<>,.;:!?\u201c\u201d")
		if !isID(value, fields[:i], fields[i+1:]) {
			continue
		}
		id := givenID{text: strings.ToLower(value)}
		for _, before := range fields[max(0, i-idReach):i] {
			id.before = append(id.before, entityKey(before))
		}
		g.ids = append(g.ids, id)
	}
	return g
}

// isID reports whether a word is an id: an e-mail address, a web address, a word with digits such as ord_00042, or a
// number that counts nothing.
func isID(word string, before, after []string) bool {
	letters := strings.ContainsFunc(word, unicode.IsLetter)
	digits := strings.Count(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, word), "0")
	at := strings.IndexByte(word, '@')
	switch {
	case at > 0 && strings.Contains(word[at:], "."), strings.Contains(word, "://"):
		return true
	case digits == 0:
		return false
	case letters: // not "s3", "v2", "100ms"
		unit := strings.TrimLeftFunc(word, func(r rune) bool { return unicode.IsDigit(r) || r == '.' })
		return len(unit) > 2 && (digits > 1 || strings.ContainsAny(word, "_-#"))
	case strings.ContainsAny(strings.TrimLeft(word, "#"), "-/:.%$\u20ac,"): // a date, a time, an amount
		return false
	case strings.HasPrefix(word, "#"):
		return true
	}
	return !counts(before, after)
}

// counts reports whether a number between these words is a count or a year: "the first 5", "10 results", "in 2026".
func counts(before, after []string) bool {
	if n := len(before); n > 0 && strings.Contains(" top first last next past limit page version within about over under "+
		"than least most up in since until before after by ", " "+strings.ToLower(before[n-1])+" ") {
		return true
	}
	if len(after) == 0 {
		return false
	}
	next := strings.ToLower(after[0])
	word := spelling.Fold(next)
	return spelling.Singular(word) != word || strings.HasPrefix(word, "percent")
}

// open are the needs for ids that are not given. An id in the request belongs to the thing whose name stands before it
// or begins it, and else to the first need that is left.
func (g given) open(needs []need) (open []need) {
	left := slices.Clone(g.ids)
	take := func(is func(id givenID) bool) bool {
		at := slices.IndexFunc(left, is)
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
		return at >= 0
	}
	for _, n := range needs {
		thing := n.thing()
		if thing != "" && !g.has(n) && !take(func(id givenID) bool { return id.isOf(thing) }) {
			open = append(open, n)
		}
	}
	return slices.DeleteFunc(open, func(need) bool { return take(func(givenID) bool { return true }) })
}

// needs reports whether a need is neither in the session nor named in the request.
func (g given) needs(n need) bool {
	thing := n.thing()
	return !g.has(n) && !slices.ContainsFunc(g.ids, func(id givenID) bool { return id.isOf(thing) })
}

// isOf reports whether the request says that the id is one of a thing.
func (id givenID) isOf(thing string) bool {
	last := thing[strings.LastIndexByte(thing, '_')+1:]
	return slices.Contains(id.before, last) || begins(id.text, last)
}

// begins reports whether an id like cus_0001 or INV-17 begins as a thing's name does.
func begins(id, thing string) bool {
	prefix, _, ok := strings.Cut(strings.Replace(id, "-", "_", 1), "_")
	return ok && len(prefix) > 1 && strings.HasPrefix(thing, strings.ToLower(prefix))
}

// has reports whether a value of the session seems to be what is needed, or to have it.
func (g given) has(n need) bool {
	thing, keys := n.thing(), needKeys(n.name)
	return slices.ContainsFunc(g.values, func(value Given) bool {
		name := spelling.Fold(value.Name)
		if _, _, named := cutThing(name, thing); named || slices.Contains(keys, name) {
			return true
		}
		parts := func(r rune) bool { return strings.ContainsRune(" {}[],=\"'", r) }
		for _, word := range strings.FieldsFunc(value.Brief, parts) {
			if slices.Contains(keys, spelling.Fold(word)) || strings.ContainsFunc(word, unicode.IsDigit) && begins(word, thing) {
				return true
			}
		}
		return false
	})
}

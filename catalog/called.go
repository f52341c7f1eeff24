package catalog

// This file finds the entries that a query calls by what they are called: "issue a refund" has just the words of
// billing.refund.issue, "list unpaid invoices of a customer" just those of a description's first sentence. Each entry has
// a sum over the words of each such phrase, whatever their order, so that looking up costs next to nothing.

import (
	"cmp"
	"math"
	"slices"
)

const (
	// leastCalled is how many words a phrase has at least, and mostCalled at most.
	leastCalled = 2
	mostCalled  = 12
	// calledGain is what being called by it gives, in units; the name alone gives a third of it.
	calledGain = 0.6
)

// called are the sums of the phrases of all entries, in order, and in step the entries that have them: twice the entry,
// plus one where the phrase is not the name alone.
type called struct {
	sums  []uint64
	codes []uint32
}

// A phrase is the distinct stems of a text.
type phrase []string

func (p phrase) with(stem string) phrase {
	if slices.Contains(p, stem) {
		return p
	}
	return append(p, stem)
}

// sum is the same for the same stems in any order. ok is false for a phrase that is too short or too long to tell.
func (p phrase) sum() (sum uint64, ok bool) {
	if len(p) < leastCalled || len(p) > mostCalled {
		return 0, false
	}
	return p.hash(), true
}

func (p phrase) hash() (sum uint64) {
	for _, stem := range p {
		h := uint64(14695981039346656037)
		for i := range len(stem) {
			h = (h ^ uint64(stem[i])) * 1099511628211
		}
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		sum += h ^ h>>32
	}
	return sum
}

// eachCall calls f with the phrases that an entry is called by: its name with the last segment of its namespace and with
// all of them, its title, its aliases, and the first sentence of its description; and its name alone, which is not the
// whole of what it does: orders are not what billing.invoice.create_order_invoice creates.
func eachCall(e *Entry, f func(whole bool, texts ...string)) {
	name := nameOf(e)
	f(false, name)
	if n := len(e.Namespace); n > 0 {
		f(true, name, e.Namespace[n-1])
		if n > 1 {
			f(true, append([]string{name}, e.Namespace...)...)
		}
	}
	f(true, e.Title)
	for _, alias := range e.Aliases {
		f(true, alias)
	}
	f(true, leadOf(e.Description))
}

// each calls f with the entries that are called by the stems of a query, each once, and what that gives them.
func (c *called) each(p phrase, f func(doc uint32, points int32)) {
	sum, ok := p.sum()
	if !ok {
		return
	}
	whole := int32(math.Round(unit * calledGain))
	from, _ := slices.BinarySearch(c.sums, sum)
	for i := from; i < len(c.sums) && c.sums[i] == sum; i++ {
		doc := c.codes[i] >> 1
		switch {
		case c.codes[i]&1 != 0:
			f(doc, whole)
		case i+1 == len(c.sums) || c.sums[i+1] != sum || c.codes[i+1]>>1 != doc:
			f(doc, whole/3)
		}
	}
}

// A call says that an entry is called by a phrase; its code is that of called.
type call struct {
	sum  uint64
	code uint32
}

// mergeCalls makes the calls of all parts one.
func mergeCalls(parts []part) called {
	var calls []call
	for i := range parts {
		calls = append(calls, parts[i].calls...)
	}
	slices.SortFunc(calls, func(a, b call) int { return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.code, b.code)) })
	calls = slices.Compact(calls)
	c := called{sums: make([]uint64, len(calls)), codes: make([]uint32, len(calls))}
	for i, one := range calls {
		c.sums[i], c.codes[i] = one.sum, one.code
	}
	return c
}

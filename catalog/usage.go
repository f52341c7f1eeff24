package catalog

// This file lets what was called before raise a score.

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// maxUsageGain is the most that usage adds, in 1/128 of the score: an eighth.
const maxUsageGain = 16

// A used entry and what its calls add to a score, in 1/128.
type used struct {
	doc, gain int32
	calls     int
}

// WithUsage is the same view with searches that raise what was called before: calls are successful calls by id, and n
// of them raise a score by
//
//	min(16, 2 x floor(log2(n)) + 2) / 128
//
// which is 1.6 % for one call and 12.5 % from 128 calls on. An entry is not found by usage alone, and nothing is
// revealed: ids that are unknown or hidden count for nothing. Nil counts switch it off again, which is how a view
// begins. The answers stay the same for the same counts. Views narrowed from it keep the counts.
func (v *View) WithUsage(calls map[string]int) *View {
	n := &View{cat: v.cat, visible: v.visible, count: v.count, actor: v.actor, tenant: v.tenant, parent: v.parent, rules: v.rules}
	for id, count := range calls {
		if doc := v.cat.find(id); doc >= 0 && count > 0 {
			n.usage = append(n.usage, used{doc: int32(doc), gain: usageGain(count), calls: count})
		}
	}
	slices.SortFunc(n.usage, func(a, b used) int { return cmp.Compare(a.doc, b.doc) })
	return n
}

func usageGain(calls int) int32 { return int32(min(maxUsageGain, 2*bits.Len(uint(calls)))) }

// raised is a score with what usage adds.
func (u used) raised(score int32) int32 {
	return int32(min(math.MaxInt32/(2*intentGain), int64(score)+int64(score)*int64(u.gain)/128))
}

// usageOf is the usage of an entry; the zero one when it has none.
func (v *View) usageOf(doc int32) used {
	at, ok := slices.BinarySearchFunc(v.usage, doc, func(u used, doc int32) int { return cmp.Compare(u.doc, doc) })
	if !ok {
		return used{}
	}
	return v.usage[at]
}

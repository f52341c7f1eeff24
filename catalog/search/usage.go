package search

// The feature of past use: documents used before rank higher.

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

const (
	// maxUsageGain is the most that usage adds, in 1/128 of the score: an eighth.
	maxUsageGain = 16
	// maxPoints leaves room for the lifts.
	maxPoints = math.MaxInt32 / (2 * intentGain)
)

// Used is how often a document was used before.
type Used struct {
	Doc   int32
	Times int
}

// raised is points plus the gain for usage: min(16, 2 x floor(log2(n)) + 2) / 128 of them.
func (u Used) raised(points int32) int32 {
	gain := min(maxUsageGain, 2*bits.Len(uint(u.Times)))
	return int32(min(maxPoints, int64(points)+int64(points)*int64(gain)/128))
}

func addUsage(_ *Index, q *query, t *tally) {
	used := q.reader.request.Used
	for _, u := range used {
		t.points[u.Doc] = u.raised(t.points[u.Doc])
	}
	t.note(func(points int32) (string, string) {
		at, ok := slices.BinarySearchFunc(used, t.watched, func(u Used, doc int32) int { return cmp.Compare(u.Doc, doc) })
		switch {
		case !ok || points == 0:
			return "", ""
		case used[at].Times == 1:
			return "(usage)", "1 good call before"
		}
		return "(usage)", fmt.Sprintf("%d good calls before", used[at].Times)
	})
}

package trace

import (
	"fmt"
	"strings"
	"testing"

	"almanac/catalog"
)

func TestEffectsOf(t *testing.T) {
	set, note := catalog.Effect{Kind: "state.set", Target: "n"}, catalog.Effect{Kind: "notify"}
	malformed := []catalog.RejectedEffect{{Effect: catalog.Effect{Kind: "B"}, Reason: "kind"}}
	calls := []Call{
		{N: 1, ID: "outer", Composed: true, Effects: []catalog.Effect{set}, EffectsRejected: malformed},
		{N: 2, ID: "inner", In: 1, Effects: []catalog.Effect{set, note}},
		{N: 9, ID: "orphan", In: 8, Effects: []catalog.Effect{note}},
	}
	undone := []Call{
		{N: 1, ID: "made", Composed: true, Verdict: OK, Effects: []catalog.Effect{set}},
		{N: 2, ID: "in", In: 1, Verdict: OK, Effects: []catalog.Effect{set}},
		{N: 3, ID: "stays", Verdict: OK, Effects: []catalog.Effect{set}},
		{N: 4, ID: "undo", Verdict: OK, Compensates: []int{1}, Effects: []catalog.Effect{note}},
	}
	whole := []catalog.Effect{set, note, set, note}
	whole[0].Value, whole[2].Value = 1, 2
	denied := append([]catalog.RejectedEffect{{Effect: note, Reason: "not allowed"}}, malformed...)
	for _, test := range []struct {
		calls            []Call
		effects, applied []catalog.Effect
		rejected         []catalog.RejectedEffect
		never, want      string
	}{
		{undone, nil, []catalog.Effect{set}, nil, "", "in recorded its call was compensated, made recorded its call was " +
			"compensated, stays applied, undo recorded its call was compensated"},
		{calls[1:2], nil, []catalog.Effect{set}, nil, "failed", "inner applied, inner recorded failed"},
		{calls, nil, nil, nil, "", "inner recorded, inner recorded, outer recorded, outer rejected kind, orphan recorded"},
		{calls, whole, []catalog.Effect{set, set}, nil, "",
			"inner applied 1, inner recorded, outer applied 2, outer rejected kind, orphan recorded"},
		{calls, nil, nil, denied, "",
			"inner recorded, inner rejected not allowed, outer recorded, outer rejected kind, orphan recorded"},
	} {
		var got []string
		for _, e := range EffectsOf(test.calls, test.effects, test.applied, test.rejected, test.never) {
			text := e.Action + " " + e.State
			if e.Value != nil {
				text += fmt.Sprint(" ", e.Value)
			}
			got = append(got, strings.TrimSpace(text+" "+e.Reason))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
	if got := EffectsOf(nil, nil, []catalog.Effect{set}, nil, ""); len(got) != 1 || got[0].State != EffectApplied {
		t.Error(got) // those of an earlier run
	}
}

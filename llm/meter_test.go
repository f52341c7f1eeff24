package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counted is u without shares and times.
func counted(u Usage) Usage {
	u.Parts, u.Model, u.Lua, u.Actions, u.Waited = Parts{}, 0, 0, 0, 0
	return u
}

// A moody provider answers, calls, fails and counts as it likes.
type moody struct{ r *rand.Rand }

func (p moody) Complete(_ context.Context, _ Request, hear func(Piece)) (Response, error) {
	var r Response
	if p.r.IntN(3) == 0 {
		r.Reasoning = strings.Repeat("hm ", p.r.IntN(50))
		hear(Piece{Reasoning: r.Reasoning})
	}
	if p.r.IntN(4) > 0 {
		r.Text = strings.Repeat("word ", p.r.IntN(200))
		hear(Piece{Text: r.Text})
	}
	if p.r.IntN(6) == 0 {
		return Response{}, []error{&Error{Kind: RateLimited}, &Error{Kind: BadKey}, errors.New("cut")}[p.r.IntN(3)]
	}
	for i := range p.r.IntN(4) {
		name := []string{"find", "specify", "run", "no_tool"}[p.r.IntN(4)]
		r.Calls = append(r.Calls, call(fmt.Sprint(p.r.Int(), i), name, "{}"))
	}
	if p.r.IntN(3) > 0 {
		counts := []int{0, 1, 7, 4000, -3, math.MaxInt}
		r.Usage = Usage{Input: p.r.IntN(5000), Output: p.r.IntN(500)}
		r.Usage.Cached, r.Usage.Reasoning = counts[p.r.IntN(6)], counts[p.r.IntN(6)]
	}
	return r, nil
}

// TestPartsAddUp holds conversations with a provider that does anything, in windows in which answers become short and
// turns summaries: the parts are the whole, and so are the turns.
func TestPartsAddUp(t *testing.T) {
	var all Usage
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		answering := func(name string, part Part) Tool {
			return Tool{Name: name, Description: "does it", Schema: json.RawMessage(`{"type":"object"}`), Part: part,
				Run: func(context.Context, json.RawMessage) (Answer, error) {
					return Answer{Text: strings.Repeat("row ", r.IntN(400)), Short: "rows", Usage: Usage{Calls: 1, Actions: 1}}, nil
				}}
		}
		before := Usage{Input: 7, Parts: Parts{PartPerson: 7}, Completions: 1}
		told, turns := before, before
		prompt := Prompt{Text: "Be brief. The catalog: 3 actions. Notes: none.", Card: "3 actions", Notes: "Notes: none."}
		c := NewConversation(Options{
			Target: Target{Provider: moody{r}, Window: 700 + r.IntN(3000), Price: Price{In: 2, Cached: 1, Out: 8}},
			System: func() Prompt { return prompt }, RetryWait: 1, Retries: 1, MaxTurns: 5, Usage: before,
			Tools: func() []Tool {
				return []Tool{answering("find", PartQuery), answering("specify", PartDescribe), answering("run", PartExecute)}
			},
			Spent: func(u Usage) { told = told.Add(u) },
			Arrived: func(context.Context) ([]Arrival, func()) {
				return slices.Repeat([]Arrival{{"ann", "ann says hello"}}, r.IntN(3)), func() {}
			},
		})
		for range 25 {
			switch r.IntN(8) {
			case 0:
				c.Compact(t.Context(), "")
			case 1:
				c.Retry(t.Context())
			default:
				c.Send(t.Context(), strings.Repeat("please ", 1+r.IntN(30)))
			}
			turns = turns.Add(c.TurnUsage())
			u := c.Usage()
			if u.Parts.Sum() != u.Input || u.Cached > u.Input || u.Reasoning > u.Output {
				t.Fatalf("seed %d: parts %v are %d, usage %+v", seed, u.Parts, u.Parts.Sum(), u)
			}
			for part, n := range u.Parts {
				if n < 0 {
					t.Fatalf("seed %d: %v: %d tokens", seed, Part(part), n)
				}
			}
			if u.Priced != u.Completions-before.Completions || u.Cost < 0 {
				t.Fatalf("seed %d: cost %v of %d completions", seed, u.Cost, u.Priced)
			}
		}
		u := c.Usage()
		told.Cost, turns.Cost = u.Cost, u.Cost // floats add up but for their last digits
		if d := cmp.Diff(u, told); d != "" {
			t.Fatalf("seed %d: told (-usage +told)\n%s", seed, d)
		}
		if d := cmp.Diff(u, turns); d != "" {
			t.Fatalf("seed %d: turns (-usage +turns)\n%s", seed, d)
		}
		all = all.Add(u)
		text, err := json.Marshal(u)
		var read Usage
		if err = errors.Join(err, json.Unmarshal(text, &read)); err != nil || read != u {
			t.Fatalf("seed %d: %v: %s", seed, err, text)
		}
	}
	for part, n := range all.Parts {
		if n == 0 {
			t.Errorf("no %v was counted", Part(part))
		}
	}
}

// TestCost takes cached tokens for less, and for as much where their price is not known.
func TestCost(t *testing.T) {
	u := Usage{Input: 3_000_000, Cached: 1_000_000, Output: 500_000}
	for _, test := range []struct {
		price Price
		cost  float64
		known int
	}{
		{Price{}, 0, 0},
		{Price{In: 2, Cached: 0.5, Out: 8}, 2*2 + 0.5 + 4, 1},
		{Price{In: 2, Out: 8}, 3*2 + 4, 1},
	} {
		if cost, known := test.price.cost(u); math.Abs(cost-test.cost) > 1e-9 || known != test.known {
			t.Errorf("%+v: %v %v", test.price, cost, known)
		}
	}
}

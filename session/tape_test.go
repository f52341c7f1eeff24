package session

import (
	"context"
	"fmt"
	"testing"
	"time"

	"almanac/catalog"
)

// inTurn is an action whose calls end in a given order of their n.
func inTurn(order *[]int64) catalog.Entry {
	return catalog.Entry{
		ID:    "calls.turn",
		Input: catalog.MustSchema(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
			n := c.Args["n"].(int64)
			for place, at := range *order {
				if at == n {
					time.Sleep(time.Duration(place) * 20 * time.Millisecond)
				}
			}
			return catalog.Result{Data: n}, nil
		},
	}
}

// With the tape of another run the answers of calls made side by side come in the order of that run, whichever ends
// first.
func TestTapeOrderOfAnswers(t *testing.T) {
	order := []int64{3, 1, 2}
	b := newBench(t, nil)
	c, _ := catalog.New([]catalog.Entry{inTurn(&order)}, catalog.Options{})
	b.replace(c.View())
	script := Script{Author: User, Source: `
local came = ""
parallel({1, 2, 3}, function(n) came = came .. calls.turn{n = n} end)
return came, os.time(), math.random()`}
	first, err := b.session.Run(t.Context(), script)
	if err != nil || first.Err != nil {
		t.Fatal(err, first.Err)
	}
	script.Tape = first.Tape
	order = []int64{2, 3, 1}
	again, err := b.session.Run(t.Context(), script)
	if err != nil || again.Err != nil {
		t.Fatal(err, again.Err)
	}
	if got, want := fmt.Sprint(reprs(again)), fmt.Sprint(reprs(first)); got != want {
		t.Errorf("with the tape: %s, want %s", got, want)
	}
	script.Tape = ""
	fresh, err := b.session.Run(t.Context(), script)
	if err != nil || fmt.Sprint(reprs(fresh)) == fmt.Sprint(reprs(first)) {
		t.Errorf("without it: %v, error %v", reprs(fresh), err)
	}
}

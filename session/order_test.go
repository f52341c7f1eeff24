package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/kernel"
)

// TestOrderUnderParallel: calls and effects stand in the order of the script, whichever call ends first.
func TestOrderUnderParallel(t *testing.T) {
	input := catalog.MustSchema(`{"type":"object","properties":{"n":{"type":"string"}}}`)
	step := catalog.Entry{ID: "work.step", Description: "Do a step.", Operation: catalog.Read, Input: input}
	step.Action = func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		return catalog.Result{Data: true, Effects: []catalog.Effect{{Kind: "done", Target: fmt.Sprint(c.Args["n"])}}}, nil
	}
	own := step
	own.ID, own.Action = "work.own", nil
	own.Lua = `effect("done", args.n .. "1") parallel({"p", "q"}, function(s)
		effect("done", args.n .. s) work.step{n = args.n .. s} effect("done", args.n .. s .. s) end) effect("done", args.n .. "2")`
	both := catalog.Entry{ID: "work.both", Description: "Do two steps.", Operation: catalog.Read, Input: input,
		Lua: `parallel({"x", "y"}, function(s) work.step{n = args.n .. s} end) work.step{n = args.n .. "z"}`}
	all, report := catalog.New([]catalog.Entry{step, own, both}, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	s, err := New(all.View(), Options{Kernel: kernel.Options{Memory: 1 << 30}}) // the race detector needs a multiple
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	run := func(times int, source, want string) {
		for range times {
			out, err := s.Run(t.Context(), Script{Source: source, Author: User})
			if err != nil || out.Err != nil {
				t.Fatal(err, out.Err)
			}
			var effects, calls []string
			for _, e := range out.Effects {
				effects = append(effects, e.Target)
			}
			for _, c := range out.Calls {
				if c.ID == step.ID {
					calls = append(calls, fmt.Sprint(c.Args["n"]))
				}
			}
			if got := strings.Join(effects, " "); got != want {
				t.Fatalf("effects: %s\nwant:    %s", got, want)
			}
			if got := strings.Join(calls, " "); got != want {
				t.Fatalf("calls: %s\nwant:  %s", got, want)
			}
		}
	}
	times := 100
	if testing.Short() {
		times = 10
	}
	run(times, `
		work.step{n = "0"}
		parallel({1, 2, 3, 4, 5, 6, 7, 8, 9}, function(i)
			work.step{n = i .. "a"}
			parallel({"b", "c"}, function(s) work.step{n = i .. s} work.step{n = i .. s .. s} end)
			coroutine.wrap(function() work.step{n = i .. "d"} end)()
		end)
		work.step{n = "10"}
		parallel({11, 12}, function(i) work.step{n = tostring(i)} end)`,
		"0 1a 1b 1bb 1c 1cc 1d 2a 2b 2bb 2c 2cc 2d 3a 3b 3bb 3c 3cc 3d 4a 4b 4bb 4c 4cc 4d 5a 5b 5bb 5c 5cc 5d "+
			"6a 6b 6bb 6c 6cc 6d 7a 7b 7bb 7c 7cc 7d 8a 8b 8bb 8c 8cc 8d 9a 9b 9bb 9c 9cc 9d 10 11 12")
	run(20, `
		local h = {async(work.step, {n = "0"}), async(work.step, {n = "1"})}
		parallel({2, 3}, function(i)
			h[#h + 1] = async(work.step, {n = i .. "a"})
			work.step{n = i .. "b"}
			async(work.both, {n = i .. "c"})
		end)
		work.step{n = "4"}
		if math.random() < 0.5 then await(h) end
		async(work.step, {n = "5"})`,
		"0 1 2a 2b 2cx 2cy 2cz 3a 3b 3cx 3cy 3cz 4 5")
	run(5, `work.step{n = "0"} parallel({1, 2}, function(i) work.both{n = tostring(i)} end) work.both{n = "3"}`,
		"0 1x 1y 1z 2x 2y 2z 3x 3y 3z")
	out, err := s.Run(t.Context(), Script{Source: `work.step{n = "0"} work.own{n = "o"} work.step{n = "3"}`, Author: User})
	if err != nil || out.Err != nil {
		t.Fatal(err, out.Err)
	}
	got := ""
	for _, e := range out.Effects {
		got += " " + e.Target
	}
	if got != " 0 op oq o1 op opp oq oqq o2 3" { // those of a composed action stand after those of the calls inside
		t.Errorf("effects%s", got)
	}
}

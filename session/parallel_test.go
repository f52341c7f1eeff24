package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A parallelShop has actions that count how many of their calls are under way.
type parallelShop struct {
	now, most atomic.Int64
	// met is called once each of `want` calls is under way at the same time.
	want int64
	gate chan struct{}
	once sync.Once
	shop *shop
}

func (p *parallelShop) enter() func() {
	n := p.now.Add(1)
	for {
		most := p.most.Load()
		if n <= most || p.most.CompareAndSwap(most, n) {
			break
		}
	}
	if n >= p.want {
		p.once.Do(func() { close(p.gate) })
	}
	return func() { p.now.Add(-1) }
}

func (p *parallelShop) entries() []catalog.Entry {
	input := catalog.MustSchema(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)
	// meet answers only when as many calls as are wanted are under way.
	meet := func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
		defer p.enter()()
		select {
		case <-p.gate:
		case <-ctx.Done():
			return catalog.Result{}, ctx.Err()
		}
		n, _ := c.Args["n"].(int64)
		if n == 13 {
			return catalog.Result{}, errors.New("13 is out")
		}
		return catalog.Result{Data: map[string]any{"n": n, "square": n * n}}, nil
	}
	rows := func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		page, _ := c.Args["page"].(int64)
		r := catalog.Result{Data: map[string]any{"items": []any{page * 10, page*10 + 1}}}
		if page < 3 {
			r.Next = map[string]any{"page": page + 1}
		}
		return r, nil
	}
	return []catalog.Entry{
		{ID: "calls.meet", Input: input, Action: meet},
		{ID: "calls.change", Input: input, Mutates: true,
			Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
				p.shop.act(c, "change %v", c.Args["n"])
				return meet(ctx, c)
			}},
		{ID: "calls.rows",
			Input:  catalog.MustSchema(`{"type":"object","properties":{"page":{"type":"integer","default":1}}}`),
			Action: rows, Paged: true},
		{ID: "calls.plain",
			Input: catalog.MustSchema(`{"type":"object","properties":{"page":{"type":"integer"},"per_page":{"type":"integer"},"way":{"type":"string"}}}`), Action: plainRows},
	}
}

// plainRows answers 25 rows in pages of 10 and says nothing of it; way is what it does behind the last.
func plainRows(_ context.Context, c catalog.Call) (catalog.Result, error) {
	page, size := int64(1), int64(10)
	if n, ok := c.Args["page"].(int64); ok && c.Args["way"] != "deaf" {
		page = n
	}
	if n, ok := c.Args["per_page"].(int64); ok {
		size = n
	}
	rows := []any{}
	for n := (page - 1) * size; n < min(page*size, 25); n++ {
		rows = append(rows, n)
	}
	switch {
	case len(rows) > 0 || c.Args["way"] == nil:
		return catalog.Result{Data: rows}, nil
	case c.Args["way"] == "fails":
		return catalog.Result{}, errors.New("404: there is no such page")
	}
	return catalog.Result{}, nil
}

func newParallelShop(t *testing.T, want int64, change func(*Options)) (*parallelShop, *bench) {
	t.Helper()
	p := &parallelShop{want: want, gate: make(chan struct{})}
	b := newBench(t, change)
	p.shop = b.shop
	c, _ := catalog.New(p.entries(), catalog.Options{})
	b.replace(c.View())
	return p, b
}

func TestParallel(t *testing.T) {
	p, b := newParallelShop(t, 8, nil)
	out := b.run(User, `
		local ns = {}
		for i = 1, 20 do ns[i] = i end
		local squares, errors = parallel(ns, function(n, i)
			local r = calls.meet{n = n}
			return r.square + calls.meet{n = 0}.n + (i - n)
		end)
		return #squares, squares[1], squares[20], squares[13] == null, tostring(errors[13]), #keys(errors)`)
	got := show(out)
	for _, want := range []string{"20", "1", "400", "true", "13 is out", "1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if most := p.most.Load(); most != maxParallel {
		t.Errorf("%d calls were under way at a time, want %d", most, maxParallel)
	}
	if len(out.Calls) != 39 {
		t.Errorf("%d calls on record, want 39", len(out.Calls))
	}
	numbers, order, want := map[int]bool{}, "", ""
	for _, c := range out.Calls {
		numbers[c.N] = true
		order += fmt.Sprint(c.Args["n"], " ")
	}
	for i := range 20 {
		if want += fmt.Sprint(i+1, " "); i != 12 { // which fails
			want += "0 "
		}
	}
	if len(numbers) != 39 || !numbers[1] || !numbers[39] || order != want {
		t.Errorf("numbers %v, order %s, want %s", numbers, order, want)
	}
}

func TestBatch(t *testing.T) {
	_, b := newParallelShop(t, 3, nil)
	out := b.run(User, `return batch{{calls.meet, {n = 2}}, {"calls.meet", {n = 13}}, {calls.meet, {n = 3}}, {"calls.nothing"}, {calls.meet, {m = 1}}}`)
	got := show(out)
	for _, want := range []string{"square = 4", "square = 9", "13 is out",
		"calls.nothing: no such action", "unknown name"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if out := b.run(User, `batch{{calls}, 5}`); out.Err == nil ||
		!strings.Contains(out.Err.Message, "batch: item 2 must be {action, arguments}") {
		t.Errorf("got %s", show(out))
	}
	if out := b.run(User, `return #batch{}`); show(out) != "return 0\n" && !strings.Contains(show(out), "0") {
		t.Errorf("got %s", show(out))
	}
}

// A call that is denied ends the run, whatever is under way beside it.
func TestParallelDenial(t *testing.T) {
	_, b := newParallelShop(t, 1, nil)
	out := b.run(User, `return parallel({1, 2, 3}, function(n) pcall(calls.change, {n = n}) return 1 end)`)
	if out.Err == nil || out.Err.Kind != vm.Denied {
		t.Errorf("got %s", show(out))
	}
	if out := b.run(User, `return calls.meet{n = 4}.square`); out.Err != nil || out.Values[0].Repr != "16" {
		t.Errorf("the next run: %s", show(out))
	}
}

func TestParallelBudget(t *testing.T) {
	_, b := newParallelShop(t, 1, func(o *Options) { o.UserBudget.Calls = 5 })
	out := b.run(User, `return parallel(range(1, 30), function(n) return calls.meet{n = n}.n end)`)
	if out.Err == nil || out.Err.Kind != vm.Limit || out.Err.Limit != "calls" {
		t.Errorf("got %s", show(out))
	}
	ok := 0
	for _, c := range out.Calls {
		if c.Verdict == trace.OK {
			ok++
		}
	}
	if ok > 5 {
		t.Errorf("%d calls were made", ok)
	}
}

// The person is asked one question at a time.
func TestParallelApproval(t *testing.T) {
	var now, most atomic.Int64
	p, b := newParallelShop(t, 1, func(o *Options) {
		o.Policy = policy.Policy{Mode: policy.Ask}
		o.Approve = func(context.Context, Request) (Approval, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(2 * time.Millisecond)
			now.Add(-1)
			return Approval{Verdict: Once}, nil
		}
	})
	out := b.run(User, `return #parallel(range(1, 6), function(n) return calls.change{n = n}.n end)`)
	if out.Err != nil || most.Load() != 1 || p.most.Load() == 0 {
		t.Errorf("%d questions at a time: %s", most.Load(), show(out))
	}
}

func TestParallelNested(t *testing.T) {
	_, b := newParallelShop(t, 4, nil)
	out := b.run(User, `
		local grid = parallel({1, 2}, function(a)
			return parallel({10, 20}, function(b) return calls.meet{n = a + b}.n end)
		end)
		return grid[1][1], grid[1][2], grid[2][1], grid[2][2]`)
	if got := fmt.Sprint(reprs(out)); got != "[11 21 12 22]" {
		t.Errorf("got %s: %s", got, show(out))
	}
	out = b.run(User, `return parallel({1, 2}, function(a)
		return parallel({10, 20}, function(b)
			return parallel({100, 200}, function(c) return calls.meet{n = a + b + c}.n end)
		end)
	end)[2][2][2]`)
	if got := fmt.Sprint(reprs(out)); got != "[222]" {
		t.Errorf("three deep: got %s: %s", got, show(out))
	}
	out = b.run(User, `return parallel({1}, function() coroutine.yield(1) end)`)
	if out.Err == nil || !strings.Contains(out.Err.Message, "must not yield") {
		t.Errorf("got %s", show(out))
	}
}

func TestParallelInterrupted(t *testing.T) {
	p, b := newParallelShop(t, 100, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for p.now.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	out, err := b.session.Run(ctx, Script{
		Source: `return parallel({1, 2, 3}, function(n) return calls.meet{n = n} end)`, Author: User,
	})
	if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt {
		t.Fatalf("got %v, %s", err, show(out))
	}
	for range 1000 { // an action that heeds its context ends soon after the run
		if p.now.Load() == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if p.now.Load() != 0 {
		t.Errorf("%d calls are still under way", p.now.Load())
	}
	if out := b.run(User, `return 1 + 1`); out.Err != nil {
		t.Errorf("the next run: %s", show(out))
	}
}

func TestPaginate(t *testing.T) {
	_, b := newParallelShop(t, 1, nil)
	for source, want := range map[string]string{
		`local rows, more = paginate(calls.rows) return concat(map(rows, tostring), " "), more`:                          `["10 11 20 21 30 31" false]`,
		`local rows, more = paginate("calls.rows", {page = 2}, {max = 3}) return concat(map(rows, tostring), " "), more`: `["20 21 30" true]`,
		`local rows, more = paginate(calls.rows, nil, {pages = 1, rows = "items"}) return #rows, more`:                   `[2 true]`,
		// Nothing says how long a page may be: until one is empty, fails, is nil, or is the same again.
		`local rows, more = paginate(calls.plain, {}) return #rows, rows[25], more`:                   `[25 24 false]`,
		`local rows, more = paginate(calls.plain, {per_page = 10}) return #rows, more`:                `[25 false]`,
		`local rows, more = paginate(calls.plain, {way = "fails"}) return #rows, more`:                `[25 true]`,
		`local rows, more = paginate(calls.plain, {way = "nil"}) return #rows, more`:                  `[25 false]`,
		`local rows, more = paginate(calls.plain, {way = "deaf"}) return #rows, more`:                 `[10 false]`,
		`local rows, more = paginate(calls.plain, {}, {pages = 2}) return #rows, more`:                `[20 true]`,
		`return parallel({"fails", "nil"}, function(w) return #paginate(calls.plain, {way = w}) end)`: `[{ 25, 25 }]`,
		`return parallel({1, 3}, function(p) return #paginate(calls.rows, {page = p}) end)`:           `[{ 6, 2 }]`,
	} {
		source = strings.ReplaceAll(source, "concat(", "table.concat(")
		if got := fmt.Sprint(reprs(b.run(User, source))); got != want {
			t.Errorf("%s\ngot %s, want %s", source, got, want)
		}
	}
	b.replace(b.viewOf(nil, "shop."))
	for source, want := range map[string]string{
		`return #paginate(shop.item.list, {}, {max = 1})`:                       `[1]`,
		`local rows, more = paginate(shop.item.list, {limit = 2}) return more`:  `[true]`,
		`local rows, more = paginate(shop.item.list, {limit = 3}) return more`:  `[false]`,
		`return parallel({{item_id = "a"}, {item_id = "b"}}, shop.item.get)[2]`: `[{ cents = 100, id = "b" }]`,
	} {
		if got := fmt.Sprint(reprs(b.run(User, source))); got != want {
			t.Errorf("%s\ngot %s, want %s", source, got, want)
		}
	}
	out := b.run(User, `return paginate(shop.item.list, {}, {max = "x"})`)
	if out.Err == nil || !strings.Contains(out.Err.Message, "max must be an integer") {
		t.Errorf("got %s", show(out))
	}
	out = b.run(User, `return paginate(shop.item.list, {}, {size = 1})`)
	if out.Err == nil || !strings.Contains(out.Err.Message, `unknown option "size"`) {
		t.Errorf("got %s", show(out))
	}
}

func reprs(out *Outcome) []string {
	var all []string
	for _, v := range out.Values {
		all = append(all, v.Repr)
	}
	return all
}

// The time behind another question is the person's, not the call's: without it, a call has hardly begun when the first
// question is answered.
func TestWaitingBehindAQuestion(t *testing.T) {
	const wait = 400 * time.Millisecond
	var answered time.Time
	_, b := newParallelShop(t, 1, func(o *Options) {
		o.Policy.Mode = policy.Ask
		o.Approve = func(context.Context, Request) (Approval, error) {
			if answered.IsZero() {
				time.Sleep(wait)
				answered = time.Now()
			}
			return Approval{Verdict: Once}, nil
		}
	})
	out := b.run(User, `parallel({1, 2}, function(n) calls.change{n = n} end)`)
	if out.Err != nil || len(out.Calls) != 2 {
		t.Fatalf("%v, %d calls", out.Err, len(out.Calls))
	}
	for _, c := range out.Calls {
		if c.Start.Before(answered.Add(-wait / 2)) {
			t.Errorf("call %d began %v before the first answer", c.N, answered.Sub(c.Start))
		}
	}
}

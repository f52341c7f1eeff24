package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A tapedRun is a run as its log has it.
type tapedRun struct {
	run    trace.Record
	ended  trace.Outcome
	replay Replay
}

// taped are the runs of a bench's records, read as from a file.
func (b *bench) taped() []*tapedRun {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	values := map[string][]byte{}
	whole := func(digest string) ([]byte, error) {
		if v, ok := values[digest]; ok {
			return v, nil
		}
		return nil, fmt.Errorf("no value %s", digest)
	}
	var all []*tapedRun
	for _, record := range b.records {
		text, err := json.Marshal(record)
		if err != nil {
			b.t.Fatal(err)
		}
		var r trace.Record
		if err := json.Unmarshal(text, &r); err != nil {
			b.t.Fatal(err)
		}
		if r.Kind == trace.KindRun && r.Before == "" {
			all = append(all, &tapedRun{run: r, replay: Replay{Whole: whole, N: r.Script.N, State: r.Script.State}})
		}
		if r.Run == "" || r.Before != "" {
			continue
		}
		i := slices.IndexFunc(all, func(t *tapedRun) bool { return t.run.Run == r.Run })
		switch {
		case r.Kind == trace.KindCall:
			all[i].replay.Calls = append(all[i].replay.Calls, *r.Call)
			for n, digest := range []string{r.Call.ArgsWhole, r.Call.Whole} {
				if digest != "" {
					values[digest] = record.Values[min(n, len(record.Values)-1)]
				}
			}
		case r.Kind == trace.KindOutcome:
			all[i].ended = *r.Ended
			if r.Ended.AppliedWhole != "" {
				values[r.Ended.AppliedWhole] = record.Values[0]
			}
			if all[i].replay.Applied, err = AppliedBy(r.Ended, whole); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	for _, t := range all {
		slices.SortFunc(t.replay.Calls, func(a, b trace.Call) int { return a.N - b.N })
	}
	return all
}

// script is the run's as it was, answered by its record.
func (t *tapedRun) script() Script {
	how := t.run.Script
	return Script{
		Source: t.run.Text, Author: Author(t.run.Author), Actions: t.run.IDs, Name: how.Name, Expr: how.Expr,
		Fresh: t.run.Mode == trace.ModeFresh, Tape: vm.Tape(t.ended.Tape), Replay: &t.replay,
	}
}

// again runs t in a session over view, and shows what it came to.
func (t *tapedRun) again(b *bench) *Outcome {
	b.t.Helper()
	do := b.session.Run
	if t.run.Mode == trace.ModePreview {
		do = b.session.Preview
	}
	out, err := do(b.t.Context(), t.script())
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// newReplay is a session to run a log again, whose policy allows nothing.
func newReplay(t *testing.T) *bench {
	return newBench(t, func(o *Options) { o.Replay, o.Approve = true, nil })
}

// replayedScripts are run, and run again from the record in another session.
var replayedScripts = map[string]string{
	"reads":              `return shop.item.list{}, shop.item.get{item_id = "a"}`,
	"a write":            `return shop.item.price{item_id = "a", cents = 5}`,
	"twice the same":     `local a, b = shop.item.price{item_id = "a", cents = 5}, shop.item.price{item_id = "a", cents = 5} return a, b`,
	"a failure":          `shop.item.get{item_id = "none"}`,
	"a caught failure":   `local ok, e = pcall(shop.item.get, {item_id = "none"}) return ok, e.code, e.message, e.hint`,
	"a wrong argument":   `shop.item.get{item = 3}`,
	"no argument":        `local ok, e = pcall(shop.item.get) return ok, e.code, e.message, e.hint`,
	"an unknown action":  `local ok, e = pcall(call, "shop.item.gte", {}) return ok, e.code, e.message, e.hint`,
	"many refused":       `for i = 1, 20 do pcall(shop.item.get, {item = i % 3}) end return 1`,
	"a denial":           `pcall(admin.shop.purge, {item_id = "a"}) return 1`,
	"a large result":     `return #calls.rows{n = 900}, calls.rows{n = 900}[900]`,
	"a large argument":   `return calls.echo{text = ("x"):rep(9000)}.text == ("x"):rep(9000)`,
	"exact":              `local r = calls.exact{} return r.id + 0, r.nan ~= r.nan, #r.bytes, r.bytes:byte(1), r.none, #r.empty`,
	"an exact argument":  `return calls.echo{id = 9007199254740993}.id, calls.echo{id = 9007199254740992}.id`,
	"a secret":           `return shop.item.leak{item_id = "a"}, calls.echo{text = "hunter2", password = "x"}.text`,
	"a composed action":  `return calls.both{item_id = "a"}`,
	"a composed failure": `return calls.both{item_id = "none"}`,
	"pages":              `return paginate(calls.paged)`,
	"side by side":       `return parallel(range(1, 12), function(n) return calls.rows{n = n} end)`,
	"time and chance":    `return shop.item.price{item_id = "a", cents = math.random(100000)}, calls.echo{id = os.time()}`,
	"prints":             `for _, item in ipairs(shop.item.list{}) do print(item.id, item) end`,
	"too large":          `shop.item.huge{item_id = "a"}`,
	"a panic":            `shop.item.panic{item_id = "a"}`,
	"a set":              `return rawget(catalog.search("item"), "set"), catalog.search("item")`,
	"the budget":         `for i = 1, 60 do shop.item.get{item_id = "a"} end`,
}

// moreActions are what replayedScripts call beside those of the shop; made counts their calls.
func moreActions(made *int) []catalog.Entry {
	object := catalog.MustSchema(`{"type":"object"}`)
	count := func(a func(c catalog.Call) (catalog.Result, error)) catalog.Action {
		return func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			*made++
			return a(c)
		}
	}
	return []catalog.Entry{
		{ID: "calls.rows", Input: object, Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			rows := []any{}
			for i := range c.Args["n"].(int64) {
				rows = append(rows, map[string]any{"n": i, "text": strings.Repeat("row", 5)})
			}
			return catalog.Result{Data: rows}, nil
		}},
		{ID: "calls.echo", Input: object, Action: count(func(c catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: c.Args}, nil
		})},
		{ID: "calls.exact", Input: object, Action: count(func(catalog.Call) (catalog.Result, error) {
			var zero float64
			return catalog.Result{Data: map[string]any{"id": int64(9007199254740993), "nan": zero / zero, "bytes": "\xff\x00",
				"none": nil, "empty": []any{}}}, nil
		})},
		{ID: "calls.paged", Input: object, Paged: true, Action: count(func(c catalog.Call) (catalog.Result, error) {
			page, _ := c.Args["page"].(int64)
			r := catalog.Result{Data: []any{page}}
			if page < 3 {
				r.Next = map[string]any{"page": page + 1}
			}
			return r, nil
		})},
		{ID: "calls.both", Input: catalog.MustSchema(itemInput),
			Lua: `return {shop.item.get{item_id = args.item_id}, calls.rows{n = 2}}`},
	}
}

// withMore has a bench see the shop and moreActions.
func withMore(b *bench, made *int) *bench {
	b.t.Helper()
	all, report := catalog.New(append(b.shop.entries(), moreActions(made)...), catalog.Options{})
	if len(report.Skipped) > 0 {
		b.t.Fatalf("skipped: %v", report.Skipped)
	}
	b.replace(all.View())
	return b
}

func TestReplay(t *testing.T) {
	for name, source := range replayedScripts {
		t.Run(name, func(t *testing.T) {
			var made, again int
			b := withMore(newBench(t, func(o *Options) {
				o.Policy = policy.Policy{Mode: policy.Session, Rules: []policy.Rule{
					{Name: "no admin", IDs: []pattern.Pattern{pattern.Exact("admin.shop.purge")}, Verdict: policy.Deny},
				}}
				o.Budget.Calls, o.UserBudget.Calls = 50, 50
			}), &made)
			b.run(User, `return 1`) // so that this one is not the first
			want := show(b.run(User, source))
			replay := withMore(newReplay(t), &again)
			runs := b.taped()
			out := runs[1].again(replay)
			if got := show(out); got != want {
				t.Errorf("replayed:\n%s\nwant\n%s", got, want)
			}
			if again > 0 || len(replay.shop.acts) > 0 {
				t.Errorf("%d calls were made, %q", again, replay.shop.acts)
			}
			if now := replay.taped()[0]; fmt.Sprint(digests(now)) != fmt.Sprint(digests(runs[1])) {
				t.Errorf("the records differ: %v, want %v", digests(now), digests(runs[1]))
			}
		})
	}
}

// digests are the calls of a run with the digests of what is whole.
func digests(t *tapedRun) (all []string) {
	for _, c := range t.replay.Calls {
		all = append(all, fmt.Sprint(c.N, c.ID, c.Verdict, c.In, c.Part, c.Whole, c.ArgsWhole, c.Code))
	}
	return all
}

// replayFirst runs a script in a session with these answers, and again in another from the record.
func replayFirst(t *testing.T, author Author, preview bool, source string, answers ...Approval) (
	was, is *Outcome, b *bench) {
	t.Helper()
	var made int
	first := withMore(newBench(t, func(o *Options) { o.Policy = policy.Policy{Mode: policy.Ask} }), &made)
	first.answers = answers
	do := first.session.Run
	if preview {
		do = first.session.Preview
	}
	actions := []string{"shop.item.price", "shop.item.get"}
	was, err := do(t.Context(), Script{Source: source, Author: author, Actions: actions})
	if err != nil {
		t.Fatal(err)
	}
	b = withMore(newReplay(t), &made)
	return was, first.taped()[0].again(b), b
}

// What a person answered is not asked about again.
func TestReplayAnswers(t *testing.T) {
	const one = `return shop.item.price{item_id = "a", cents = 5}`
	const three = `local all = {} for i, id in ipairs{"a", "b", "c"} do all[i] = shop.item.price{item_id = id, cents = i} end
		return all[1], all[2], all[3]`
	for name, c := range map[string]struct {
		author  Author
		source  string
		answers []Approval
	}{
		"yes":          {User, one, []Approval{{Verdict: Once}}},
		"no":           {User, one, []Approval{{Reason: "too cheap"}}},
		"edited":       {User, one, []Approval{{Verdict: Once, Args: map[string]any{"item_id": "a", "cents": int64(7)}}}},
		"a list":       {Model, three, []Approval{{Verdict: Once}}},
		"switched off": {Model, three, []Approval{{Verdict: Once, Off: []int{1}}}},
		"edited in a list": {Model, three, []Approval{{Verdict: Once,
			Edited: map[int]map[string]any{2: {"item_id": "c", "cents": int64(9)}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			was, is, b := replayFirst(t, c.author, false, c.source, c.answers...)
			if got, want := show(is), show(was); got != want {
				t.Errorf("replayed:\n%s\nwant\n%s", got, want)
			}
			if len(b.asked) > 0 || len(b.shop.acts) > 0 {
				t.Errorf("%d questions, writes %q", len(b.asked), b.shop.acts)
			}
		})
	}
}

func TestReplayPreview(t *testing.T) {
	was, is, b := replayFirst(t, User, true, `
		local r = shop.item.price{item_id = shop.item.list{}[1].id, cents = 5}
		print(r.id, shop.item.get{item_id = r.id}.cents)
		return r`)
	if got, want := show(is), show(was); got != want {
		t.Errorf("replayed:\n%s\nwant\n%s", got, want)
	}
	if is.PlanText != was.PlanText || len(b.shop.acts) > 0 {
		t.Errorf("plan %q, want %q; writes %q", is.PlanText, was.PlanText, b.shop.acts)
	}
}

// A script with a Replay acts in no session, whatever it calls and however it catches errors.
func TestReplayNeverActs(t *testing.T) {
	calls := func(c ...trace.Call) *Replay { return &Replay{Calls: c} }
	get := trace.Call{N: 1, ID: "shop.item.get", Args: map[string]any{"item_id": "a"}, Verdict: trace.OK,
		Result: map[string]any{"id": "a", "cents": 3}}
	for name, c := range map[string]struct {
		source string
		replay *Replay
		want   string
	}{
		"another action": {`pcall(shop.item.price, {item_id = "a"})`, calls(get), "shop.item.price: not in the log"},
		"other arguments": {`pcall(shop.item.get, {item_id = "b"})`, calls(get),
			"shop.item.get: not in the log: the run made it with other arguments, or less often"},
		"once more":            {`shop.item.get{item_id = "a"} shop.item.get{item_id = "a"}`, calls(get), "or less often"},
		"in a composed action": {`calls.both{item_id = "a"}`, calls(), "calls.both: not in the log"},
		"a write, live": {`shop.item.price{item_id = "a", cents = 1}`, &Replay{Live: true},
			"shop.item.price: not in the log"},
		"a part": {`shop.item.get{item_id = "a"}`, calls(trace.Call{N: 1, ID: "shop.item.get", Verdict: trace.OK,
			Args: map[string]any{"item_id": "a"}, Result: map[string]any{}, Part: "1 of 2 fields"}),
			"shop.item.get: the log has 1 of 2 fields of its result"},
		"a lost value": {`shop.item.get{item_id = "a"}`, &Replay{
			Calls: []trace.Call{{N: 1, ID: get.ID, Args: get.Args, Verdict: trace.OK, Whole: "00"}},
			Whole: func(string) ([]byte, error) { return []byte{0xff}, nil }}, "unpack: "},
	} {
		t.Run(name, func(t *testing.T) {
			var made int
			b := withMore(newBench(t, func(o *Options) { o.Policy = policy.Policy{Mode: policy.Session} }), &made)
			for _, fresh := range []bool{false, true} {
				out, err := b.session.Run(t.Context(), Script{Source: c.source, Author: User, Replay: c.replay, Fresh: fresh})
				if err != nil {
					t.Fatal(err)
				}
				if out.Err == nil || !strings.Contains(out.Err.Message, c.want) {
					t.Errorf("got %s, want %s", show(out), c.want)
				}
			}
			if made > 0 || len(b.shop.acts) > 0 {
				t.Errorf("%d calls, writes %q", made, b.shop.acts)
			}
		})
	}
}

// Live makes the reads, and those alone.
func TestReplayLive(t *testing.T) {
	var made int
	b := withMore(newReplay(t), &made)
	replay := &Replay{Live: true, Calls: []trace.Call{
		{N: 1, ID: "calls.echo", Args: map[string]any{"text": "x"}, Verdict: trace.OK, Result: "was"},
		{N: 2, ID: "shop.item.price", Args: map[string]any{"item_id": "a", "cents": 1}, Mutates: true, Verdict: trace.OK,
			Result: map[string]any{"id": "was"}},
		{N: 3, ID: "shop.item.get", Args: map[string]any{"item_id": "a"}, Verdict: trace.Denied,
			Error: "shop.item.get: denied", Fatal: "denied", Code: CodeDenied},
	}}
	out, err := b.session.Run(t.Context(), Script{Author: User, Replay: replay, Source: `
		print(calls.echo{text = "x"}.text, calls.echo{text = "y"}.text, calls.both{item_id = "b"}[1].id)
		print(shop.item.price{item_id = "a", cents = 1}.id)
		shop.item.get{item_id = "a"}`})
	if err != nil {
		t.Fatal(err)
	}
	if out.Stdout != "x\ty\tb\nwas\n" || out.Err == nil || out.Err.Message != "shop.item.get: denied" {
		t.Errorf("got %s", show(out))
	}
	if made != 2 || len(b.shop.acts) > 0 {
		t.Errorf("%d calls, writes %q", made, b.shop.acts)
	}
	if out := b.run(User, `calls.echo{text = "z"}`); out.Err == nil || out.Err.Code != CodeNotRecorded {
		t.Errorf("a script without a replay: %s", show(out))
	}
}

// In an ordinary session a replayed call is no write that was made or could be undone.
func TestReplayHere(t *testing.T) {
	var made int
	b := withMore(newBench(t, func(o *Options) { o.Policy = policy.Policy{Mode: policy.Session} }), &made)
	out := b.run(User, `price = shop.item.price{item_id = "a", cents = 1}`)
	for i, want := range []int{1, 0} {
		if i > 0 {
			out = b.taped()[0].again(b)
		}
		if got := len(Writes(out.Calls)); got != want {
			t.Errorf("%d writes of %s, want %d", got, show(out), want)
		}
		undone, err := b.session.Undo(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(undone.Over) != 1 || len(undone.Over[0].Writes) != want {
			t.Errorf("undo lists %+v, want one step with %d writes", undone.Over, want)
		}
	}
	if n := len(b.shop.acts); n != 1 {
		t.Errorf("%d writes were made, want 1", n)
	}
}

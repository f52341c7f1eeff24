// Package tokens counts what answers and prompts cost with the tokenizer of a real model. It is a module of its own, so
// that the program does not carry the vocabulary.
//
//	go test ./...                                   the prompts and the demo's answers stay within their budgets
//	ALMANAC_EVAL=DIR go test -run Figures -v ./...  the same for the evaluation sets in DIR, printed
package tokens

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"almanac/catalog"
	"almanac/catalog/demo"
	"almanac/catalog/eval"
	"almanac/catalog/manifest"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/kernel"
	"almanac/session/policy"
)

// counter returns the number of tokens of a text in the vocabulary of GPT-4o and its successors.
func counter(t testing.TB) func(text string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// spread is a list of counts in order.
type spread []int

func (s spread) at(share float64) int { return s[int(share*float64(len(s)-1))] }

func (s spread) String() string {
	return fmt.Sprintf("median %4d  p95 %4d  max %4d", s.at(0.5), s.at(0.95), s.at(1))
}

// A bill is what the answers to a set of queries cost: of a search with default options, of one with a limit of 20, and
// of a plan whose two steps are a query and the next.
type bill struct {
	search, twenty, plan spread
	hits                 spread // shown by the search
}

func (b bill) String() string {
	return fmt.Sprintf("search %v (%d hits)   limit 20 %v   plan of two %v", b.search, b.hits.at(0.5), b.twenty, b.plan)
}

func answers(t testing.TB, view *catalog.View, queries []eval.Query, count func(string) int) bill {
	t.Helper()
	pick := func(query string) catalog.Step {
		set, err := view.Search(query, catalog.SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return set.Pick(catalog.PickOptions{})
	}
	var b bill
	for i, q := range queries {
		text := search(t, view, q.Text, 0)
		b.search = append(b.search, count(text))
		b.hits = append(b.hits, strings.Count(text, "\n")-strings.Count(text, "\n  needs "))
		b.twenty = append(b.twenty, count(search(t, view, q.Text, 20)))
		plan, err := view.Plan([]catalog.Step{pick(q.Text), pick(queries[(i+1)%len(queries)].Text)})
		if err != nil {
			t.Fatal(err)
		}
		b.plan = append(b.plan, count(view.FormatPlan(plan)))
	}
	for _, s := range []spread{b.search, b.hits, b.twenty, b.plan} {
		slices.Sort(s)
	}
	return b
}

func search(t testing.TB, view *catalog.View, query string, limit int) string {
	t.Helper()
	set, err := view.Search(query, catalog.SearchOptions{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return view.FormatSet(set, 0)
}

// maxCounted is how many queries of a set are counted, spread evenly over it.
const maxCounted = 300

func some(queries []eval.Query) []eval.Query {
	step := max(1, len(queries)/maxCounted)
	var out []eval.Query
	for i := 0; i < len(queries); i += step {
		out = append(out, queries[i])
	}
	return out
}

// TestMain lets the test program serve as the kernel process of the sessions here.
func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

// A weight is what a request carries before anyone has said a word, in tokens: the system text with the catalog card,
// and the three tools with their names, descriptions and schemas.
type weight struct{ system, card, query, describe, execute int }

func (w weight) all() int { return w.system + w.query + w.describe + w.execute }

func (w weight) String() string {
	return fmt.Sprintf("%d tokens: system %d with a card of %d, query %d, describe %d, execute %d",
		w.all(), w.system, w.card, w.query, w.describe, w.execute)
}

func openSession(t testing.TB, view *catalog.View) *session.Session {
	t.Helper()
	s, err := session.New(view, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// weigh counts what the session has for a model.
func weigh(t testing.TB, s *session.Session, o tools.Options, count func(string) int) weight {
	t.Helper()
	system := tools.SystemPrompt(s, o).Text
	_, card, found := strings.Cut(system, "The catalog (data): ")
	if !found {
		t.Fatalf("no card in the prompt:\n%s", system)
	}
	w := weight{system: count(system), card: count(card)}
	for i, tool := range tools.New(s, o) {
		*[]*int{&w.query, &w.describe, &w.execute}[i] = count(tool.Name) + count(tool.Description) +
			count(string(tool.Schema))
	}
	return w
}

// mostTokens is what the prompt, the card and the tools may have together, whatever the catalog is.
const mostTokens = 1000

// TestPromptSize: neither the size of a catalog nor the length and the script of its names nor the rules of its view
// nor the policy get the prompt over its limit.
func TestPromptSize(t *testing.T) {
	count := counter(t)
	entries := demoEntries(t)
	policies := map[string]policy.Policy{
		"read-only": {}, "ask": {Mode: policy.Ask},
		"longest": {Mode: policy.Session, Grants: []policy.Grant{{N: 1}}, Rules: []policy.Rule{{}}},
	}
	names := map[string]func(i int) string{
		"demo":   func(i int) string { return "" },
		"tenant": func(i int) string { return fmt.Sprintf("tenant%d_", i) },
		"hex":    func(i int) string { return fmt.Sprintf("%x_", uint64(i)*0x9e3779b97f4a7c15) },
		"long":   func(i int) string { return fmt.Sprintf("%s%d_", strings.Repeat("antidisestablishment_", 4), i) },
		"other":  func(i int) string { return fmt.Sprintf("顧客管理ქართული%d_", i) },
		"signs":  func(i int) string { return fmt.Sprintf("q%dz-x%dj-", i, 7*i) },
	}
	worst, where := weight{}, ""
	for name, prefix := range names {
		for _, n := range []int{10, 100, 1_000, 10_000, 100_000} {
			if n > len(entries) && name == "demo" || n == 100_000 && name != "tenant" {
				continue
			}
			view := grown(t, entries, n, prefix)
			narrow, err := view.Narrow(catalog.Rules{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			for seen, v := range map[string]*catalog.View{"whole": view, "narrow": narrow, "no": view.Nothing()} {
				s := openSession(t, v)
				for said, p := range policies {
					if err := s.SetPolicy(p); err != nil {
						t.Fatal(err)
					}
					for _, o := range []tools.Options{{}, {Isolated: true}} {
						w := weigh(t, s, o, count)
						at := fmt.Sprintf("%s names, %d actions, %s view, policy %s, isolated %v", name, n, seen, said, o.Isolated)
						if w.all() > mostTokens {
							t.Errorf("%s: %v, want at most %d", at, w, mostTokens)
						}
						if w.all() > worst.all() {
							worst, where = w, at
						}
					}
				}
				s.Close()
			}
		}
	}
	t.Logf("most: %s: %v", where, worst)
}

// grown is a catalog of n actions in the demo's ways: its entries again and again, under first segments that begin with
// prefix of their round.
func grown(t testing.TB, entries []catalog.Entry, n int, prefix func(i int) string) *catalog.View {
	t.Helper()
	all := make([]catalog.Entry, 0, n)
	for i := 0; len(all) < n; i++ {
		for _, e := range entries[:min(len(entries), n-len(all))] {
			if i > 0 || n < len(entries) {
				e.ID, e.Namespace = prefix(i)+e.ID, nil
			}
			all = append(all, e)
		}
	}
	c, report := catalog.New(all, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped[0])
	}
	return c.View()
}

func demoEntries(t testing.TB) []catalog.Entry {
	t.Helper()
	office, err := demo.Open(t.Context(), filepath.Join(t.TempDir(), "office.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { office.Close() })
	return office.Entries()
}

func TestBudgets(t *testing.T) {
	count := counter(t)
	entries := demoEntries(t)
	var queries []eval.Query
	for _, e := range entries {
		queries = append(queries, eval.Query{Text: e.Description})
	}
	view := grown(t, entries, len(entries), nil)
	b := answers(t, view, queries, count)
	t.Log(b)
	for what, s := range map[string]spread{"search": b.search, "plan": b.plan} {
		if s.at(0.5) > 300 || s.at(0.95) > 900 {
			t.Errorf("%s: %v, want at most 300 and 900", what, s)
		}
	}
	if b.twenty.at(0.95) > 900 {
		t.Errorf("limit 20: %v, want at most 900", b.twenty)
	}
}

func TestFigures(t *testing.T) {
	root := os.Getenv("ALMANAC_EVAL")
	if root == "" {
		t.Skip("ALMANAC_EVAL names no folder of evaluation sets")
	}
	count := counter(t)
	files, err := filepath.Glob(filepath.Join(root, "*", "queries.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no sets: %v", root, err)
	}
	var large *catalog.View
	if file := os.Getenv("ALMANAC_EVAL_CATALOG"); file != "" {
		large = open(t, file)
		s := openSession(t, large)
		defer s.Close()
		t.Logf("%6d actions: %v", large.Len(), weigh(t, s, tools.Options{}, count))
		var schemas, words []string
		for id := range large.All() {
			if e, _ := large.Lookup(id); len(schemas) < 5000 && len(e.Description) >= 40 {
				schemas, words = append(schemas, string(e.Input.JSON())), append(words, e.Description)
			}
		}
		t.Logf("estimates: schemas %v", estimateErrors(schemas, count))
		t.Logf("estimates: prose   %v", estimateErrors(words, count))
	}
	for _, file := range files {
		set, err := eval.OpenSet(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		view := open(t, set.Catalog)
		t.Logf("%-28s %v", set.Name, answers(t, view, some(set.Queries), count))
		if large != nil && strings.HasPrefix(set.Name, "arazzo") {
			t.Logf("%-28s %v", fmt.Sprintf("%s in %d", set.Name, large.Len()), answers(t, large, some(set.Queries), count))
		}
	}
}

func open(t testing.TB, file string) *catalog.View {
	t.Helper()
	entries, _, err := manifest.ReadFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := catalog.New(entries, catalog.Options{})
	return c.View()
}

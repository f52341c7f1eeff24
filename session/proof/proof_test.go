// Package proof holds what a session promises against random programs over the demo:
//
//	TestActionsPreviewed, TestPreviewed   a preview changes nothing and foresees the calls of the run
//	TestApplied, TestListApproved         what was approved is made, and nothing else
//	TestRolledBack                        a run that fails leaves the globals as they were
//	TestUndone, TestUndoneLater           undo and redo lead to the states that were, later too
//	TestReplayed                          a session runs again as it ran
//
// `make proof N=1000` writes more programs than `go test`, SEED repeats them. The grammar is in testdata/grammar.txt; a
// program that breaks a promise is cut down and printed.
package proof

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"almanac/catalog"
	"almanac/catalog/demo"
	"almanac/catalog/unknown"
	"almanac/internal/grammar"
	"almanac/session"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

// pristine are the bytes of an office that nobody has used.
var pristine = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "office")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "office.db")
	o, err := demo.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	return must(os.ReadFile(path)), o.Close()
})

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A bench is a session over an office of its own.
type bench struct {
	t       testing.TB
	dir     string
	office  *demo.Office
	session *session.Session
	mu      sync.Mutex
	records []trace.Record
	values  map[string][]byte // by their digests
	saved   session.State     // as last told
}

func newBench(t testing.TB, change func(*session.Options)) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), values: map[string][]byte{}}
	path := filepath.Join(b.dir, "office.db")
	if err := os.WriteFile(path, must(pristine()), 0o600); err != nil {
		t.Fatal(err)
	}
	b.office = must(demo.Open(t.Context(), path))
	all, _ := catalog.New(b.office.Entries(), catalog.Options{})
	o := session.Options{
		ID:         "proof",
		Policy:     policy.Policy{Mode: policy.Session},
		UserLimits: vm.Limits{Steps: 300_000},
		UserBudget: session.Budget{Calls: 60},
		Approve: func(context.Context, session.Request) (session.Approval, error) {
			return session.Approval{Verdict: session.Once}, nil
		},
		Record: func(r trace.Record) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.records = append(b.records, r)
			for _, data := range r.Values {
				b.values[fmt.Sprintf("%x", sha256.Sum256(data))] = data
			}
			return nil
		},
		Saved: func(s session.State) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.saved = s
		},
		Context: catalog.Context{Actor: "ada", Tenant: "northgate"},
	}
	if change != nil {
		change(&o)
	}
	b.session = must(session.New(all.View(), o))
	return b
}

func (b *bench) close() {
	if err := errors.Join(b.session.Close(), b.office.Close()); err != nil {
		b.t.Error(err)
	}
	_ = os.RemoveAll(b.dir)
}

func (b *bench) run(source string) *session.Outcome {
	return must(b.session.Run(b.t.Context(), script(source)))
}

func (b *bench) preview(source string) *session.Outcome {
	return must(b.session.Preview(b.t.Context(), script(source)))
}

// left is what the database has when all that use it are gone.
func (b *bench) left() string {
	if err := b.office.Close(); err != nil {
		b.t.Error(err)
	}
	return b.stored()
}

// globals are those of now, as a snapshot. It runs a script that sets none.
func (b *bench) globals() string {
	b.mu.Lock()
	b.saved.Bytes = nil
	b.mu.Unlock()
	b.run("local _")
	must(b.session.Mark(b.t.Context())) // waits for the snapshot
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.saved.Bytes)
}

func script(source string) session.Script {
	return session.Script{Source: source, Author: session.User, Expr: true}
}

// stored is the bytes of the office's database. Reading it changes none.
func (b *bench) stored() string {
	wal, err := os.ReadFile(filepath.Join(b.dir, "office.db-wal"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	return string(must(os.ReadFile(filepath.Join(b.dir, "office.db")))) + string(wal)
}

// opening sets the globals that programs use.
const opening = `n, x, s, l, m = 3, 2.5, "s", {1, 2, 3}, {x = 1, y = {2}}
m.me = m
one = billing.invoice.get{invoice_id = "inv_00042"}
some = billing.invoice.list_unpaid{customer_id = "cus_0001", limit = 3}
function count(by) n = n + (by or 1) return n end
do local hidden = {0} function bump(by) hidden[1] = hidden[1] + (by or 1) return hidden[1] end end`

// globals are those of opening, for the grammar.
var globals = []grammar.Variable{
	{Name: "n", Type: "num"}, {Name: "x", Type: "num"}, {Name: "s", Type: "str"}, {Name: "l", Type: "list"},
	{Name: "m", Type: "map"}, {Name: "one", Type: "invoice"}, {Name: "some", Type: "invoices"},
	{Name: "count", Type: "fun"}, {Name: "bump", Type: "fun"},
}

//go:embed testdata/grammar.txt
var grammarText string

// programs reads the grammar with the examples of the demo's actions.
func programs(t testing.TB) grammar.Grammar {
	b := newBench(t, nil)
	defer b.close()
	all := grammar.Read(grammarText)
	for _, e := range b.office.Entries() {
		symbol := "example"
		if e.Mutates {
			symbol = "change"
		}
		for _, text := range e.Examples {
			all.Add(symbol, call.FindString(text))
		}
	}
	return all
}

// call is the call in an example, which may set a local.
var call = regexp.MustCompile(`[a-z_]+\.[a-z_.]+(\["return"\])?\(.*`)

// random checks a property of as many random programs as ALMANAC_PROOF says, few without it. The property says how a
// program breaks it, or returns an empty text.
func random(t *testing.T, property func(t *testing.T, program string) string) {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	few := "6"
	if testing.Short() {
		few = "2"
	}
	n, err := strconv.ParseUint(cmp.Or(os.Getenv("ALMANAC_PROOF"), few), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	all := programs(t)
	for i := range n {
		w := all.Writer(seed, i, globals...)
		program := w.Block(2 + w.IntN(6))
		broken := property(t, program.String())
		if broken == "" {
			continue
		}
		all.Reduce(program, func(text string) bool {
			now := property(t, text)
			if now != "" {
				broken = now
			}
			return now != ""
		})
		t.Errorf("program %d of SEED=%d: %s\n%s", i, seed, broken, program)
	}
}

// A made is a call as two runs are compared by it.
type made struct {
	id   string
	args map[string]any
}

func madeBy(out *session.Outcome) (all []made) {
	for _, c := range out.Calls {
		all = append(all, made{c.ID, c.Args})
	}
	return all
}

func (m made) String() string { return fmt.Sprint(m.id, m.args) }

// foresaw tells whether a call of a preview is the call of a run, as far as it was known.
func foresaw(planned, real any) bool {
	switch p := planned.(type) {
	case unknown.Value:
		return true
	case map[string]any:
		r, ok := real.(map[string]any)
		if !ok || len(p) != len(r) {
			return false
		}
		for name := range p {
			if !foresaw(p[name], r[name]) {
				return false
			}
		}
		return true
	case []any:
		r, ok := real.([]any)
		if !ok || len(p) != len(r) {
			return false
		}
		for i := range p {
			if !foresaw(p[i], r[i]) {
				return false
			}
		}
		return true
	}
	return fmt.Sprint(planned) == fmt.Sprint(real)
}

// differ says where the calls of a preview are not those of the run.
func differ(planned, real []made) string {
	for i := range max(len(planned), len(real)) {
		switch {
		case i >= len(planned):
			return fmt.Sprintf("the run makes call %d, %v, which the preview does not foresee", i+1, real[i])
		case i >= len(real):
			return fmt.Sprintf("the preview foresees call %d, %v, which the run does not make", i+1, planned[i])
		case planned[i].id != real[i].id || !foresaw(planned[i].args, real[i].args):
			return fmt.Sprintf("call %d: the preview foresees %v, the run makes %v", i+1, planned[i], real[i])
		}
	}
	return ""
}

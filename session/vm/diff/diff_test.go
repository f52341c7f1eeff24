// Package diff compares the machine with lua5.2 on random programs, `make lua-diff`. The grammar is in
// testdata/grammar.txt, what differs on purpose in differences_test.go; a program that differs otherwise is cut down
// and printed.
package diff

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/internal/grammar"
	"almanac/prelude"
	"almanac/session/vm"
)

const (
	batch    = 200 // programs that lua5.2 gets at once
	patience = time.Minute
	runs     = 20 // programs in one machine
	shown    = 10 // different differences
)

//go:embed testdata/grammar.txt
var grammarText string

// opening is the first lines of a program: show prints values in a way that does not depend on addresses or on the
// order of pairs.
const opening = `local function text(v, n) if type(v) == "table" and not getmetatable(v) then if n == 0 then return "{...}" end ` +
	`local l = {} for k, w in next, v do l[#l + 1] = text(k == 0 or k, 0) .. "=" .. text(w, n - 1) end table.sort(l) return "{" .. table.concat(l, " ") .. "}" end ` +
	`local t = type(v) if t == "number" or t == "string" or t == "boolean" or t == "nil" then return tostring(v) end return t end ` +
	`local function show(...) local l = {...} for i = 1, select("#", ...) do l[i] = text(l[i], 3) end print(table.concat(l, " ")) end` + "\n" +
	`G, H, S, L, M = 3, 2.5, "s", {1, 2, 3}, {x = 1, y = "m"}` + "\n"

// program writes the program of a number.
func (c *comparison) program(seed, number uint64) *grammar.Node {
	w := c.grammar.Writer(seed, number, grammar.Variable{Name: "G", Type: "num"}, grammar.Variable{Name: "H", Type: "num"},
		grammar.Variable{Name: "S", Type: "str"}, grammar.Variable{Name: "L", Type: "list"},
		grammar.Variable{Name: "M", Type: "map"})
	body := w.Block(5 + w.IntN(10))
	for _, p := range body.Parts {
		// Most errors end one statement only.
		if n, ok := p.(*grammar.Node); ok && w.IntN(3) > 0 && !strings.HasPrefix(n.String(), "local ") {
			statement := &grammar.Node{Symbol: "stmt", Parts: n.Parts}
			n.Parts = []any{"show(pcall(function(...) ", &grammar.Node{Symbol: "stmts", Parts: []any{statement}},
				" end, 1, 's'))"}
		}
	}
	return &grammar.Node{Symbol: "program", Parts: []any{opening, body, "\n"}}
}

// A reference is a running lua5.2 that takes programs.
type reference struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startReference(path string) (*reference, error) {
	c := exec.Command(path, "testdata/reference.lua")
	c.Env = []string{"LC_ALL=C", "TZ=UTC"}
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &reference{c, in, bufio.NewReader(out)}, c.Start()
}

func (r *reference) close() {
	r.in.Close()
	_ = r.command.Wait()
}

// run returns what each program prints. A process whose programs do not end is killed.
func (r *reference) run(programs ...string) ([]string, error) {
	watch := time.AfterFunc(patience, func() { _ = r.command.Process.Kill() })
	defer watch.Stop()
	go func() {
		var b bytes.Buffer
		for _, p := range programs {
			fmt.Fprintf(&b, "%d\n%s", len(p), p)
		}
		_, _ = r.in.Write(b.Bytes())
	}()
	outputs := make([]string, len(programs))
	for i, p := range programs {
		line, err := r.out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("lua5.2: %w at\n%s", err, p)
		}
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("lua5.2: %w", err)
		}
		text := make([]byte, n)
		if _, err = io.ReadFull(r.out, text); err != nil {
			return nil, fmt.Errorf("lua5.2: %w at\n%s", err, p)
		}
		outputs[i] = string(text)
	}
	return outputs, nil
}

// A session is a machine that runs some programs one after the other.
type session struct {
	*vm.Machine
	printed strings.Builder
	runs    int
}

// here runs one program.
func (c *comparison) here(program string) (string, error) {
	if c.session == nil || c.session.runs == runs {
		if c.session != nil {
			c.session.Close()
		}
		s := &session{}
		limits := vm.Limits{Steps: 20_000_000, Time: patience}
		m, err := vm.New(limits, vm.Host{Write: func(_ vm.Stream, text string) { s.printed.WriteString(text) }}, c.code)
		if err != nil {
			return "", err
		}
		s.Machine, c.session = m, s
	}
	c.session.runs++
	out := &c.session.printed
	out.Reset()
	switch e := c.session.Run(vm.Script{Source: program, Name: "p", Surface: vm.Execute}).Err; {
	case e == nil:
	case e.Kind == vm.Syntax:
		fmt.Fprintf(out, "syntax: p:%d: %s\n", e.Line, e.Message)
	case e.Value != nil || strings.HasPrefix(e.Message, "error value: "):
		fmt.Fprintln(out, "error: a value")
	default:
		fmt.Fprintf(out, "error: p:%d: %s\n", e.Line, e.Message)
	}
	return out.String(), nil
}

// A comparison is one process of lua5.2 and what is compared with it.
type comparison struct {
	*reference
	code    vm.Compiled
	grammar grammar.Grammar
	session *session
}

// verdict compares what lua5.2 printed with what the machine prints.
func (c *comparison) verdict(program, theirs string) (v verdict, err error) {
	for _, e := range excluded {
		if e.output.MatchString(theirs) {
			return verdict{exclusion: e.name}, nil
		}
	}
	ours, err := c.here(program)
	v = verdict{want: rewrite(theirs, lua52), got: rewrite(ours, here)}
	if strings.Contains(v.want, "error: ") && !strings.Contains(v.want, "error: p:") {
		// An error without a position is reported here with the line that led to it.
		v.got = regexp.MustCompile(`error: p:\d+: `).ReplaceAllString(v.got, "error: ")
	}
	return v, err
}

// A verdict has what both printed, or the name of the documented difference that the program ran into.
type verdict struct{ want, got, exclusion string }

func (v verdict) differs() bool { return v.want != v.got && !strings.HasPrefix(v.want, "syntax: ") }

// first is the first line that differs.
func (v verdict) first() string {
	a, b := strings.Split(v.want, "\n"), strings.Split(v.got, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("lua5.2: %s\nhere:   %s", a[i], strings.Join(b[i:min(i+1, len(b))], "\n"))
		}
	}
	return "here is more: " + strings.Join(b[len(a):], "\n")
}

// smallest cuts a program that differs down.
func (c *comparison) smallest(tree *grammar.Node) (text string, last verdict) {
	c.grammar.Reduce(tree, func(program string) bool {
		outputs, err := c.run(program)
		if err != nil {
			return false
		}
		c.session.runs = runs // a new one, without the globals that others have set
		v, err := c.verdict(program, outputs[0])
		if err != nil || !v.differs() {
			return false
		}
		last = v
		return true
	})
	return strings.TrimPrefix(tree.String(), opening), last
}

// A report gathers what the workers find.
type report struct {
	mu              sync.Mutex
	programs, ended int
	differ          int
	excluded        map[string]int
	seen            map[string]bool
}

// check compares the programs from first on.
func (c *comparison) check(r *report, seed, first uint64) error {
	var trees []*grammar.Node
	var texts []string
	for i := range uint64(batch) {
		trees = append(trees, c.program(seed, first+i))
		texts = append(texts, trees[i].String())
	}
	outputs, err := c.run(texts...)
	if err != nil {
		return err
	}
	for i, theirs := range outputs {
		v, err := c.verdict(texts[i], theirs)
		if err != nil {
			return err
		}
		if strings.HasPrefix(theirs, "syntax: ") {
			return fmt.Errorf("program %d is none: %s\n%s", first+uint64(i), theirs, texts[i])
		}
		r.mu.Lock()
		r.programs++
		if v.exclusion != "" {
			r.excluded[v.exclusion]++
		}
		if strings.Contains(theirs, "error: ") {
			r.ended++
		}
		show := false
		if v.differs() {
			r.differ++
			show = len(r.seen) < shown
		}
		r.mu.Unlock()
		if !show {
			continue
		}
		text, small := c.smallest(trees[i])
		if small == (verdict{}) {
			text, small = texts[i], v
		}
		key := regexp.MustCompile(`'[^']*'|\d+`).ReplaceAllString(small.first(), "")
		r.mu.Lock()
		if !r.seen[key] {
			fmt.Printf("\nprogram %d of SEED=%d differs:\n%s\n%s\n", first+uint64(i), seed, text, small.first())
		}
		r.seen[key] = true
		r.mu.Unlock()
	}
	return nil
}

// TestDiff compares as many programs as ALMANAC_LUA_DIFF says. SEED repeats a run.
func TestDiff(t *testing.T) {
	n, _ := strconv.ParseUint(os.Getenv("ALMANAC_LUA_DIFF"), 10, 32)
	if n == 0 {
		t.Skip("ALMANAC_LUA_DIFF does not say how many programs")
	}
	path, err := exec.LookPath("lua5.2")
	if err != nil {
		t.Fatal("lua5.2 is not installed")
	}
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64N(1_000_000_000)
	}
	fmt.Printf("SEED=%d\n", seed)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var chunks []vm.Chunk
	for _, c := range prelude.Chunks() {
		chunks = append(chunks, vm.Chunk(c))
	}
	code, err := vm.Compile(chunks)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{excluded: map[string]int{}, seen: map[string]bool{}}
	work := make(chan uint64)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			ref, err := startReference(path)
			if err != nil {
				t.Error(err)
			} else {
				defer ref.close()
			}
			c := comparison{reference: ref, code: code, grammar: grammar.Read(grammarText)}
			for first := range work {
				if err == nil {
					if err = c.check(r, seed, first); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for first := uint64(0); first < n; first += batch {
		work <- first
	}
	close(work)
	workers.Wait()
	fmt.Printf("%d programs, %d that end in an error; documented differences: %v\n", r.programs, r.ended, r.excluded)
	if r.differ > 0 {
		t.Errorf("%d programs differ", r.differ)
	}
}
